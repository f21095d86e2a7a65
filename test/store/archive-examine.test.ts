import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { prefix, threadsKey } from '../../src/queue/bullmq/keys.ts';
import type { Archive, Orphan } from '../../src/store/archive.ts';
import { openSqliteArchive } from '../../src/store/sqlite-archive.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { everythingIn, fill } from '../contracts/store/full-store.ts';
import { answer, newTurn, runningTurn, threadId, turnKey } from '../contracts/store/samples.ts';
import { type RedisConnection, type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { redisArchivePlace, sqliteArchivePlace } from './archive-places.ts';

let server: RedisServer;
let admin: RedisConnection;

beforeAll(async () => {
  server = await startRedisServer();
  admin = await server.connect();
});
afterAll(async () => {
  admin?.close();
  await server?.remove();
});

async function examine(archive: Archive, mends = false): Promise<readonly Orphan[]> {
  const orphans: Orphan[] = [];
  for (let cursor: string | undefined; ; ) {
    const portion = await archive.examine(cursor, { mends });
    orphans.push(...portion.orphans);
    cursor = portion.next;
    if (cursor === undefined) return orphans;
  }
}

const ofWorkspace = (name: string) => `council:{terminal:home}:${name}`;
const ofThread = (name: string) => ofWorkspace(`{main:thread}:${name}`);
const group = ofWorkspace('turn:one');

/** What is done to the server, and what is found of it. */
const damages: readonly {
  readonly name: string;
  readonly commands: readonly (readonly string[])[];
  readonly problems: readonly string[];
  /** Mending brings back what there was; else what was left is as if it had never been. */
  readonly isRestored: boolean;
}[] = [
  {
    name: 'indexes that have lost a turn',
    commands: [
      ['DEL', ofThread('turns'), ofWorkspace('event:terminal:home:event-of-one')],
      ['ZREM', ofWorkspace('unfinished'), 'two'],
      ['ZADD', ofWorkspace('unfinished'), '1', 'one'],
      ['DEL', ofWorkspace('threads'), ofWorkspace('spending'), 'council:{workspaces}:list'],
    ],
    problems: [
      'a turn in no list',
      'a turn that its event does not find',
      'a turn that has not ended, and nobody would take up',
      'a turn that has ended, but is listed as unfinished',
      'a thread in no list',
      'spending in no list',
      'a workspace in no list',
    ],
    isRestored: true,
  },
  {
    name: 'indexes that have lost messages',
    commands: [
      ['DEL', ...['messages', 'questions', 'imported', 'ids', 'shard-ages'].map(ofThread)],
    ],
    problems: [
      'a message whose id is nobody’s',
      'a message in no list',
      'a question in no list',
      'an imported message in no list',
      'a shard in no list',
    ],
    isRestored: true,
  },
  {
    name: 'indexes by which what is meant is found to be forgotten',
    commands: [['DEL', ofWorkspace('thread-names'), ofThread('sharded-before')]],
    problems: [
      'a thread that its workspace does not list',
      'a superseded shard that its messages do not know',
    ],
    isRestored: true,
  },
  {
    name: 'a turn that was thrown away',
    commands: [['DEL', group, ofThread('message:q'), ofWorkspace('turn:two')]],
    problems: [
      'a turn that is gone',
      'it leads to a turn that is gone',
      'a message that is gone',
      'the id of a message that is gone',
      'it is remembered, but gone',
    ],
    isRestored: false,
  },
  {
    name: 'what belonged to something that is gone',
    commands: [
      ['HDEL', ofThread('shards'), 'short'],
      ['HSET', ofThread('vectors'), 'm:gone', 'p:m AQ==', 's:gone', 'p:m AQ=='],
      ['HSET', ofThread('sharded'), 'gone', 'short'],
      ['ZADD', ofWorkspace('threads'), '1', ofWorkspace('{nothing}:')],
      ['ZADD', ofWorkspace('thread-names'), '0', ofWorkspace('{main:no}:')],
      ['ZADD', ofWorkspace('spending'), '1', 'nobody'],
      ['HSET', 'council:{claims}:calls', 'eternal', 'call'],
    ],
    problems: [
      'a shard that is gone',
      'a vector of what is gone',
      'a message of a shard, and gone',
      'a thread of which nothing is left',
      'spending that is gone',
      'a claim that would never expire',
      'it is remembered, but gone',
    ],
    isRestored: false,
  },
];

test('finds nothing wrong with a store in which something of everything is', async () => {
  await using place = await redisArchivePlace(server, 0);
  await fill(place.archive.store);
  expect(await examine(place.archive)).toEqual([]);
});

for (const { name, commands, problems, isRestored } of damages) {
  test(`finds ${name}, changes nothing until it is to, and mends it`, async () => {
    await using place = await redisArchivePlace(server, 0);
    const { archive } = place;
    await fill(archive.store);
    const before = await everythingIn(archive.store);
    for (const words of commands) await admin.command(...words);
    const found = await examine(archive);
    const said = new Set(found.map(({ problem }) => problem));
    // Until the lists are mended, more may look as if it was gone.
    expect([...said]).toEqual(expect.arrayContaining([...problems]));
    if (!isRestored) expect([...said].toSorted()).toEqual(problems.toSorted());
    expect((await examine(archive)).length).toBe(found.length);
    await examine(archive, true);
    expect(await examine(archive)).toEqual([]);
    if (isRestored) expect(await everythingIn(archive.store)).toEqual(before);
    else expect(JSON.stringify(await everythingIn(archive.store))).not.toContain('undefined');
  });
}

test('goes through long lists in portions, whatever it takes out of them', async () => {
  await using place = await redisArchivePlace(server, 0);
  for (let at = 0; at < 450; at += 1) {
    await admin.command('ZADD', ofWorkspace('unfinished'), String(at), `gone-${at}`);
  }
  const found = await examine(place.archive, true);
  expect(found.filter(({ problem }) => problem === 'a turn that is gone')).toHaveLength(450);
  expect(z.number().parse(await admin.command('EXISTS', ofWorkspace('unfinished')))).toBe(0);
});

test('leaves alone what processes share their work by, which is no workspace', async () => {
  await using place = await redisArchivePlace(server, 0);
  await fill(place.archive.store);
  await admin.command('ZADD', threadsKey, '1', threadId);
  expect(await examine(place.archive, true)).toEqual([]);
  expect(await admin.command('ZRANGE', threadsKey, '0', '-1')).toEqual([threadId]);
  expect(await admin.command('ZRANGE', 'council:{workspaces}:list', '0', '-1')).not.toContain(
    `${prefix}:`,
  );
});

/** A turn that has ended while one of its answers was pending. */
async function leavePending({ store }: Archive): Promise<void> {
  const { attempt } = await runningTurn(store, newTurn('one'));
  const step = { turnId: 'one', threadId, attempt };
  const pending = ['taleb', 'naval'].map((sage) => answer('one', sage, { status: 'pending' }));
  await store.turns.checkpoint({
    ...step,
    messages: pending,
    steps: [{ kind: 'seated', key: '', data: {} }],
  });
  const end = { outcome: 'stopped', endedAt: startOfTime };
  await store.turns.checkpoint({ ...step, messages: [answer('one', 'taleb')], end });
}

async function expectMended(archive: Archive): Promise<void> {
  const problem = 'an answer that is still pending, of a turn that has ended';
  expect(await examine(archive, true)).toEqual([
    { problem, record: expect.stringContaining('naval-in-one') },
  ]);
  expect(await examine(archive)).toEqual([]);
  await archive.store.turns.remark(turnKey('one'), { kind: 'feedback', key: 'ada', data: {} });
  const record = await archive.store.turns.read(turnKey('one'));
  expect(record?.messages.map(({ id }) => id)).toEqual(['question-of-one', 'taleb-in-one']);
  expect(record?.steps.map(({ kind }) => kind)).toEqual(['seated', 'feedback']);
}

test('takes out an answer that is pending for ever, on a server', async () => {
  await using place = await redisArchivePlace(server, 0);
  await leavePending(place.archive);
  await expectMended(place.archive);
});

test('takes out an answer that is pending for ever, in a file', async () => {
  await using place = await sqliteArchivePlace();
  await leavePending(place.archive);
  await expectMended(place.archive);
});

test('takes out messages of a turn that is gone, in a file', async () => {
  await using place = await sqliteArchivePlace();
  const { archive, path } = place;
  await fill(archive.store);
  expect(await examine(archive)).toEqual([]);
  await archive.store.close();
  const file = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  file.exec("DELETE FROM turns WHERE turn_id = 'two'");
  file.close();
  const again = openSqliteArchive({ path, now: () => startOfTime });
  expect((await examine(again, true)).map(({ record }) => record)).toContain(
    'message adopted of turn two',
  );
  expect(await examine(again)).toEqual([]);
  await again.store.close();
});
