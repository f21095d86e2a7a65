import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort, startRedisServer } from '../fakes/redis-server.ts';
import { unfinishedTurns } from '../fakes/unfinished-turns.ts';
import { textOf } from '../platforms/discord/discord-world.ts';
import { runCouncil, startCouncil } from './council-process.ts';
import { startFleetWorld } from './fleet-world.ts';
import { startRehearsedModels } from './rehearsed-models.ts';
import { temporaryProject } from './temporary-project.ts';

// Whole processes are started, on machines that may be busy.
vi.setConfig({ testTimeout: 240_000 });

const soon = { timeout: 100_000, interval: 50 };

/** Starts `council -- web` over a Redis server. */
async function openWeb(REDIS_URL: string, settings: object) {
  const port = await freePort();
  const args = ['web', '--port', `${port}`];
  const folder = temporaryProject(settings);
  const council = startCouncil({ folder, args, environment: { REDIS_URL } });
  await expect.poll(() => council.stdout, soon).toContain(`127.0.0.1:${port}`);
  const logged = (sentence: string) =>
    council.stderr.split('\n').filter((line) => line.includes(`"msg":"${sentence}"`));
  /** The turns that it has begun, however often. */
  const turns = () =>
    new Set(logged('turn begun').map((line) => /"turnId":"[^"]+/.exec(line)?.[0]));
  return { ...council, origin: `http://127.0.0.1:${port}`, logged, turns };
}

/** A bot with the page and a process with the page alone, over one Redis; the chair begins its verdict and never ends it. */
async function openTwo() {
  const redis = await startRedisServer();
  onTestFinished(() => redis.remove());
  const models = await startRehearsedModels((name) =>
    name === 'chair' ? { kind: 'stall', afterChars: 10 } : undefined,
  );
  const open = async () => {
    const port = await freePort();
    const folder = temporaryProject({ ...models.settings, web: { port } });
    const environment = { REDIS_URL: redis.url };
    const council = startCouncil({ folder, environment });
    await expect.poll(() => council.stdout, soon).toContain(`127.0.0.1:${port}`);
    return `http://127.0.0.1:${port}`;
  };
  const web = await openWeb(redis.url, models.settings);
  return { models, pages: [await open(), web.origin] };
}

/** Follows what a page is told of a turn, until the page is whole. */
function follow(page: string, turn: string) {
  let heard = '';
  const isWhole = (async () => {
    const response = await fetch(`${page}${turn}/live`);
    const ended = async () => {
      for await (const part of response.body ?? []) heard += new TextDecoder().decode(part);
    };
    await ended().catch(() => undefined);
    return heard.includes('event: whole');
  })();
  return { isWhole, heard: () => heard };
}

