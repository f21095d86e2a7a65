/**
 * What the scripts take of a server's CPU as history grows, judged by a raw command on the same data: the
 * more data there is, the less of it is in the machine's caches, and that is no fault of a script.
 */

import { z } from 'zod';
import { slotOfThread } from '../src/store/redis/keys.ts';
import type { RedisConnection, RedisServer } from '../test/fakes/redis-server.ts';
import { emptyDurations, turnOfRound, verbs, type Worked } from './store.ts';
import { messagesPerTurn, threadName } from './store-history.ts';
import { printTable, quantile } from './table.ts';

/** A figure of the server's INFO. */
export async function figure(
  server: Pick<RedisServer, 'command'>,
  section: string,
  name: string,
): Promise<number> {
  const info = z.string().parse(await server.command('INFO', section));
  return z.coerce.number().parse(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
}

const raw = 'raw HGETALL of a turn';
const kinds = [raw, ...verbs] as const;
type Kind = (typeof kinds)[number];

const blocks = 12;
const callsPerBlock = 250;
/** Not a divisor of any number of turns: the blocks come by turns of every age. */
const stride = 7919;
/** How much more than the raw command's a script's ratio may be. */
const mostOverRaw = 1.1;

interface Measured extends Worked {
  readonly server: RedisServer;
  readonly connection: RedisConnection;
  /** Microseconds of the server's CPU a call, by block. */
  readonly cpu: Readonly<Record<Kind, number[]>>;
}

/** Works on both servers by turns, in blocks of one verb each, and prints what a call takes of their CPU. */
export async function compareCpu(
  stores: readonly Worked[],
  servers: readonly RedisServer[],
): Promise<void> {
  const subjects: Measured[] = [];
  try {
    for (const [at, worked] of stores.entries()) {
      const server = servers[at];
      if (!server) continue;
      const cpu = { [raw]: [], ...emptyDurations() };
      subjects.push({ ...worked, server, connection: await server.connect(), cpu });
    }
    // The first block warms up.
    for (let block = 0; block <= blocks; block += 1) {
      const order = block % 2 === 0 ? subjects : subjects.toReversed();
      for (const subject of order) await workBlock(subject, block);
    }
    print(subjects);
  } finally {
    for (const { connection } of subjects) connection.close();
  }
}

async function workBlock(subject: Measured, block: number): Promise<void> {
  const { messageCount, store, connection, cpu } = subject;
  const rounds = Array.from({ length: callsPerBlock }, (_, at) => block * callsPerBlock + at);
  const works = rounds.map((round) => turnOfRound(subject, `cpu-${round}`, round));
  for (const { turn } of works) await store.turns.begin(turn);
  const slot = slotOfThread(threadName(0));
  const turns = messageCount / messagesPerTurn;
  const calls: Record<Kind, (at: number) => Promise<unknown> | undefined> = {
    [raw]: (at) => {
      const key = `${slot}turn:history-${((rounds[at] ?? 0) * stride) % turns}`;
      return connection.command('HGETALL', key);
    },
    'take a turn': (at) => works[at]?.['take a turn'](),
    'read a context': (at) => works[at]?.['read a context'](),
    'finish a checkpoint': (at) => works[at]?.['finish a checkpoint'](),
    'end a turn': (at) => works[at]?.['end a turn'](),
  };
  for (const kind of kinds) {
    const before = await usedCpu(connection);
    for (const at of rounds.keys()) await calls[kind](at);
    const used = (await usedCpu(connection)) - before;
    if (block > 0) cpu[kind].push((used / callsPerBlock) * 1e6);
  }
}

/** Seconds of CPU of the thread that runs commands; what writes the append-only file anew is another. */
async function usedCpu(connection: RedisConnection): Promise<number> {
  const parts = ['used_cpu_user_main_thread', 'used_cpu_sys_main_thread'];
  const used = await Promise.all(parts.map((name) => figure(connection, 'cpu', name)));
  return used.reduce((sum, one) => sum + one, 0);
}

function print(subjects: readonly Measured[]): void {
  const rows = kinds.map((kind) => {
    const [small = Number.NaN, large = Number.NaN] = subjects.map(({ cpu }) =>
      quantile(cpu[kind], 0.5),
    );
    return { kind, small, large, ratio: large / small };
  });
  const rawRatio = rows[0]?.ratio ?? Number.NaN;
  printTable(
    `CPU of the Redis server a call, in microseconds, median of ${blocks} blocks of ${callsPerBlock}; a script may grow ${mostOverRaw} times as much as the raw command`,
    ['', '10k', '1M', 'ratio', 'over raw', ''],
    rows.map(({ kind, small, large, ratio }) => [
      ...[kind, small.toFixed(1), large.toFixed(1), ratio.toFixed(2)],
      ...(kind === raw
        ? ['', '']
        : [(ratio / rawRatio).toFixed(2), ratio / rawRatio <= mostOverRaw ? 'holds' : 'too much']),
    ]),
  );
}
