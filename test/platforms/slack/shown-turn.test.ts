import { describe, expect, test } from 'vitest';
import { stoppedEnd } from '../../../src/council/events.ts';
import { usualScopes } from '../../fakes/slack/world/app.ts';
import { answered, answeredEnd, concluded, grew, seat, seated } from '../terminal/turn-events.ts';
import { botName, startTurn } from './shown-turn.ts';
import { answers, marcusName, outcome, seating, talebName, wholeTurn } from './turn-script.ts';

describe('a turn in Slack', () => {
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
      "## Verdict

      Do both.

      ### Consensus
      - Waiting is worse.

      ### Disagreements
      - How much to bet.

      ### Still open
      - Whether the market lasts.

      ### Minority report
      Bet nothing.

      ### Dissent
      - Last on every ballot.

      Confidence: medium. Nobody has measured the risk.

      Ranking by 2 blind ballots 1. Nassim Taleb: 75 2. Marcus Aurelius: 25

      1. Nassim Taleb 🏆 · average place 1.3
      2. Marcus Aurelius · on 1 of 2 ballots

      The bars show how often sages who saw no names ranked each answer above another.
      One model spoke for all of them, so their agreement is weak evidence.

      [Reviews and ballots] [Why these sages] [Receipt] [Go deeper] [Post to the channel]"
    `);
  });

  test.each([
    ['said whole', 'chat.postMessage'],
    ['grown', 'chat.stopStream'],
  ])('shows the ranking as bars of text where Slack takes no chart: %s', async (how, method) => {
    await using turn = await startTurn();
    const { slack } = turn;
    const isChart = (call: { readonly args: unknown }) =>
      JSON.stringify(call.args).includes('data_visualization');
    slack.faults.decide((call) =>
      isChart(call) ? { kind: 'refusal', error: 'invalid_blocks' } : undefined,
    );
    const presenter = await turn.open();
    for (const event of wholeTurn.slice(0, -2)) presenter.take(event);
    if (how === 'grown') {
      presenter.take({ type: 'verdict_grew', verdict: 'Do bo' });
      await slack.until(() => turn.calls('chat.startStream').length > 0, 'its beginning');
    }
    for (const event of wholeTurn.slice(-2)) presenter.take(event);
    await presenter.finish();
    expect(turn.calls(method).filter(isChart)).toHaveLength(1);
    const verdict = turn.said().at(-1);
    expect(verdict?.text).toContain('████████░░  75 % 1. Nassim Taleb');
    expect(verdict?.text.split('Ranking by 2 blind ballots')).toHaveLength(2);
    expect(verdict?.text).toContain('Marcus Aurelius · on 1 of 2 ballots');
    expect(verdict?.text).toContain('[Receipt]');
  });

  test('says in its progress message how it ended, with a link to the verdict and without Stop', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    expect(turn.said()[0]?.text).toContain('[Stop]');
    expect(turn.said()[0]?.text).toContain('The council is being seated.');
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
      () => statuses().includes('is seating Marcus Aurelius and Nassim Taleb…'),
      'the names of the seated',
    );
    expect(statuses()[0]).toBe('is seating the sages…');
    for (const event of wholeTurn.slice(3)) presenter.take(event);
    await presenter.finish();
    // A message of the app takes a status away; what is left is taken away at the end.
    expect(turn.slack.assistant.statuses.at(-1)?.status).toBe('');
  });

  test('clears the status at the end, even while the last edit waits for Slack’s limits', async () => {
    const pacing = {
      calls: [{ of: ['last_edit'], per: 'everything', calls: 0, windowMs: 1, basis: 'observed' }],
      editGapMs: 0,
    } as const;
    await using turn = await startTurn({ pacing });
    using presenter = await turn.open();
    presenter.take(seated);
    presenter.take(answeredEnd);
    const finished = presenter.finish();
    await turn.slack.until(
      () => turn.slack.assistant.statuses.at(-1)?.status === '',
      'the cleared status',
    );
    expect(turn.said()[0]?.text).toContain('[Stop]');
    presenter[Symbol.dispose]();
    await expect(finished).rejects.toThrow();
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
    turn.slack.assertNoViolations();
  });

  test('pings no one and hides no address, whatever a model writes', async () => {
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

  test('names no one live while it seats a sage with a hostile name', async () => {
    await using turn = await startTurn();
    const hostile = seat('new_channel', '<!channel> <https://evil.example|bank>');
    using presenter = await turn.open();
    presenter.take({ type: 'stage_started', stage: 'moderator' });
    presenter.take({ type: 'seat_named', seat: hostile });
    const statuses = () =>
      turn.calls('assistant.threads.setStatus').map(({ args }) => JSON.stringify(args));
    await turn.slack.until(() => statuses().some((one) => one.includes('evil')), 'its status');
    for (const status of statuses()) expect(status).not.toMatch(/<[!h]/);
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
    presenter.take({ type: 'ended', end: stoppedEnd(true) });
    await presenter.finish();
    const texts = new Map(turn.said().map(({ author, text }) => [author, text]));
    expect(texts.get(talebName)).toBe('Bet small and\n\n_Stopped here._');
    expect(texts.get(marcusName)).toBe('Do your \n\n_Stopped here._');
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
    expect(turn.said()[0]?.text).toContain(
      '1. ████████░░  75 % Nassim Taleb 🏆 · average place 1.3',
    );
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
