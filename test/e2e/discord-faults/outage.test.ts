import { expect, test } from 'vitest';
import { commands } from '../../../commands/index.ts';
import type { Log } from '../../../src/domain/log.ts';
import { createDiscord } from '../../../src/platforms/discord/discord.ts';
import type { Store } from '../../../src/store/store.ts';
import { startBot } from '../../bot/bot-fixture.ts';
import {
  type ScriptedModels,
  scriptedModels,
  wholeScript,
} from '../../council/scripted-council.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import type { FakeDiscord } from '../../fakes/discord/discord.ts';
import type { Fault } from '../../fakes/discord/rest/faults.ts';
import { ask, recordingLog, textOf } from '../../platforms/discord/discord-world.ts';
import { type EndOrder, endOrder, expectWholeTurn, routes, said } from './whole-turn.ts';

interface Patience {
  readonly retryWaitsMs?: readonly number[];
  readonly outageWaitsMs?: readonly number[];
  readonly requestTimeoutMs?: number;
}

/** A bot that tries each post five times more, with hardly a wait in between. */
async function startTrying(patience: Patience = {}, models = scriptedModels(wholeScript)) {
  const world = await startWorld();
  const { discord } = world;
  const { log, lines } = recordingLog();
  const order = endOrder();
  const { bot, platform } = await joinTrying(discord, { patience, models, log, order });
  return {
    ...world,
    bot,
    order,
    lines,
    platform,
    [Symbol.asyncDispose]: async () => {
      await bot.shutDown();
      await discord.close();
    },
  };
}

async function joinTrying(
  discord: FakeDiscord,
  given: {
    readonly patience: Patience;
    readonly models: ScriptedModels;
    readonly log: Log;
    readonly order: EndOrder;
    readonly store?: Store;
  },
) {
  const platform = createDiscord({
    token: discord.token,
    api: discord.api,
    commands,
    log: given.log,
    requestTimeoutMs: 500,
    retryWaitsMs: [10, 10, 10, 10, 10],
    ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
    ...given.patience,
  });
  const changes = { platforms: [platform], log: given.order.log };
  return { platform, bot: await startBot(given.models, changes, given.store) };
}

const unanswered: readonly Fault[] = [
  { kind: 'status', status: 502 },
  { kind: 'drop after processing' },
];

test.each(unanswered.map((fault) => ({ kind: fault.kind, fault })))(
  'an outage (“$kind”) of everything in the middle of a turn is outlasted, everything is there once',
  async ({ fault }) => {
    await using council = await startTrying();
    const { discord } = council;
    ask(council, 'Should we rewrite the engine?');
    await discord.until(
      () => discord.calls.some(({ route }) => route === routes.webhookPost),
      'the first answer',
    );
    discord.faults.failNext('*', fault, 5);
    await expectWholeTurn(council, council.order);
  },
);

/** Everything that is asked fails from the first answer on, for so many requests. */
async function failFromFirstAnswer(discord: FakeDiscord, fault: Fault, times: number) {
  await discord.until(
    () => discord.calls.some(({ route }) => route === routes.webhookPost),
    'the first answer',
  );
  discord.faults.failNext('*', fault, times);
}

test.each(unanswered.map((fault) => ({ kind: fault.kind, fault })))(
  'an outage (“$kind”) that outlasts all tries of a post loses and doubles nothing',
  async ({ fault }) => {
    await using council = await startTrying({ outageWaitsMs: Array.from({ length: 99 }, () => 5) });
    const { discord, lines } = council;
    ask(council, 'Should we rewrite the engine?');
    await failFromFirstAnswer(discord, fault, 60);
    await expectWholeTurn(council, council.order);
    expect(lines.join('\n')).toContain('Discord does not answer; the turn’s messages wait');
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([]);
  },
);

