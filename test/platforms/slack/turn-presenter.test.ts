import { expect, test } from 'vitest';
import type { TurnEvent } from '../../../src/council/events.ts';
import { describeWithSlack } from '../../fakes/slack/describe-with-slack.ts';
import { usualScopes } from '../../fakes/slack/world/app.ts';
import {
  answered,
  answeredEnd,
  concluded,
  grew,
  marcus,
  ranked,
  reviewed,
  seated,
  taleb,
} from '../terminal/turn-events.ts';
import { botName, startTurn } from './shown-turn.ts';

const marcusName = '🏛️ Marcus Aurelius';
const talebName = 'Nassim Taleb';

const seating: readonly TurnEvent[] = [
  { type: 'stage_started', stage: 'moderator' },
  { type: 'seat_named', seat: marcus },
  { type: 'seat_named', seat: taleb },
  seated,
  { type: 'stage_started', stage: 'sages' },
];
const answers: readonly TurnEvent[] = [
  answered('marcus_aurelius', 'Do **your** part.'),
  answered('nassim_taleb', 'Bet small.'),
];
const outcome: readonly TurnEvent[] = [
  { type: 'stage_started', stage: 'reviews' },
  reviewed('marcus_aurelius'),
  reviewed('nassim_taleb'),
  ranked,
  { type: 'stage_started', stage: 'verdict' },
  concluded(),
  answeredEnd,
];
const wholeTurn = [...seating, ...answers, ...outcome];

