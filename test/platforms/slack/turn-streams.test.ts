import { describe, expect, test } from 'vitest';
import type { TurnEvent } from '../../../src/council/events.ts';
import { answered, answeredEnd, concluded, grew } from '../terminal/turn-events.ts';
import { botName, startTurn } from './shown-turn.ts';
import { answers, marcusName, outcome, seating, talebName } from './turn-script.ts';

/** What was said after the progress message. */
function spokenIn(turn: Pick<Awaited<ReturnType<typeof startTurn>>, 'said'>): readonly string[] {
  return turn
    .said()
    .map(({ text }) => text)
    .slice(1);
}

const grewVerdict = (verdict: string): TurnEvent => ({ type: 'verdict_grew', verdict });

describe('the verdict in Slack as it grows', () => {
  const before = [...seating, ...answers, ...outcome.slice(0, -2)];

  test('streams below the answers, and ends with the ranking and its buttons in the same message', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    for (const event of [...before, grewVerdict('Do ')]) presenter.take(event);
    await turn.slack.until(() => turn.said().length === 4, 'it has begun');
    expect(turn.said().at(-1)).toMatchObject({
      author: botName,
      text: '## Verdict\n\nDo ',
      streaming: 'in_progress',
    });
    for (const event of [grewVerdict('Do both.'), ...outcome.slice(-2)]) presenter.take(event);
    await presenter.finish();
    expect(turn.said()).toHaveLength(4);
    expect(turn.said().at(-1)?.text).toMatch(
      /^## Verdict\n\nDo both\.\n\n### Consensus.*Ranking by 2 blind ballots.*\[Receipt\]/s,
    );
    expect(turn.said().at(-1)?.streaming).toBe('completed');
    expect(turn.calls('chat.update').map(({ args }) => args.ts)).not.toContain(
      turn.said().at(-1)?.ts,
    );
    turn.slack.assertNoViolations();
  });

  test('is replaced by the top-ranked answer, under its own title, when the chair fails', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    for (const event of [...before, grewVerdict('I would ')]) presenter.take(event);
    await turn.slack.until(() => turn.said().length === 4, 'it has begun');
    presenter.take(concluded({ kind: 'top_answer', notice: 'The chair failed.' }));
    presenter.take(answeredEnd);
    await presenter.finish();
    expect(turn.said()).toHaveLength(4);
    expect(turn.said().at(-1)?.text).toContain('## Top-ranked answer, not a verdict');
    expect(turn.said().at(-1)?.text).not.toContain('I would');
    turn.slack.assertNoViolations();
  });

  test('ends on a word where the turn is stopped, and no verdict is left open', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    for (const event of [...before, grewVerdict('Do both and th')]) presenter.take(event);
    await turn.slack.until(() => turn.said().length === 4, 'it has begun');
    presenter.take({ type: 'ended', end: { outcome: 'stopped', explanation: '' } });
    await presenter.finish();
    expect(turn.said().at(-1)?.text).toBe('## Verdict\n\nDo both and \n\n_Stopped here._');
    expect(turn.said().filter(({ streaming }) => streaming === 'in_progress')).toEqual([]);
  });

  test('is whole, without its buttons, where Slack refuses what stands below it', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    for (const event of [...before, grewVerdict('Do ')]) presenter.take(event);
    await turn.slack.until(() => turn.said().length === 4, 'it has begun');
    turn.slack.faults.plan(
      'chat.stopStream',
      { kind: 'refusal', error: 'invalid_blocks' },
      { times: 9, when: ({ args }) => args.blocks !== undefined },
    );
    for (const event of outcome.slice(-2)) presenter.take(event);
    await presenter.finish();
    expect(turn.said()).toHaveLength(4);
    expect(turn.said().at(-1)?.text).toMatch(/^## Verdict\n\nDo both\.\n\n### Consensus/);
    expect(turn.said().at(-1)?.streaming).toBe('completed');
    expect(turn.said()[0]?.text).not.toContain('Not everything');
  });

  test('is gone on with by the process that resumes the turn, in the same message', async () => {
    await using turn = await startTurn();
    const died = await turn.open();
    for (const event of [...before, grewVerdict('Do ')]) died.take(event);
    await turn.slack.until(() => turn.said().length === 4, 'it has begun');
    died[Symbol.dispose]();
    await turn.show([...before, grewVerdict('Do '), ...outcome.slice(-2)], { isResumed: true });
    expect(turn.said()).toHaveLength(4);
    expect(turn.said().at(-1)?.text).toContain('Do both.');
    expect(turn.said().at(-1)?.streaming).not.toBe('in_progress');
  });
});

describe('what a sage says in Slack as it grows', () => {
  test('grows on in its message where a person stopped it who may not stop the turn', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    for (const event of seating) presenter.take(event);
    presenter.take(grew('marcus_aurelius', 'Do your '));
    await turn.slack.until(() => turn.said().length === 2, 'it has begun');
    const [, begun] = turn.said();
    await turn.ada.stopsSession(turn.channel, begun?.threadTs ?? '');
    presenter.take(grew('marcus_aurelius', 'Do your part, and '));
    await turn.slack.until(
      () => turn.said().at(-1)?.text.startsWith('Do your part, and') === true,
      'it has grown',
    );
    expect(turn.said()).toHaveLength(2);
    presenter.take({ type: 'ended', end: { outcome: 'stopped', explanation: '' } });
    await presenter.finish();
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

  test('streams in a direct message, where no one has to be named', async () => {
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
    expect(spokenIn(turn)).toEqual(['Bet small.']);
  });

  test('ends whole a message whose last words Slack refuses to add', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    for (const event of [...seating, grew('nassim_taleb', 'Bet ')]) presenter.take(event);
    await turn.slack.until(() => turn.said().length === 2, 'it has begun');
    turn.slack.faults.plan('chat.stopStream', {
      kind: 'refusal',
      error: 'messaging_processing_failed',
    });
    presenter.take(answered('nassim_taleb', 'Bet small.'));
    presenter.take(answeredEnd);
    await presenter.finish();
    expect(spokenIn(turn)).toEqual(['Bet small.']);
    expect(turn.said()[1]?.streaming).toBe('completed');
    expect(turn.said()[0]?.text).not.toContain('Not everything');
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
    expect(spokenIn(turn)).toEqual(['No: bet nothing.']);
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
});
