import { expect, test } from 'vitest';
import { grew } from '../terminal/turn-events.ts';
import { startTurns } from './shown-turn.ts';
import { answers, seating } from './turn-script.ts';

type Turn = Awaited<ReturnType<Awaited<ReturnType<typeof startTurns>>['ask']>>;

/** The progress message of a turn, by its blocks. */
function blocksOf(turn: Turn) {
  return turn.said()[0]?.blocks ?? [];
}

test('a turn is a plan of Slack while it lasts, with a task for each sage', async () => {
  await using world = await startTurns();
  const turn = await world.ask();
  using presenter = await turn.open();
  expect(blocksOf(turn)[0]).toMatchObject({
    type: 'plan',
    title: 'The council is being seated.',
    tasks: [{ title: 'The council is being seated.', status: 'in_progress' }],
  });
  for (const event of [...seating, grew('nassim_taleb', 'Bet '), ...answers.slice(0, 1)]) {
    presenter.take(event);
  }
  presenter.take({ type: 'stage_started', stage: 'reviews' });
  await world.slack.until(() => JSON.stringify(blocksOf(turn)).includes('Reviews'), 'the reviews');
  expect(blocksOf(turn)[0]).toMatchObject({
    type: 'plan',
    tasks: [
      { title: 'The council is being seated.', status: 'complete' },
      { title: expect.stringMatching(/^Marcus Aurelius answered in/), status: 'complete' },
      { title: 'Nassim Taleb is answering', status: 'in_progress' },
      { title: 'Reviews and ballots', status: 'in_progress' },
    ],
  });
  expect(JSON.stringify(blocksOf(turn))).toContain('Stop');
  world.slack.assertNoViolations();
});

test('a plan that Slack refuses becomes text, and is not tried again', async () => {
  await using world = await startTurns();
  const isPlan = ({ args }: { readonly args: unknown }) =>
    JSON.stringify(args).includes('"type":"plan"');
  world.slack.faults.decide((call) =>
    isPlan(call) ? { kind: 'refusal', error: 'invalid_blocks' } : undefined,
  );
  const turn = await world.ask();
  using presenter = await turn.open();
  const shows = (words: string) => JSON.stringify(blocksOf(turn)).includes(words);
  expect(shows('⏳ The council is being seated.')).toBe(true);
  for (const event of seating) presenter.take(event);
  await world.slack.until(() => shows('⏳ 0 of 2 answered'), 'the seats');
  for (const event of answers) presenter.take(event);
  presenter.take({ type: 'stage_started', stage: 'reviews' });
  await world.slack.until(() => shows('⏳ The sages are reviewing'), 'the reviews');
  expect(world.slack.calls.filter(isPlan)).toHaveLength(1);
});
