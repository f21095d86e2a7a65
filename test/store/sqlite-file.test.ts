import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openConnection } from '../../src/store/sqlite/connection.ts';
import { openSqliteStore, sqliteStore } from '../../src/store/sqlite.ts';
import { forgottenKnownMs, type StoreError } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import {
  answer,
  endedTurn,
  newTurn,
  otherThreadId,
  runningTurn,
  threadId,
  turnKey,
  usage,
} from '../contracts/store/samples.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'council-store-'));
  path = join(folder, 'council.db');
});

afterEach(() => rmSync(folder, { recursive: true }));

function withDatabase<Result>(work: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function refusal(reason: StoreError['reason'], message: RegExp) {
  return expect.objectContaining({
    name: 'StoreError',
    reason,
    message: expect.stringMatching(message),
  });
}

test('makes the folder of its file', async () => {
  const deep = join(folder, 'data', 'of', 'council.db');
  await openSqliteStore({ path: deep }).close();
  expect(readFileSync(deep).subarray(0, 15).toString()).toBe('SQLite format 3');
});

test('says at once that a folder can’t be made', () => {
  expect(() => openSqliteStore({ path: '/proc/council/data/council.db' })).toThrow(
    refusal('read_only', /can't be written/),
  );
});

/** Permissions of every file in a folder, by name. */
function modesIn(place: string) {
  return readdirSync(place).map((name) => [
    name,
    (statSync(join(place, name)).mode & 0o777).toString(8),
  ]);
}

test('makes its file, what lies beside it and its folder for their owner alone, whatever the umask', async () => {
  const data = join(folder, 'data');
  const before = process.umask(0);
  try {
    const store = openSqliteStore({ path: join(data, 'council.db') });
    await endedTurn(store, newTurn('one'));
    expect(modesIn(folder)).toEqual([['data', '700']]);
    expect(modesIn(data)).toEqual([
      ['council.db', '600'],
      ['council.db-wal', '600'],
    ]);
    await store.scrub();
    expect(modesIn(data).map(([, mode]) => mode)).toEqual(['600', '600']);
    await store.close();
  } finally {
    process.umask(before);
  }
});

test('takes a file from before, and the log of a process that died, from everybody else', async () => {
  const store = openSqliteStore({ path });
  await endedTurn(store, newTurn('one'));
  const log = readFileSync(`${path}-wal`);
  await store.close();
  writeFileSync(`${path}-wal`, log);
  for (const file of [path, `${path}-wal`]) chmodSync(file, 0o644);
  const again = openSqliteStore({ path });
  expect(modesIn(folder).map(([, mode]) => mode)).toEqual(['600', '600']);
  await again.close();
});

test('keeps a store in memory when the path says so', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  await endedTurn(store, newTurn('one'));
  expect(await store.turns.list(threadId, { limit: 1 })).toHaveLength(1);
  await store.close();
});

test('says that it was closed when it is used after', async () => {
  const store = openSqliteStore({ path });
  await store.close();
  await store.close();
  await expect(store.claim('late', 1)).rejects.toThrow(refusal('unreachable', /was closed/));
});

test('refuses a retention of no time', () => {
  expect(() => openSqliteStore({ path, retentionDays: 0 })).toThrow(RangeError);
});

test('refuses a file that is no database and leaves it as it was', () => {
  const bytes = Buffer.from('Dear diary, '.repeat(500));
  writeFileSync(path, bytes);
  expect(() => openSqliteStore({ path })).toThrow(refusal('corrupt', /Replace it with a backup/));
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test("refuses another program's database and leaves it as it was", () => {
  withDatabase((database) => database.exec('CREATE TABLE bookmarks (url TEXT)'));
  const bytes = readFileSync(path);
  expect(() => openSqliteStore({ path })).toThrow(refusal('corrupt', /another program/));
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test('refuses a file of a newer version and leaves it as it was', async () => {
  await openSqliteStore({ path }).close();
  withDatabase((database) => database.exec('PRAGMA user_version = 9000'));
  const bytes = readFileSync(path);
  expect(() => openSqliteStore({ path })).toThrow(refusal('too_new', /format is 9000.*Update/));
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test('gives a file from before the index that it lacks', async () => {
  await openSqliteStore({ path }).close();
  const isFound = (database: DatabaseSync) =>
    database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'private_by_channel'").get() !==
    undefined;
  withDatabase((database) => database.exec('DROP INDEX private_by_channel'));
  expect(withDatabase(isFound)).toBe(false);
  await openSqliteStore({ path }).close();
  expect(withDatabase(isFound)).toBe(true);
});

test('sweeps the settings that were written to expire, and no others', async () => {
  let now = 1000;
  const store = openSqliteStore({ path, now: () => now });
  const by = { setBy: 'ada', setAt: now };
  await store.settings.write('rate:ada', { one: 1, two: 2 }, { ...by, expiresAt: 2000 });
  await store.settings.write('rate:ada', { later: 3 }, { ...by, expiresAt: 3000 });
  await store.settings.write('channel:1', { depth: 'quick' }, by);
  now = 2000;
  expect(await store.sweep(1)).toBe(1);
  expect(await store.sweep(9)).toBe(1);
  expect(await store.sweep(9)).toBe(0);
  await store.close();
  const left = withDatabase((database) => database.prepare('SELECT name FROM settings').all());
  expect(left.map(({ name }) => name).toSorted()).toEqual(['depth', 'later']);
});

test('refuses what would pass its size limit, keeps all before it and can still be read', async () => {
  const connection = openConnection({ path });
  connection.prepare('PRAGMA max_page_count = 100').get();
  const store = sqliteStore(connection);
  const stored: string[] = [];
  const fill = async () => {
    for (let count = 0; ; count += 1) {
      await endedTurn(store, newTurn(`turn-${count}`), ['taleb', 'naval']);
      stored.push(`turn-${count}`);
    }
  };
  await expect(fill()).rejects.toThrow(
    refusal('full', /Everything stored before is safe.*Free space on its disk\.$/),
  );
  expect(stored.length).toBeGreaterThan(10);
  await store.close();
  const roomier = openSqliteStore({ path });
  for (const turnId of stored) {
    expect((await roomier.turns.read(turnKey(turnId)))?.messages).toHaveLength(3);
  }
  await endedTurn(roomier, newTurn('after'));
  await roomier.close();
});

test('names a damaged record, and reads the others', async () => {
  const store = openSqliteStore({ path });
  await endedTurn(store, newTurn('one'));
  await endedTurn(store, newTurn('two', { threadId: otherThreadId }));
  await store.close();
  withDatabase((database) =>
    database.exec(`UPDATE messages SET content = '{"ans' WHERE id = 'taleb-in-one'`),
  );
  const again = openSqliteStore({ path });
  const named = refusal('corrupt', /^Message taleb-in-one of thread terminal:home:main:thread is/);
  await expect(again.turns.read(turnKey('one'))).rejects.toThrow(named);
  await expect(again.messages.recent(threadId, { limit: 3 })).rejects.toThrow(named);
  expect(await again.messages.recent(otherThreadId, { limit: 3 })).toHaveLength(1);
  await endedTurn(again, newTurn('three'));
  await again.close();
});

test('says of damaged pages that the file is damaged, and reads what is on the others', async () => {
  const store = openSqliteStore({ path });
  for (let count = 0; count < 200; count += 1) await endedTurn(store, newTurn(`turn-${count}`));
  await store.close();
  const bytes = readFileSync(path);
  const pageBytes = 4096;
  for (let page = 21; (page + 1) * pageBytes < bytes.length; page += 9) {
    bytes.fill(0xff, page * pageBytes, (page + 1) * pageBytes);
  }
  writeFileSync(path, bytes);
  const again = openSqliteStore({ path });
  const reads = Array.from({ length: 200 }, (_, count) =>
    again.turns.read(turnKey(`turn-${count}`)),
  );
  const outcomes = await Promise.allSettled(reads);
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(200);
  for (const reason of refused) expect(reason).toEqual(refusal('corrupt', /is damaged/));
  await again.close();
});

test('forgets which events were forgotten when a day has passed', async () => {
  let now = startOfTime;
  const store = openSqliteStore({ path, now: () => now });
  await endedTurn(store, newTurn('one'));
  await store.forget({ threadId, turnIds: ['one'], messageIds: [] });
  now += forgottenKnownMs;
  expect(await store.sweep(9)).toBe(1);
  expect(await store.turns.begin(newTurn('one'))).toMatchObject({ turnId: 'one', isNew: true });
  await store.close();
});

test('leaves no byte of what was swept in the file or its log, nor any row', async () => {
  let now = 0;
  const store = openSqliteStore({ path, retentionDays: 1, now: () => now });
  const secret = 'a secret nobody should find';
  const turn = newTurn('one', { createdAt: 0, request: { question: secret } });
  const { attempt } = await runningTurn(store, turn);
  await store.turns.checkpoint({
    turnId: 'one',
    threadId,
    attempt,
    messages: [answer('one', 'taleb', { content: { answer: secret } })],
    steps: [{ kind: 'verdict', key: '', data: { verdict: secret } }],
    usage: [usage('one', 'call-1')],
  });
  const isFound = () => [path, `${path}-wal`].some((file) => readFileSync(file).includes(secret));
  expect(isFound()).toBe(true);
  now = 2 * 86_400_000;
  expect(await store.sweep(10)).toBe(1);
  expect(isFound()).toBe(false);
  await store.close();
  withDatabase((database) => {
    for (const table of ['turns', 'messages', 'steps', 'usage']) {
      expect(database.prepare(`SELECT 1 FROM ${table}`).all(), table).toEqual([]);
    }
  });
});