describeWithSlack('a turn in Slack', () => {
  test('is one progress message, one message of each sage, and one verdict', async () => {
    await using turn = await startTurn();
    await turn.show(wholeTurn);
    const said = turn.said();
    expect(said.map(({ author }) => author)).toEqual([botName, marcusName, talebName, botName]);
    expect(said[1]?.text).toBe('Do **your** part.');
    expect(said[2]?.text).toBe('Bet small.');
    expect(turn.calls('chat.postMessage')).toHaveLength(4);
    turn.slack.assertNoViolations();
  });

  test('ends with the verdict, the ranking below it, and what can be asked of it', async () => {
    await using turn = await startTurn();
    await turn.show(wholeTurn);
    const verdict = turn.said().at(-1);
    expect(verdict?.blocks.map(({ type }) => type).slice(-2)).toEqual([
      'actions',
      'context_actions',
    ]);
    expect(verdict?.text).toMatchInlineSnapshot(`
      "Verdict

      Do both.

      ### Consensus
      - Waiting is worse.

      ### Disagreements
      - How much to bet.

      ### Minority report
      Bet nothing.

      ### Dissent
      - Marcus Aurelius: Last on every ballot. Duty first.

      Confidence: medium

      Ranking by 2 blind ballots
      1. Nassim Taleb: 75 % of comparisons won, 2 votes
      2. Marcus Aurelius: 25 % of comparisons won, 1 vote

      One model spoke for all of them, so their agreement is weak evidence.

      [Reviews] [Ballots as read] [Why these sages] [Receipt]"
    `);
  });

  test('says in its progress message how it ended, with a link to the verdict and without Stop', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    expect(turn.said()[0]?.text).toContain('[Stop]');
    expect(turn.said()[0]?.text).toContain('The moderator seats the sages.');
    for (const event of wholeTurn) presenter.take(event);
    await presenter.finish();
    const [progress] = turn.said();
    expect(progress?.text).toContain('The council has answered. Read the verdict');
    expect(progress?.text).toContain('Mention me here to ask a follow-up.');
    expect(progress?.text).not.toContain('[Stop]');
    const verdictTs = turn.said().at(-1)?.ts.replace('.', '');
    expect(JSON.stringify(progress?.blocks)).toContain(`/p${verdictTs}?thread_ts=`);
  });

  test('shows at once who is being seated, and in the end nothing', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    for (const event of seating.slice(0, 3)) presenter.take(event);
    const statuses = () => turn.calls('assistant.threads.setStatus').map(({ args }) => args.status);
    await turn.slack.until(
      () => statuses().includes('is seating Marcus Aurelius, Nassim Taleb…'),
      'the names of the seated',
    );
    expect(statuses()[0]).toBe('is seating the sages…');
    for (const event of wholeTurn.slice(3)) presenter.take(event);
    await presenter.finish();
    expect(statuses().at(-1)).toBe('');
  });

  test('streams each sage under its own name as it answers', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    for (const event of seating) presenter.take(event);
    presenter.take(grew('marcus_aurelius', 'Do your '));
    presenter.take(grew('nassim_taleb', 'Bet '));
    await turn.slack.until(() => turn.said().length === 3, 'both have begun');
    expect(turn.said().map(({ streaming }) => streaming)).toEqual([
      undefined,
      'in_progress',
      'in_progress',
    ]);
    presenter.take(grew('marcus_aurelius', 'Do your part, and '));
    await turn.slack.until(
      () => turn.said().some(({ text }) => text === 'Do your part, and '),
      'it has grown',
    );
    presenter.take(answered('marcus_aurelius', 'Do your part, and no more.'));
    presenter.take(answered('nassim_taleb', 'Bet small.'));
    for (const event of outcome) presenter.take(event);
    await presenter.finish();
    const [, first, second, verdict] = turn.said();
    expect([first?.author, second?.author].toSorted()).toEqual([talebName, marcusName]);
    const texts = new Map(turn.said().map(({ author, text }) => [author, text]));
    expect(texts.get(marcusName)).toBe('Do your part, and no more.');
    expect(texts.get(talebName)).toBe('Bet small.');
    expect(verdict?.author).toBe(botName);
    expect(turn.calls('chat.update').filter(({ args }) => args.ts === first?.ts)).toEqual([]);
    expect(turn.said().filter(({ streaming }) => streaming === 'in_progress')).toEqual([]);
    turn.slack.assertNoViolations();
  });

  test('streams in a direct message, where nobody has to be named', async () => {
    await using turn = await startTurn({ isDirect: true });
    const presenter = await turn.open();
    for (const event of [...seating, grew('nassim_taleb', 'Bet ')]) presenter.take(event);
    await turn.slack.until(() => turn.said().length === 2, 'one has begun');
    for (const event of [...answers, ...outcome]) presenter.take(event);
    await presenter.finish();
    expect(turn.said()).toHaveLength(4);
    turn.slack.assertNoViolations();
  });

  test('says whole what the limits did not let begin before the answer was there', async () => {
    await using turn = await startTurn({
      pacing: {
        calls: [
          { of: ['stream_start'], per: 'method', calls: 1, windowMs: 60_000, basis: 'observed' },
        ],
        editGapMs: 0,
      },
    });
    const presenter = await turn.open();
    for (const event of seating) presenter.take(event);
    presenter.take(grew('nassim_taleb', 'Bet '));
    presenter.take(grew('marcus_aurelius', 'Do '));
    await turn.slack.until(() => turn.said().length === 2, 'one has begun');
    for (const event of [...answers, ...outcome]) presenter.take(event);
    await presenter.finish();
    expect(turn.calls('chat.startStream')).toHaveLength(1);
    expect(turn.said().map(({ author }) => author)).toEqual([
      botName,
      talebName,
      marcusName,
      botName,
    ]);
    expect(
      turn
        .said()
        .map(({ text }) => text)
        .slice(1, 3),
    ).toEqual(['Bet small.', 'Do **your** part.']);
  });

  test('lets sages speak under labels without the scope for names, and says so once', async () => {
    await using turn = await startTurn({
      scopes: usualScopes.filter((scope) => scope !== 'chat:write.customize'),
    });
    const presenter = await turn.open();
    for (const event of [...seating, grew('nassim_taleb', '**Marcus Aurelius**\nBet ')]) {
      presenter.take(event);
    }
    await turn.slack.until(() => turn.said().length === 2, 'one has begun');
    presenter.take(answered('marcus_aurelius', 'Do your part.'));
    presenter.take(answered('nassim_taleb', '**Marcus Aurelius**\nBet small.'));
    for (const event of outcome) presenter.take(event);
    await presenter.finish();
    const said = turn.said();
    expect(new Set(said.map(({ author }) => author))).toEqual(new Set([botName]));
    expect(said.map(({ text }) => text)).toContain('**🏛️ Marcus Aurelius**\n\nDo your part.');
    expect(said.map(({ text }) => text)).toContain(
      '**Nassim Taleb**\n\n*Marcus Aurelius*\nBet small.',
    );
    expect(said[0]?.text).toContain('it lacks the scope chat:write.customize');
    expect(turn.lackedPersonas).toEqual([`${turn.slack.workspace.id} ${turn.channel.id}`]);
    turn.slack.assertNoViolations();
  });

  test('shows answers whole where Slack lets nothing grow, and asks it only once', async () => {
    await using turn = await startTurn();
    turn.slack.faults.plan(
      'chat.startStream',
      { kind: 'refusal', error: 'channel_type_not_supported' },
      { times: 9 },
    );
    const presenter = await turn.open();
    for (const event of [...seating, grew('nassim_taleb', 'Bet ')]) presenter.take(event);
    await turn.slack.until(() => turn.calls('chat.startStream').length === 1, 'it was refused');
    for (const event of [
      grew('marcus_aurelius', 'Do '),
      grew('nassim_taleb', 'Bet small '),
      ...answers,
      ...outcome,
    ]) {
      presenter.take(event);
    }
    await presenter.finish();
    expect(turn.said().map(({ author }) => author)).toEqual([
      botName,
      marcusName,
      talebName,
      botName,
    ]);
  });

  test('goes on by replacing when Slack has closed a stream', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    for (const event of [...seating, grew('nassim_taleb', 'Bet ')]) presenter.take(event);
    await turn.slack.until(() => turn.said().length === 2, 'it has begun');
    turn.slack.clock.advance(5 * 60_000);
    presenter.take(grew('nassim_taleb', 'Bet small, '));
    await turn.slack.until(
      () => turn.said().some(({ text }) => text === 'Bet small, '),
      'it has grown all the same',
    );
    presenter.take(answered('nassim_taleb', 'Bet small, and often.'));
    presenter.take(answeredEnd);
    await presenter.finish();
    expect(turn.said()).toHaveLength(2);
    expect(turn.said()[1]?.text).toBe('Bet small, and often.');
    expect(turn.said()[1]?.author).toBe(talebName);
    turn.slack.assertNoViolations();
  });

  test('ends whole a message that Slack closed while nothing was said', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    for (const event of [...seating, grew('nassim_taleb', 'Bet ')]) presenter.take(event);
    await turn.slack.until(() => turn.said().length === 2, 'it has begun');
    turn.slack.clock.advance(5 * 60_000);
    presenter.take(answered('nassim_taleb', 'Bet small.'));
    presenter.take(answeredEnd);
    await presenter.finish();
    expect(
      turn
        .said()
        .map(({ text }) => text)
        .slice(1),
    ).toEqual(['Bet small.']);
  });

  test('replaces what grew when the answer is another in the end', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    for (const event of [...seating, grew('nassim_taleb', 'Bet it all ')]) presenter.take(event);
    await turn.slack.until(() => turn.said().length === 2, 'it has begun');
    presenter.take(grew('nassim_taleb', 'No: '));
    presenter.take(answered('nassim_taleb', 'No: bet nothing.'));
    presenter.take(answeredEnd);
    await presenter.finish();
    expect(
      turn
        .said()
        .map(({ text }) => text)
        .slice(1),
    ).toEqual(['No: bet nothing.']);
    turn.slack.assertNoViolations();
  });

  test('brings an answer that is too long for a message in several, under the same name', async () => {
    await using turn = await startTurn();
    const long = Array.from({ length: 900 }, (_, index) => `Reason ${index} is a good one.`);
    const presenter = await turn.open();
    for (const event of [...seating, grew('nassim_taleb', long.slice(0, 500).join('\n\n'))]) {
      presenter.take(event);
    }
    await turn.slack.until(() => turn.said().length === 2, 'it has begun');
    presenter.take(answered('nassim_taleb', long.join('\n\n')));
    presenter.take(answeredEnd);
    await presenter.finish();
    const spoken = turn.said().slice(1);
    expect(spoken.length).toBeGreaterThan(2);
    expect(new Set(spoken.map(({ author }) => author))).toEqual(new Set([talebName]));
    expect(spoken.map(({ text }) => text).join('\n\n')).toBe(long.join('\n\n'));
    turn.slack.assertNoViolations();
  });

  test('pings nobody and hides no address, whatever a model writes', async () => {
    await using turn = await startTurn();
    const hostile = 'Ask <!channel> and <@U123>, see [bank.com](https://evil.example/x).';
    await turn.show([
      ...seating,
      answered('marcus_aurelius', hostile),
      answered('nassim_taleb', 'x', { status: 'failed', answer: `Error: ${hostile}` }),
      ...outcome.slice(0, -2),
      concluded({ verdict: hostile, notice: hostile, consensus: [hostile] }),
      { type: 'ended', end: { outcome: 'failed', explanation: hostile } },
    ]);
    for (const { args } of turn.slack.calls) {
      expect(`${args.text ?? ''}`).not.toContain('<');
      for (const part of markdownIn(args)) {
        expect(part).not.toContain('<');
        expect(part).not.toContain('[bank.com](');
      }
    }
    turn.slack.assertNoViolations();
  });

  test('stops what has begun, and keeps what was said', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    for (const event of [
      ...seating,
      grew('nassim_taleb', 'Bet small '),
      grew('marcus_aurelius', 'Do your '),
    ]) {
      presenter.take(event);
    }
    await turn.slack.until(() => turn.said().length === 3, 'both have begun');
    presenter.take(
      answered('nassim_taleb', 'Bet small and', { status: 'stopped', reason: 'stopped' }),
    );
    presenter.take({ type: 'ended', end: { outcome: 'stopped', explanation: '' } });
    await presenter.finish();
    const texts = new Map(turn.said().map(({ author, text }) => [author, text]));
    expect(texts.get(talebName)).toBe('Bet small and\n\n_Stopped here._');
    expect(texts.get(marcusName)).toBe('Do your\n\n_Stopped here._');
    expect(texts.get(botName)).toContain('Stopped. What was said is kept.');
    expect(texts.get(botName)?.match(/Stopped/g)).toHaveLength(1);
    expect(turn.said().filter(({ streaming }) => streaming === 'in_progress')).toEqual([]);
  });

  test('says below an answer that broke off why it did, and posts nothing of one that never began', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    for (const event of [...seating, grew('nassim_taleb', 'Bet small ')]) presenter.take(event);
    await turn.slack.until(() => turn.said().length === 2, 'it has begun');
    const failed = { status: 'failed', reason: 'broken_stream' } as const;
    presenter.take(
      answered('nassim_taleb', 'Error: the server went away', {
        ...failed,
        partial: 'Bet small a',
      }),
    );
    presenter.take(answered('marcus_aurelius', 'Error: no key', failed));
    presenter.take({
      type: 'ended',
      end: { outcome: 'failed', explanation: 'The key was rejected. Give another.' },
    });
    await presenter.finish();
    expect(turn.said()).toHaveLength(2);
    expect(turn.said()[1]?.text).toBe('Bet small a\n\n_It broke off here:_ the server went away');
    expect(turn.said()[0]?.text).toContain(
      'The council could not answer. The key was rejected. Give another.',
    );
    expect(turn.said()[0]?.text).toContain('Marcus Aurelius failed: the answer broke off (no key)');
  });

  test('shows the ranking where no verdict follows', async () => {
    await using turn = await startTurn();
    await turn.show([
      ...seating,
      ...answers,
      ...outcome.slice(0, 4),
      { type: 'ended', end: { outcome: 'stopped', explanation: '' } },
    ]);
    expect(turn.said()).toHaveLength(3);
    expect(turn.said()[0]?.text).toContain('1. Nassim Taleb: 75 % of comparisons won, 2 votes');
  });
});

function markdownIn(args: Readonly<Record<string, unknown>>): readonly string[] {
  const blocks = Array.isArray(args.blocks) ? args.blocks : [];
  const streamed = args.markdown_text;
  return [
    ...blocks.flatMap((block: { type: string; text: string }) =>
      block.type === 'markdown' ? [block.text] : [],
    ),
    ...(typeof streamed === 'string' ? [streamed] : []),
  ];
}
