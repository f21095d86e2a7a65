import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { ForgetNotes } from '../../src/memory/forgetting/notes.ts';
import { openRedisStore } from '../../src/store/redis.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { askedTurn } from '../bot/forgetting.ts';
import { startRedisServer } from '../fakes/redis-server.ts';
import { runCouncil } from './council-process.ts';
import type { Death } from './discord-faults/mortal-store.ts';
import { startRehearsedModels } from './rehearsed-models.ts';
import { temporaryProject } from './temporary-project.ts';

// Whole processes are started, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const program = fileURLToPath(new URL('forgetting-process.ts', import.meta.url));

/** No one else says it. */
const secret = 'Zauberspruch';
const left = 'discord:left';
const stays = 'discord:stays';
const threads = 8;
const turnsOfThread = 40;

/** In which calls the processes die one after another, and of how many threads something is left then. */
const deaths: readonly { readonly death: Death; readonly threadsLeft: number }[] = [
  { death: { verb: 'forget', number: 3, when: 'after' }, threadsLeft: 5 },
  { death: { verb: 'forget', number: 2, when: 'before' }, threadsLeft: 4 },
  { death: { verb: 'write', number: 3, when: 'after' }, threadsLeft: 4 },
  { death: { verb: 'forget', number: 4, when: 'after' }, threadsLeft: 0 },
];

/** Where a store is, so that processes come and go, and the test looks in between. */
interface Place {
  /** Path or address. */
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  open(): Promise<Store>;
  /** All that is kept, while no one has the store open. */
  bytes(): Promise<Buffer>;
}

const places: Readonly<Record<string, (folder: string) => Promise<Place>>> = {
  'an SQLite file': async (folder) => {
    const path = join(folder, 'data/council.db');
    return {
      name: path,
      environment: {},
      open: async () => openSqliteStore({ path }),
      bytes: async () => readFileSync(path),
    };
  },
  'a Redis server': async () => {
    const server = await startRedisServer({ settings: { rdbcompression: 'no' } });
    onTestFinished(() => server.remove());
    const { url } = server;
    const [, folder = ''] = z.array(z.string()).parse(await server.command('CONFIG', 'GET', 'dir'));
    return {
      name: url,
      environment: { REDIS_URL: url },
      open: () => openRedisStore({ url }),
      bytes: async () => {
        await server.command('SAVE');
        return readFileSync(join(folder, 'dump.rdb'));
      },
    };
  },
};

async function fill(store: Store): Promise<void> {
  for (let turn = 0; turn < threads * turnsOfThread; turn += 1) {
    const threadId = `${left}:c${turn % 2}:t${turn % threads}`;
    const said = { threadId, personId: `member ${turn % 5}`, text: `${secret} ${turn}` };
    await askedTurn(store, `turn ${turn}`, said);
  }
  for (let turn = 0; turn < 20; turn += 1) {
    const said = { threadId: `${stays}:c:t`, personId: 'ben', text: `Anything ${turn}` };
    await askedTurn(store, `other turn ${turn}`, said);
  }
  const by = { setBy: 'ben', setAt: Date.now() };
  for (const workspace of [left, stays]) {
    await store.settings.write(`workspace:${workspace}`, { depth: 'deep' }, by);
  }
  await new ForgetNotes(store.settings, Date.now).addDeparture(left, Date.now() - 1);
}

/** What is left, after it was seen that every turn of it is whole. */
async function look({ open }: Place) {
  const store = await open();
  try {
    const messagesOf = async (workspace: string) => {
      const { threadIds } = await store.messages.threads(workspace, { limit: 500 });
      const pages = threadIds.map((id) => store.messages.page(id, { limit: 500 }));
      return (await Promise.all(pages)).flat();
    };
    const ofLeft = await messagesOf(left);
    const byTurn = Map.groupBy(ofLeft, ({ turnId }) => turnId);
    // A question and two answers.
    for (const messages of byTurn.values()) expect(messages).toHaveLength(3);
    return {
      turns: byTurn.size,
      otherMessages: (await messagesOf(stays)).length,
      settings: await store.settings.read([`workspace:${left}`, `workspace:${stays}`]),
      notes: await new ForgetNotes(store.settings, Date.now).read(),
    };
  } finally {
    await store.close();
  }
}

test.each(Object.keys(places))(
  'a workspace of hundreds of turns in %s is forgotten to the last, however many processes are killed over it',
  async (name) => {
    const models = await startRehearsedModels();
    const folder = temporaryProject(models.settings);
    const place = await (places[name] ?? expect.unreachable())(folder);
    const store = await place.open();
    await fill(store);
    await store.close();
    expect(await look(place)).toMatchObject({ turns: threads * turnsOfThread });

    for (const { death, threadsLeft } of deaths) {
      const child = spawn(process.execPath, [program, place.name, JSON.stringify(death)], {
        stdio: 'inherit',
      });
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
      const { turns, notes, otherMessages } = await look(place);
      expect(turns).toBe(threadsLeft * turnsOfThread);
      expect(notes).toMatchObject([{ subject: {} }]);
      expect(otherMessages).toBe(60);
    }

    // It is in no Discord, and could not ask again whether the bot is back: what was begun is ended.
    const { environment } = place;
    const ended = await runCouncil({ folder, environment, input: 'Should we rewrite it?\n' });
    expect(ended.code).toBe(0);
    const { settings, ...all } = await look(place);
    expect(all).toEqual({ turns: 0, otherMessages: 60, notes: [] });
    expect(settings).toEqual([{}, { depth: expect.objectContaining({ value: 'deep' }) }]);
    const bytes = await place.bytes();
    expect(bytes.includes(secret)).toBe(false);
    expect(bytes.includes('Anything')).toBe(true);
  },
);
