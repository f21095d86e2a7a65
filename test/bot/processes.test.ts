/** Several processes of one bot, over one real Redis server. */

import { expect, onTestFinished, test } from 'vitest';
import type { CouncilModels } from '../../src/council/council.ts';
import { silentLog } from '../../src/domain/log.ts';
import { openShared } from '../../src/queue/bullmq.ts';
import type { Queue } from '../../src/queue/queue.ts';
import type { Role } from '../../src/settings/environment.ts';
import { openRedisStore } from '../../src/store/redis.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { startRedisServer } from '../fakes/redis-server.ts';
import { hang } from '../fakes/scripted-model.ts';
import { person, place, question, startBot } from './bot-fixture.ts';
import { textOf } from './commanding.ts';

const toBen = { ...question, question: 'Ben: should we rewrite it?' };

/** Opens processes that share a server. */
async function openFleet() {
  const server = await startRedisServer();
  onTestFinished(() => server.remove());
  async function open(
    role: Role,
    models: CouncilModels,
    changes: Parameters<typeof startBot>[1] = {},
  ) {
    const store = await openRedisStore({ url: server.url });
    const { queue, quotas, stops, close } = await openShared({
      url: server.url,
      name: 'the test server',
      concurrency: 4,
      tries: 1,
      unfinished: async () => [],
      log: silentLog,
    });
    const started = await startBot(models, { role, queue, quotas, stops, ...changes }, store);
    onTestFinished(async () => {
      await started.shutDown();
      await close();
      await store.close();
    });
    return { ...started, queue };
  }
  return { server, open };
}

const asker = (number: number) => ({
  ...toBen,
  eventId: `event-${number}`,
  threadId: `test:w:c:${number}`,
});

test('how many questions someone may have open holds over all processes, until one is answered', async () => {
  const { open } = await openFleet();
  const none = scriptedModels({});
  const gateways = [await open('gateway', none), await open('gateway', none)];
  const burst = Array.from({ length: 40 }, (_, number) =>
    gateways[number % 2]?.bot.ask(asker(number)),
  );
  const taken = (await Promise.all(burst)).filter((asked) => asked?.status === 'accepted');
  expect(taken).toHaveLength(5);
  const refused = await gateways[0]?.bot.ask(asker(50));
  expect(refused).toMatchObject({ reason: expect.stringContaining('5 questions open already') });
  const models = scriptedModels({ sages: { ben: Array(6).fill(answer('No.')) } });
  const worker = await open('worker', models);
  await worker.queue.idle();
  expect(await gateways[1]?.bot.ask(asker(51))).toMatchObject({ status: 'accepted' });
});

test('how many questions someone may ask an hour holds over all processes', async () => {
  const { open } = await openFleet();
  const limits = {
    maxQuestionChars: 200,
    maxQueuedTurnsPerUser: 50,
    maxQueuedTurnsPerThread: 50,
    overheardPerThreadPerHour: 30,
  };
  const none = scriptedModels({});
  const gateways = [
    await open('gateway', none, { limits }),
    await open('gateway', none, { limits }),
  ];
  const manager = { ...person, isManager: true };
  const options = { changes: { questionsPerUserPerHour: 3 } };
  await gateways[0]?.bot.command({ place, person: manager, command: 'config', options });
  const inPlace = (number: number) => ({
    ...asker(number),
    threadId: `${place.threadId}${number}`,
  });
  const burst = Array.from({ length: 10 }, (_, number) =>
    gateways[number % 2]?.bot.ask(inPlace(number)),
  );
  const asked = await Promise.all(burst);
  expect(asked.filter((one) => one?.status === 'accepted')).toHaveLength(3);
  expect(await gateways[1]?.bot.ask(inPlace(10))).toMatchObject({
    reason: expect.stringMatching(
      /^You have reached the limit of 3 questions an hour .* free in an hour/,
    ),
  });
});

