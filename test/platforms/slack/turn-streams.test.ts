import { describe, expect, test } from 'vitest';
import { answered, answeredEnd, grew } from '../terminal/turn-events.ts';
import { botName, startTurn } from './shown-turn.ts';
import { answers, marcusName, outcome, seating, talebName } from './turn-script.ts';

/** What was said after the progress message. */
function spokenIn(turn: Pick<Awaited<ReturnType<typeof startTurn>>, 'said'>): readonly string[] {
  return turn
    .said()
    .map(({ text }) => text)
    .slice(1);
}

describe('what a sage says in Slack as it grows', () => {
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
