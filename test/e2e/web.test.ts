import { describe, expect, test } from 'vitest';
import { webRecords } from '../../src/app/web-records.ts';
import { exportSchema } from '../../src/memory/export/export.ts';
import { importThreads } from '../../src/memory/export/import-threads.ts';
import { type Caller, localCaller } from '../../src/platforms/web/caller.ts';
import { LiveTurns } from '../../src/platforms/web/live-turns.ts';
import { createWebCouncil } from '../../src/platforms/web/web-council.ts';
import type { Store } from '../../src/store/store.ts';
import { quietly } from '../memory/export/exports.ts';
import { keysIn } from '../platforms/web/keys-in.ts';
import { allOf } from '../platforms/web/web-world.ts';
import { openWebCouncil } from './open-web.ts';
import { startRehearsedModels } from './rehearsed-models.ts';

const signal = new AbortController().signal;
const foreign: Caller = { ...localCaller, workspace: 'other' };

describe('a council that is asked over the web', () => {
  test('is watched live, and told the same from the store to those who come later', async () => {
    const models = await startRehearsedModels();
    const { web, application } = await openWebCouncil(models.settings);
    const asked = await web.council.ask(localCaller, { question: 'Should we rewrite it?' });
    if (asked.status !== 'accepted') throw new Error(asked.status);
    const live = await allOf(web.council.watch(localCaller, asked.turnId, { signal }));
    const types = live.map(({ event }) => event.type);
    expect(types.filter((type) => type === 'answered')).toHaveLength(3);
    expect(types.at(-1)).toBe('ended');
    await application.queue.idle();
    const kept = await web.council.turn(localCaller, asked.turnId);
    expect(kept).toMatchObject({ status: 'ended', outcome: 'answered' });
    const later = await allOf(web.council.watch(localCaller, asked.turnId, { signal }));
    expect(later.map(({ event }) => event.type).filter((type) => type !== 'answer_grew')).toEqual(
      types.filter((type) => type !== 'answer_grew' && type !== 'verdict_grew'),
    );
  });

  test('is watched in a process that does not run it, by what is stored', async () => {
    const models = await startRehearsedModels(undefined, { latencyMs: 300 });
    const { web, application } = await openWebCouncil(models.settings);
    const { bot, store } = application;
    const other = createWebCouncil(
      () => bot,
      new LiveTurns(),
      webRecords(store),
      keysIn(store.settings),
    );
    const asked = await web.council.ask(localCaller, { question: 'Should we rewrite it?' });
    if (asked.status !== 'accepted') throw new Error(asked.status);
    const told = await allOf(other.watch(localCaller, asked.turnId, { signal }));
    const types = told.map(({ event }) => event.type);
    expect(types.filter((type) => type === 'answered')).toHaveLength(3);
    expect(types.filter((type) => type === 'concluded' || type === 'ended')).toEqual([
      ...['concluded', 'ended'],
    ]);
  });

  test('is found again in the list of its workspace alone, by what was said', async () => {
    const models = await startRehearsedModels();
    const { web, application } = await openWebCouncil(models.settings);
    for (const [thread, question] of Object.entries({ tea: 'Which tea?', car: 'Which car?' })) {
      await web.council.ask(localCaller, { question, thread, depth: 'quick' });
      await application.queue.idle();
    }
    const titles = async (search: string, caller = localCaller) =>
      (await web.council.threads(caller, { limit: 10, search })).map(({ title }) => title);
    expect(await titles('')).toEqual(['Which car?', 'Which tea?']);
    expect(await titles('WHICH tea?')).toEqual(['Which tea?']);
    expect(await titles('', foreign)).toEqual([]);
    const [tea] = await web.council.threads(localCaller, { limit: 10, search: 'tea?' });
    const [turnId = ''] = tea?.turnIds ?? [];
    expect(await web.council.turn(foreign, turnId)).toBeUndefined();
    expect(await allOf(web.council.watch(foreign, turnId, { signal }))).toEqual([]);
    expect(await web.council.stop(foreign, turnId)).toBe(false);
  });

  test('is listed without reading again what was read, and no more once it is forgotten', async () => {
    const models = await startRehearsedModels();
    let read = 0;
    const { web, application } = await openWebCouncil(models.settings, (store) => {
      const memories: Store['memories'] = {
        ...store.memories,
        async read(...asked) {
          const changes = await store.memories.read(...asked);
          read += changes.messages.length;
          return changes;
        },
      };
      return { records: webRecords({ ...store, memories }) };
    });
    const titles = async (more = {}) => {
      read = 0;
      const threads = await web.council.threads(localCaller, { limit: 10, ...more });
      return [threads.map(({ title }) => title), read];
    };
    const ask = async (thread: string, question: string) => {
      const depth = 'quick';
      const asked = await web.council.ask(localCaller, { question, thread, depth });
      await application.queue.idle();
      return asked.status === 'accepted' ? asked.turnId : '';
    };
    await ask('tea', 'Which tea?');
    const car = await ask('car', 'Which car?');
    expect(await titles()).toEqual([['Which car?', 'Which tea?'], 8]);
    expect(await titles()).toEqual([['Which car?', 'Which tea?'], 0]);
    expect(await titles({ search: 'TEA?' })).toEqual([['Which tea?'], 0]);
    await ask('tea', 'And the cup?');
    expect(await Promise.all([titles(), titles()])).toEqual(
      [4, 4].map((messages) => [['Which tea?', 'Which car?'], messages]),
    );
    expect(await titles({ limit: 1 })).toEqual([['Which tea?'], 0]);
    const options = { do: 'forget', what: `turn ${car}`, confirm: true };
    await web.council.command(localCaller, { of: 'car', command: 'memory', options });
    expect((await titles())[0]).toEqual(['Which tea?']);
  });

  test('is stopped, and says so to who watches', async () => {
    const models = await startRehearsedModels((name) =>
      name.startsWith('sage') ? { kind: 'hang' } : undefined,
    );
    const { web } = await openWebCouncil(models.settings);
    const asked = await web.council.ask(localCaller, { question: 'Should we rewrite it?' });
    if (asked.status !== 'accepted') throw new Error(asked.status);
    for await (const { event } of web.council.watch(localCaller, asked.turnId, { signal })) {
      if (event.type === 'sage_started') {
        await web.council.stop(localCaller, asked.turnId);
      }
      if (event.type === 'ended') expect(event.end.outcome).toBe('stopped');
    }
    expect(models.openCalls()).toBe(0);
  });
});