const post = (url: string, form: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
const read = async (url: string) => (await fetch(url)).text();

test('a turn is asked on one process, and watched, read and stopped on the other', async () => {
  const { pages, models } = await openTwo();
  // Which of the two runs it is the queue's to say, so each asks once.
  for (const [one, other] of [pages, pages.toReversed()]) {
    const taken = await post(`${one}/ask`, { question: 'Should we rewrite it?' });
    const turn = taken.headers.get('location') ?? '';
    const followed = [follow(one ?? '', turn), follow(other ?? '', turn)];
    for (const { heard } of followed) {
      await expect.poll(heard, soon).toContain('3 blind reviews');
      for (const name of ['Ada', 'Ben', 'Cleo']) expect(heard()).toContain(`${name} Sage`);
    }
    // The chair has begun, and nothing more is kept.
    await expect.poll(() => models.openCalls(), soon).toBe(1);
    expect(await read(`${other}${turn}`)).toContain(`data-live="${turn}/live"`);
    const [reloaded = '', first] = await Promise.all([
      read(`${other}${turn}`),
      read(`${one}${turn}`),
    ]);
    expect(reloaded).toBe(first);
    await post(`${other}${turn}/stop`);
    expect(await Promise.all(followed.map(({ isWhole }) => isWhole))).toEqual([true, true]);
    expect(models.openCalls()).toBe(0);
    expect(await read(`${other}${turn}`)).toBe(await read(`${one}${turn}`));
    expect(await read(`${one}${turn}`)).toContain('Make a link for others');
  }
});

test('a link that one process has made is read on the other, and withdrawn there', async () => {
  const { pages, models } = await openTwo();
  const [one = '', other = ''] = pages;
  const taken = await post(`${one}/ask`, { question: 'Should we rewrite it?' });
  const turn = taken.headers.get('location') ?? '';
  await expect.poll(() => models.counts().chair, soon).toBe(1);
  await post(`${one}${turn}/stop`);
  await expect.poll(() => read(`${one}${turn}`), soon).toContain('Make a link for others');
  await post(`${one}${turn}/share`);
  const [, link] = /href="(\/shared\/[\w-]{32})"/.exec(await read(`${other}${turn}`)) ?? [];
  expect(await read(`${other}${link}`)).toContain('Should we rewrite it?');
  expect((await fetch(`${one}${link}`)).status).toBe(200);
  await post(`${other}${turn}/unshare`);
  expect((await fetch(`${one}${link}`)).status).toBe(404);
});

test('of two processes with the web alone, one goes on in order with what the other was killed at', async () => {
  const redis = await startRedisServer({ settings: { appendonly: 'yes', appendfsync: 'always' } });
  onTestFinished(() => redis.remove());
  // The chair answers only when it is asked again.
  const models = await startRehearsedModels((name, earlier) =>
    name === 'chair' && earlier === 0 ? { kind: 'stall', afterChars: 10 } : undefined,
  );
  const webs = [
    await openWeb(redis.url, models.settings),
    await openWeb(redis.url, models.settings),
  ];
  const [one = '', other = ''] = webs.map(({ origin }) => origin);
  const thread = 'rewriting';
  const first = await post(`${one}/ask`, { question: 'Should we rewrite it?', thread });
  const turn = first.headers.get('location') ?? '';
  const second = await post(`${other}/ask`, { question: 'And if we wait?', thread });
  await expect.poll(() => models.counts().chair, soon).toBe(1);
  const begun = webs.map(({ turns }) => turns().size);
  expect(begun.toSorted()).toEqual([0, 1]);
  const [killed, staying] = begun[0] === 1 ? webs : webs.toReversed();
  killed?.kill('SIGKILL');
  const later = `${staying?.origin}${second.headers.get('location')}`;
  await expect.poll(() => read(later), soon).toContain('Make a link for others');
  expect(await read(`${staying?.origin}${turn}`)).toContain('Make a link for others');
  expect(staying?.turns().size).toBe(2);
  // No answer that was stored is paid for again; the second turn has its own.
  expect(models.counts()).toMatchObject({ 'sage ada': 2, 'sage ben': 2, 'sage cleo': 2, chair: 3 });
});

test('a process with the web alone leaves what was asked in Discord to one that can post there', async () => {
  const { discord, channel, ada, models, redis, start, lines } = await startFleetWorld(1500);
  const [bot, web] = await Promise.all([start('all'), openWeb(redis.url, models.settings)]);
  const ask = (number: number) =>
    discord.userSays(channel, ada, `#${number}. What now?`, { mentionsBot: true });
  const asked = [1, 2, 3, 4].map(ask);
  await post(`${web.origin}/ask`, { question: '#5. And here?' });
  await expect.poll(() => unfinishedTurns(redis), soon).toBe(0);
  const begun = () => {
    const turns = lines.filter(({ msg }) => msg === 'turn begun');
    return new Set(turns.map(({ turnId }) => turnId));
  };
  expect(begun().size).toBe(asked.length);
  asked.push(ask(6));
  await expect.poll(() => begun().size, soon).toBe(asked.length);
  await bot.end('SIGKILL');
  const told = 'questions wait: no running process can post on discord; start one that can';
  await expect.poll(() => web.logged(told), soon).toHaveLength(1);
  const environment = { REDIS_URL: redis.url };
  const folder = temporaryProject(models.settings);
  const seen = await runCouncil({ folder, args: ['queue'], environment });
  expect(seen.stdout).toContain('Some questions wait: no running process can post on discord.');
  await start('all');
  await expect.poll(() => unfinishedTurns(redis), soon).toBe(0);
  expect(web.turns().size).toBe(1);
  for (const { wire } of asked) {
    const said = discord.messages(wire.id).map((message) => textOf(message));
    expect(said.filter((text) => text.includes('Verdict on'))).toHaveLength(1);
  }
});

test('a process without a model takes no turn of those that have one, and shows what came of it', async () => {
  const redis = await startRedisServer();
  onTestFinished(() => redis.remove());
  const models = await startRehearsedModels();
  const noModel = { council: { fallbackSage: 'ada' }, models: { default: 'auto' } };
  const bare = await openWeb(redis.url, noModel);
  const able = await openWeb(redis.url, models.settings);
  for (const question of ['Should we rewrite it?', 'Should we wait?', 'Who pays?']) {
    const taken = await post(`${able.origin}/ask`, { question });
    const page = `${bare.origin}${taken.headers.get('location')}`;
    await expect.poll(() => read(page), soon).toContain('Make a link for others');
  }
  expect([able.turns().size, bare.turns().size]).toEqual([3, 0]);
  const refused = await post(`${bare.origin}/ask`, { question: 'And here?' });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain('npm run council -- setup');
});

test('a gateway that is stopped keeps a program connected until a worker has its answer', async () => {
  const redis = await startRedisServer();
  onTestFinished(() => redis.remove());
  const models = await startRehearsedModels(undefined, { latencyMs: 500 });
  const port = await freePort();
  const folder = temporaryProject({ ...models.settings, web: { port } });
  const start = (COUNCIL_ROLE: string) =>
    startCouncil({ folder, environment: { REDIS_URL: redis.url, COUNCIL_ROLE } });
  const worker = start('worker');
  const gateway = start('gateway');
  await expect.poll(() => worker.stdout, soon).toContain('Runs the questions');
  await expect.poll(() => gateway.stdout, soon).toContain(`127.0.0.1:${port}`);
  const content = 'Should we rewrite it?';
  const asked = fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'council', messages: [{ role: 'user', content }] }),
  });
  await expect.poll(() => models.asked, soon).toContain('sage ada');
  gateway.kill('SIGTERM');
  expect(await (await asked).json()).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  expect(await gateway.ended).toMatchObject({ code: 0 });
});
