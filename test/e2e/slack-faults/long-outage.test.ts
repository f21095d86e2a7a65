import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import type { Fault } from '../../fakes/slack/api/faults.ts';
import {
  type CouncilInSlack,
  joinSlack,
  type SlackWorld,
  startSlackWorld,
} from '../../platforms/slack/slack-world.ts';
import { unplanned } from './unplanned.ts';
import { expectWholeTurn, question } from './whole-turn.ts';

/** The verdicts of turns that have not ended. */
async function verdictsIn(store: Store): Promise<number> {
  const turns = await store.turns.unfinished(10);
  const records = await Promise.all(turns.map((turn) => store.turns.read(turn)));
  return records.flatMap((record) => record?.steps.filter(({ kind }) => kind === 'verdict') ?? [])
    .length;
}

interface Given {
  readonly fault: Fault;
  readonly method: string;
  readonly retryWaitsMs: readonly number[];
  /** When the first bot is ended. */
  readonly until: (council: CouncilInSlack) => Promise<unknown>;
}

/** Asks while Slack does not answer, ends the bot, and lets the next one say all there is to say. */
async function outlast(world: SlackWorld, { fault, method, retryWaitsMs, until }: Given) {
  const { slack, channel, ada } = world;
  let isAway = false;
  slack.faults.plan(method, fault, { times: 9999, when: () => isAway });
  const options = { pacing: unplanned, retryWaitsMs };
  const models = scriptedModels(wholeScript);
  const first = await joinSlack(world, models, options);
  isAway = true;
  const { thread } = await ada.mentions(channel, question);
  await until(first);
  // Edits come later than what the turn begins with, without which nothing is paid for.
  const isBegun = method === 'chat.update';
  if (isBegun) {
    await expect.poll(() => verdictsIn(first.bot.store)).toBe(1);
  }
  await first.bot.shutDown();
  expect(models.moderator.requests).toHaveLength(isBegun ? 1 : 0);
  expect(await first.bot.store.turns.unfinished(10)).toHaveLength(1);
  expect(first.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  isAway = false;
  const { store } = first.bot;
  // What was paid for is not paid for again.
  const others = scriptedModels(isBegun ? {} : wholeScript);
  await using next = await joinSlack(world, others, { pacing: unplanned, store });
  await expectWholeTurn(next, thread);
  expect(await store.turns.unfinished(10)).toEqual([]);
}

/** The bot asks once who it is when it starts. */
const atStart = (method: string) => (method === 'auth.test' ? 2 : 1);

const away: Fault = { kind: 'status', status: 502 };
const methods = ['chat.postMessage', 'chat.update', 'auth.test', '*'];

describe('a Slack that stays away', () => {
  test.each(methods)(
    'from %s for longer than any wait ends no turn, and the next start says the rest, once',
    async (method) => {
      const world = await startSlackWorld();
      try {
        const until = ({ bot }: CouncilInSlack) => bot.idle();
        await outlast(world, { fault: away, method, retryWaitsMs: [], until });
      } finally {
        await world.slack.close();
      }
    },
  );

  const neverAnswered: readonly Fault[] = [
    away,
    { kind: 'silence' },
    { kind: 'silence after processing' },
    { kind: 'rate limit', retryAfterSeconds: 3600 },
  ];
  test.each(
    neverAnswered.flatMap((fault) =>
      ['chat.postMessage', 'chat.update', 'auth.test'].map((method) => ({
        kind: fault.kind,
        method,
        fault,
      })),
    ),
  )(
    '(“$kind” at $method) holds up no shutdown, and the next start says all of it, once',
    async ({ fault, method }) => {
      const world = await startSlackWorld();
      const { slack } = world;
      try {
        const until = () =>
          slack.until(
            () => slack.calls.filter((call) => call.method === method).length >= atStart(method),
            'the failure',
          );
        await outlast(world, { fault, method, retryWaitsMs: [3_600_000], until });
      } finally {
        await slack.close();
      }
    },
  );
});