/** Ids of the parts that a page is sent of a turn, until it is whole. */
async function partsSent(url: string, after?: string): Promise<readonly string[]> {
  const headers = after === undefined ? {} : { 'last-event-id': after };
  const text = await (await fetch(`${url}/live`, { headers })).text();
  expect(text.trimEnd()).toMatch(/event: whole$|event: whole\ndata:\s*$/);
  return [...text.matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id);
}

test('a page that lost its connection is sent what came since, and a stranger everything', async () => {
  const models = await startRehearsedModels();
  const { origin, application, web } = await openWebCouncil(models.settings);
  const asked = await web.council.ask(localCaller, { question: 'Should we rewrite it?' });
  if (asked.status !== 'accepted') throw new Error(asked.status);
  const url = `${origin}/turns/${asked.turnId}`;
  const all = await partsSent(url);
  await application.queue.idle();
  const middle = all[Math.floor(all.length / 2)] ?? '';
  const rest = await partsSent(url, middle);
  // Of what grew meanwhile, the newest state alone.
  expect(all.slice(all.lastIndexOf(middle) + 1)).toEqual(expect.arrayContaining([...rest]));
  expect(rest.at(-1)).toBe(all.at(-1));
  expect(rest).not.toContain(middle);
  expect(await partsSent(url, 'elsewhere-1.3')).toContain(all.at(-1));
});

test('a verdict is gone on from: a sage again, deeper, and a follow-up, each with a page of its own', async () => {
  const models = await startRehearsedModels();
  const { origin, application, web } = await openWebCouncil(models.settings);
  const asked = await web.council.ask(localCaller, { question: 'Should we rewrite it?' });
  if (asked.status !== 'accepted') throw new Error(asked.status);
  await application.queue.idle();
  const first = `${origin}/turns/${asked.turnId}`;
  const seen = new Set([first]);
  const goOn = async (path: string, form: Record<string, string>) => {
    const body = new URLSearchParams(form);
    const { url, status } = await fetch(`${origin}${path}`, { method: 'POST', body });
    await application.queue.idle();
    expect([path, status, seen.has(url)]).toEqual([path, 200, false]);
    seen.add(url);
    return (await fetch(url)).text();
  };
  const rated = await fetch(`${first}/feedback`, {
    method: 'POST',
    body: new URLSearchParams({ rating: 'good' }),
  });
  const page = await rated.text();
  expect(page).toContain('1 yes, 0 no');
  expect(page).toMatch(/\d+ calls to models, at no cost\./);
  const again = await goOn(`/turns/${asked.turnId}/again`, { pick: 'ben' });
  expect(again).toContain('id="answer-ben"');
  expect(again).not.toContain('id="answer-cleo"');
  const deeper = await goOn(`/turns/${asked.turnId}/deeper`, {});
  expect(deeper).toContain('What they dispute');
  expect(deeper).toContain('3 blind reviews');
  await goOn('/ask', { question: 'And then?', thread: asked.thread });
  const refused = await fetch(`${first}/deeper`, { method: 'POST' });
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('deeper')]);
  const saved = await fetch(`${first}/export?format=html`);
  expect(saved.headers.get('content-disposition')).toContain('attachment');
  expect(await saved.text()).toContain('And then?');
  expect(await (await fetch(`${first}/receipt`)).text()).toContain('Remembered');
});

