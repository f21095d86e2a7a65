import { expect, onTestFinished, test, vi } from 'vitest';
import { startRedisServer } from '../fakes/redis-server.ts';
import { startCouncil } from './council-process.ts';
import { startRehearsedModels } from './rehearsed-models.ts';
import { freePort } from './running-program.ts';
import { temporaryProject } from './temporary-project.ts';

// Whole processes are started.
vi.setConfig({ testTimeout: 120_000 });

const soon = { timeout: 60_000, interval: 50 };

/** Two processes with the page over one Redis; the chair begins its verdict and never ends it. */
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
  return { models, pages: await Promise.all([open(), open()]) };
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