test('a question whose gateway died before it was queued comes before the next one of its thread', async () => {
  const { open } = await openFleet();
  const none = scriptedModels({});
  const untilDeath = Promise.withResolvers<void>();
  const gone: Queue = {
    start: async () => undefined,
    idle: async () => undefined,
    stop: async () => undefined,
    waiting: async () => 0,
    add: () => new Promise(() => untilDeath.resolve()),
  };
  const dying = await open('gateway', none, { queue: gone });
  const gateway = await open('gateway', none);
  void dying.bot.ask(toBen);
  await untilDeath.promise;
  await gateway.bot.ask({ ...toBen, eventId: 'event-2' });
  const models = scriptedModels({ sages: { ben: [answer('No.'), answer('Still no.')] } });
  const worker = await open('worker', models);
  await worker.queue.idle();
  const shown = worker.platform.shown.map(({ turn }) => turn.request.eventId);
  expect(shown).toEqual(['event-1', 'event-2']);
});

test('a budget can not be passed by asking at several processes at once', async () => {
  const { open } = await openFleet();
  const limits = { priceOf: () => 0.1, budgets: { userUsdPerDay: 0.25 } };
  const none = scriptedModels({});
  const gateways = [await open('gateway', none, limits), await open('gateway', none, limits)];
  const burst = [0, 1, 2, 3].map((number) => gateways[number % 2]?.bot.ask(asker(number)));
  const asked = await Promise.all(burst);
  expect(asked.filter((one) => one?.status === 'accepted')).toHaveLength(2);
  const [refused] = asked.filter((one) => one?.status === 'refused');
  expect(refused).toMatchObject({ reason: expect.stringContaining('Your budget of $0.25 a day') });
});

test('what is stopped at one process ends in another, also before it begins there', async () => {
  const { open } = await openFleet();
  const gateway = await open('gateway', scriptedModels({}));
  await gateway.bot.ask(toBen);
  await gateway.bot.ask({ ...toBen, eventId: 'event-2' });
  const models = scriptedModels({ sages: { ben: [hang] } });
  const worker = await open('worker', models);
  await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
  const reply = await gateway.bot.command({ place, person, command: 'stop', options: {} });
  expect(textOf(reply)).toContain('Stopped 2 questions');
  await worker.queue.idle();
  const ends = worker.platform.shown.map(({ events }) => events.at(-1));
  expect(ends).toMatchObject([{ end: { outcome: 'stopped' } }, { end: { outcome: 'stopped' } }]);
  expect(gateway.platform.shown).toEqual([]);
});

test('a turn that waits begins with what the channel is set to by then, at whatever process', async () => {
  const { open } = await openFleet();
  const gateway = await open('gateway', scriptedModels({}));
  await gateway.bot.ask({ ...question, question: 'Should we rewrite it?' });
  const manager = { ...person, isManager: true };
  const options = { changes: { seats: ['cleo'], depth: 'quick' } };
  await gateway.bot.command({ place, person: manager, command: 'config', options });
  const models = scriptedModels({ sages: { cleo: [answer('Later.')] }, chair: ['Later.'] });
  const worker = await open('worker', models);
  await worker.queue.idle();
  expect(models.sage({ key: 'cleo' }).requests).toHaveLength(1);
});

test('a turn that could not be run, however often it was tried, tells people so', async () => {
  const { server, open } = await openFleet();
  const limits = {
    maxQuestionChars: 200,
    maxQueuedTurnsPerUser: 1,
    maxQueuedTurnsPerThread: 1,
    overheardPerThreadPerHour: 30,
  };
  const gateway = await open('gateway', scriptedModels({}), { limits });
  await gateway.bot.ask(toBen);
  expect(await gateway.bot.ask(asker(2))).toMatchObject({ status: 'refused' });
  const openModels = () => {
    throw new Error('There is a hole in the list of models.');
  };
  const { platform } = await open('worker', scriptedModels({}), { openModels });
  const last = () => platform.shown.at(-1)?.events.at(-1);
  await expect.poll(last).toMatchObject({
    end: { outcome: 'failed', explanation: expect.stringContaining('tried several times') },
  });
  expect(await server.command('HLEN', 'council:{queue}:dead')).toBe(1);
  // It is no one's open question any more.
  const again = async () => (await gateway.bot.ask(asker(3))).status;
  await expect.poll(again).toBe('accepted');
});