test('a turn that can’t even be opened for long is shown when Discord is back', async () => {
  await using council = await startTrying({ outageWaitsMs: Array.from({ length: 99 }, () => 5) });
  const { discord, channel, ada } = council;
  discord.faults.failNext(routes.thread, { kind: 'drop after processing' }, 10);
  discord.faults.failNext(routes.botPost, { kind: 'drop after processing' }, 10);
  discord.userSays(channel, ada, 'Should we rewrite the engine?', { mentionsBot: true });
  await expectWholeTurn(council, council.order);
});

test('when no wait is long enough the turn does not end, and the next start says the rest, once', async () => {
  const council = await startTrying({ outageWaitsMs: [] });
  const { discord, channel, bot } = council;
  const fault = { kind: 'drop after processing' } as const;
  discord.faults.failNext(routes.webhookPost, fault, 1);
  discord.faults.failNext(routes.history, { kind: 'status', status: 502 }, 999);
  ask(council, 'Should we rewrite the engine?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [left] = await bot.store.turns.unfinished(10);
  expect(left).toBeDefined();
  await bot.shutDown();
  while (discord.faults.take(routes.history) !== undefined);
  const given = { patience: {}, models: scriptedModels({}), log: recordingLog().log };
  const next = await joinTrying(discord, { ...given, order: endOrder(), store: bot.store });
  await expectWholeTurn({ ...council, bot: next.bot }, council.order);
  expect(await bot.store.turns.unfinished(10)).toEqual([]);
  await next.bot.shutDown();
  await discord.close();
});

const slow: Patience = {
  retryWaitsMs: [3_600_000],
  outageWaitsMs: [3_600_000],
  requestTimeoutMs: 3_600_000,
};
const neverAnswered: readonly Fault[] = [
  { kind: 'status', status: 502 },
  { kind: 'silence' },
  { kind: 'silence after processing' },
  { kind: 'rate limit', scope: 'hidden', retryAfterMs: 3_600_000 },
];

test.each(
  neverAnswered.flatMap((fault) =>
    (['webhookPost', 'newWebhook', 'thread', 'botPost'] as const).map((name) => ({
      name,
      fault,
      kind: fault.kind,
    })),
  ),
)(
  'a shutdown in an outage (“$kind” on $name) leaves the turn, and the next start says all of it once',
  async ({ name, fault }) => {
    const council = await startTrying(slow);
    const { discord, bot, channel, ada } = council;
    const route = routes[name];
    discord.faults.failNext(route, fault, 999);
    discord.userSays(channel, ada, 'Should we rewrite the engine?', { mentionsBot: true });
    await discord.until(() => discord.calls.some((call) => call.route === route), 'the failure');
    // By then the council has said all that it has to say; or nothing, where it can't be shown at all.
    const isBegun = name === 'webhookPost' || name === 'newWebhook';
    if (isBegun) {
      await expect.poll(() => council.order.sages.length).toBe(4);
      await expect.poll(async () => (await verdictsIn(bot.store)).length).toBe(1);
    }
    await bot.shutDown();
    expect(council.order.sages).toHaveLength(isBegun ? 4 : 0);
    expect(await bot.store.turns.unfinished(10)).toHaveLength(1);
    while (discord.faults.take(route) !== undefined);
    // What was paid for is not paid for again.
    const models = scriptedModels(isBegun ? {} : wholeScript);
    const given = { patience: {}, models, log: recordingLog().log };
    const next = await joinTrying(discord, { ...given, order: endOrder(), store: bot.store });
    await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
    await next.bot.idle();
    const texts = said(council, discord.threads(channel.id)[0]?.id ?? '');
    expect(texts).toHaveLength(6);
    expect(new Set(texts).size).toBe(6);
    expect(discord.messages(channel.id).map(textOf)[1]).toContain('Read the whole council');
    await next.bot.shutDown();
    await discord.close();
  },
);

/** The verdicts of turns that have not ended. */
async function verdictsIn(store: Store): Promise<readonly unknown[]> {
  const turns = await store.turns.unfinished(10);
  const records = await Promise.all(turns.map((turn) => store.turns.read(turn)));
  return records.flatMap((record) => record?.steps.filter(({ kind }) => kind === 'verdict') ?? []);
}