test('a form that is sent twice at once asks once; another question in it is another', async () => {
  const models = await startRehearsedModels();
  const { origin, application } = await openWebCouncil(models.settings);
  const [, form = ''] =
    /name="form" value="([^"]+)"/.exec(await (await fetch(origin)).text()) ?? [];
  const send = async (question: string, named = form) => {
    const body = new URLSearchParams({ question, form: named });
    return (await fetch(`${origin}/ask`, { method: 'POST', body })).url;
  };
  const [one, other] = await Promise.all([
    send('Should we rewrite it?'),
    send('Should we rewrite it?'),
  ]);
  expect(one).toContain('/turns/');
  expect(other).toBe(one);
  await application.queue.idle();
  expect(await send('Should we rewrite it?')).toBe(one);
  const urls = [await send('And when?'), await send('Should we rewrite it?', '')];
  expect(new Set([one, ...urls]).size).toBe(3);
  await application.queue.idle();
});

test('what goes on from a private turn stays as private', async () => {
  const models = await startRehearsedModels();
  const { origin, application, web } = await openWebCouncil(models.settings);
  const question = 'Should we rewrite it?';
  const asked = await web.council.ask(localCaller, { question, isPersonal: true });
  if (asked.status !== 'accepted') throw new Error(asked.status);
  await application.queue.idle();
  const body = new URLSearchParams({ pick: 'ben' });
  const url = `${origin}/turns/${asked.turnId}/again`;
  const turnId = (await fetch(url, { method: 'POST', body })).url.split('/').at(-1) ?? '';
  expect(turnId).not.toBe(asked.turnId);
  const other = { ...localCaller, person: { ...localCaller.person, id: 'other' } };
  expect(await web.council.turn(localCaller, turnId)).toBeDefined();
  expect(await web.council.turn(other, turnId)).toBeUndefined();
});

describe('a link to a turn', () => {
  test('is read without a key until it is withdrawn, and holds nothing of what was remembered', async () => {
    const models = await startRehearsedModels();
    const { origin, application, web } = await openWebCouncil(models.settings);
    const asked = await web.council.ask(localCaller, { question: 'Should we rewrite it?' });
    if (asked.status !== 'accepted') throw new Error(asked.status);
    await application.queue.idle();
    const turn = `${origin}/turns/${asked.turnId}`;
    const change = (what: string) => fetch(`${turn}/${what}`, { method: 'POST' });
    const link = /href="(\/shared\/[\w-]{32})"/.exec(await (await change('share')).text())?.[1];
    expect(link).toBeDefined();
    const shared = await fetch(`${origin}${link}`);
    expect(await shared.text()).toContain('Should we rewrite it?');
    expect((await change('share')).status).toBe(200);
    expect((await change('unshare')).status).toBe(200);
    expect((await fetch(`${origin}${link}`)).status).toBe(404);
    const again = /href="(\/shared\/[\w-]{32})"/.exec(await (await change('share')).text())?.[1];
    expect(again).not.toBe(link);
  });

  test('stays dead once its turn is forgotten, even if an export brings the turn back', async () => {
    const models = await startRehearsedModels();
    const { origin, application, web } = await openWebCouncil(models.settings);
    const asked = await web.council.ask(localCaller, { question: 'Should we rewrite it?' });
    if (asked.status !== 'accepted') throw new Error(asked.status);
    await application.queue.idle();
    const turn = `${origin}/turns/${asked.turnId}`;
    const shared = await (await fetch(`${turn}/share`, { method: 'POST' })).text();
    const link = `${origin}${/href="(\/shared\/[\w-]{32})"/.exec(shared)?.[1]}`;
    expect((await fetch(link)).status).toBe(200);
    const file = await (await fetch(`${turn}/export?format=json`)).text();
    await web.council.command(localCaller, {
      of: asked.threadId,
      command: 'memory',
      options: { do: 'forget', what: `turn ${asked.turnId}`, confirm: true },
    });
    expect((await fetch(turn)).status).toBe(404);
    // Its event is known for a day: this one stands for a later import.
    const later = file.replace(/"eventId": "[^"]+"/, '"eventId": "later"');
    await importThreads(application.store, exportSchema.parse(JSON.parse(later)), quietly);
    expect((await fetch(turn)).status).toBe(200);
    expect((await fetch(link)).status).toBe(404);
  });
});
