import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { storeTrouble } from '../../src/bot/store-trouble-words.ts';
import { type Log, silentLog } from '../../src/domain/log.ts';
import { openConnection } from '../../src/store/sqlite/connection.ts';
import { openSqliteStore, sqliteStore } from '../../src/store/sqlite.ts';
import { type Store, StoreError } from '../../src/store/store.ts';
import { endedTurn, newTurn } from '../contracts/store/samples.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { person, place, question, startBot } from './bot-fixture.ts';

/** A store on a file that takes nothing more, as on a disk that is full. */
async function fullStore(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'council-store-'));
  const connection = openConnection({ path: join(folder, 'council.db') });
  connection.prepare('PRAGMA max_page_count = 75').get();
  const store = sqliteStore(connection);
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const fill = async () => {
    for (let at = 0; ; at += 1) await endedTurn(store, newTurn(`turn-${at}`), ['taleb']);
  };
  await expect(fill()).rejects.toThrow(StoreError);
  return store;
}

async function refusalIn(threadId: string): Promise<string> {
  const { bot } = await startBot(scriptedModels({}), {}, await fullStore());
  const large = 'Is it full? '.repeat(15);
  let asked = await bot.ask({ ...question, threadId, question: large });
  // The last page has room for a few.
  for (let at = 0; asked.status === 'accepted' && at < 60; at += 1) {
    asked = await bot.ask({
      ...question,
      threadId: `${threadId}${at}`,
      eventId: `e${at}`,
      question: large,
      author: { id: `u${at}`, name: 'Uma' },
    });
  }
  return asked.status === 'refused' && asked.isAway ? asked.reason : 'It was taken.';
}

describe('a store that is full', () => {
  test('is told to people with what they can do, and not as something that passes', async () => {
    expect(await refusalIn('test:w:c:t')).toBe(
      'The council can’t take questions at the moment, because its memory is full. Tell the people who run the bot: they have to make room.',
    );
  });

  test('is told to the person at the terminal with the file, the cause and how it is mended', async () => {
    expect(await refusalIn('terminal:local:chat:main')).toMatch(
      /^The council can’t take questions at the moment: There is no space left for \S+council\.db\. .*Free space on its disk/,
    );
  });
});

test('a store that refuses writes may take them again, or needs someone', () => {
  const error = new StoreError('It is a replica.', { reason: 'read_only' });
  const told = storeTrouble(error, { what: 'No', its: 'store', threadId: 'test:w:c:t' });
  expect(told).toBe(
    'No, because its store refuses writes. Ask again in a few minutes. If that does not help, tell the people who run the bot.',
  );
});

test('a question that a stalled server stores after all was not said to be lost', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const stalled: Store = {
    ...store,
    turns: {
      ...store.turns,
      begin: async (turn) => {
        await store.turns.begin(turn);
        throw new StoreError('It did not answer within 10 s.', { reason: 'unreachable' });
      },
    },
  };
  const { bot } = await startBot(scriptedModels({}), {}, stalled);
  expect(await bot.ask(question)).toMatchObject({
    status: 'refused',
    isAway: true,
    reason:
      'The council can’t take questions at the moment, because its memory can’t be reached. If nothing has happened in a few minutes, ask again.',
  });
  expect(await store.turns.unfinished(9)).toHaveLength(1);
});

test.each(['its own thread', 'another thread of its channel'])(
  'a question is answered though a record of %s is damaged, and log and receipt say that',
  async (where) => {
    const connection = openConnection({ path: ':memory:' });
    const damage = connection.prepare("UPDATE messages SET content = '{' WHERE turn_id = 'one'");
    const store = sqliteStore(connection);
    onTestFinished(() => store.close());
    const threadId = 'test:w:c:1';
    await endedTurn(store, newTurn('one', { threadId, eventId: 'test:w:one' }));
    damage.run();
    const told: unknown[] = [];
    const error: Log['error'] = (facts) => void told.push(facts.error);
    const log: Log = { ...silentLog, error, child: () => log };
    const models = scriptedModels({ sages: { ben: [answer('No.')] } });
    const { bot, platform, idle } = await startBot(models, { log }, store);
    const asked = { ...question, sages: ['ben'] };
    const asking = { ...asked, threadId: where === 'its own thread' ? threadId : 'test:w:c:2' };
    const taken = await bot.ask(asking);
    await idle();
    expect(platform.shown[0]?.events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
    expect(told.map(String)).toEqual([expect.stringMatching(/of thread test:w:c:1 is damaged/)]);
    const options = { turn: taken.status === 'accepted' ? taken.turnId : '' };
    const there = { ...place, threadId: asking.threadId };
    const receipt = await bot.command({ place: there, person, command: 'receipt', options });
    expect(JSON.stringify(receipt.blocks)).toContain(
      'nothing, because a record of what was said before is damaged.',
    );
  },
);

test('a command that meets a damaged record tells it, and in the terminal what to do', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  const failing: Store = {
    ...store,
    settings: {
      ...store.settings,
      read: async () => {
        throw new StoreError('A record is damaged. Put back a backup.', { reason: 'corrupt' });
      },
    },
  };
  const { bot } = await startBot(scriptedModels({}), {}, failing);
  const textIn = async (where: typeof place) => {
    const reply = await bot.command({ place: where, person, command: 'sages', options: {} });
    return JSON.stringify(reply.blocks);
  };
  expect(await textIn(place)).toContain('because its memory is damaged. Tell the people who run');
  const terminal = { ...place, platform: 'terminal', threadId: 'terminal:local:chat:main' };
  expect(await textIn(terminal)).toContain('A record is damaged. Put back a backup.');
  await store.close();
});
