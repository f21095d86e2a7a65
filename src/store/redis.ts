/** The store in Redis: a server that others can look after. */

import { isClusterAddress } from './redis/address.ts';
import { clockOf, type Keeping } from './redis/commands.ts';
import { type Connection, type ConnectionOptions, connect } from './redis/connection.ts';
import { refusal } from './redis/errors.ts';
import { storeOver } from './redis/store-over.ts';
import type { Store } from './store.ts';

/** Where the server is, and how long it keeps what it is given. */
export interface RedisStoreOptions extends ConnectionOptions, Keeping {}

/**
 * Opens the store on a server; what it needs there makes itself at the first use.
 *
 * A verb that writes is one script: done whole or not at all, in one round trip. Verbs that are asked
 * for in one tick of the event loop travel together. What a verb has acknowledged is as safe as the
 * server keeps it: see `docs/redis.md`.
 *
 * @throws {@link StoreError} `refused` for a wrong user, password or address, `unreachable` when no
 *   server answers. Verbs throw these too, and `full` and `read_only`; nothing is stored then.
 */
export async function openRedisStore(options: RedisStoreOptions): Promise<Store> {
  const clock = clockOf(options);
  return storeOver(await connect(options), clock);
}

/** Looks at how the server is set up, on a connection of its own. Throws as {@link openRedisStore} does. */
export async function inspectRedis(options: ConnectionOptions): Promise<Inspection> {
  const connection = await connect(options);
  try {
    return await inspect(connection);
  } finally {
    await connection.close();
  }
}

/** What an operator should know of a server. */
export interface Inspection {
  /** e.g. `7.2.4`, or `7.2.4 and 7.4.0` of several servers; empty where the server does not say. */
  readonly version: string;
  readonly usedMegabytes: number;
  /** Each with what to do; none when all is well. */
  readonly dangers: readonly string[];
}

const oldestMajor = 7;

/**
 * Looks at every server. Throws {@link StoreError} as every command does, e.g. `refused` where the user
 * may not use INFO, and for a cluster that is not named as one.
 */
export async function inspect(connection: Connection): Promise<Inspection> {
  const infos = (await connection.infos()).map(readFacts);
  // It would refuse most verbs, and take those whose keys it happens to hold.
  const isCluster = infos.some((facts) => facts.get('redis_mode') === 'cluster');
  if (isCluster && !isClusterAddress(connection.server)) {
    throw refusal(connection.server, 'MOVED');
  }
  const found = infos.map(inspectServer);
  return {
    version: [...new Set(found.map(({ version }) => version))].join(' and '),
    usedMegabytes: found.reduce((sum, { usedMegabytes }) => sum + usedMegabytes, 0),
    dangers: [...new Set(found.flatMap(({ dangers }) => dangers))],
  };
}

function inspectServer(facts: ReadonlyMap<string, string>): Inspection {
  const version = facts.get('redis_version') ?? '';
  return {
    version,
    usedMegabytes: Math.round(Number(facts.get('used_memory') ?? 0) / 1e6),
    dangers: [
      ...versionDanger(version),
      ...memoryDangers(facts),
      ...persistenceDangers(facts),
      ...roleDanger(facts),
    ],
  };
}

function readFacts(info: string): ReadonlyMap<string, string> {
  return new Map(
    info.split(/\r?\n/).flatMap((line) => {
      const colon = line.indexOf(':');
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)] as const] : [];
    }),
  );
}

function versionDanger(version: string): readonly string[] {
  const major = Number.parseInt(version, 10);
  if (Number.isNaN(major) || major >= oldestMajor) return [];
  return [`It is Redis ${version}; Council is tried with ${oldestMajor} and newer. Update it.`];
}

function memoryDangers(facts: ReadonlyMap<string, string>): readonly string[] {
  const policy = facts.get('maxmemory_policy');
  const dangers: string[] = [];
  // Without a bound nothing is evicted yet, but it is as soon as one is set.
  if (policy !== undefined && policy !== 'noeviction') {
    dangers.push(
      `Its maxmemory-policy is ${policy}: when memory is short, it throws away what was said. Set maxmemory-policy noeviction.`,
    );
  }
  const most = Number(facts.get('maxmemory') ?? 0);
  const used = Number(facts.get('used_memory') ?? 0);
  if (most > 0 && used > 0.9 * most) {
    const share = Math.round((100 * used) / most);
    dangers.push(`${share} % of its maxmemory is used. Raise maxmemory or let less be kept.`);
  }
  return dangers;
}

function persistenceDangers(facts: ReadonlyMap<string, string>): readonly string[] {
  const dangers: string[] = [];
  if (facts.get('aof_enabled') === '0') {
    dangers.push(
      'Its append-only file is off: what was said since the last snapshot is lost when it dies. Set appendonly yes.',
    );
  }
  if (
    facts.get('aof_last_write_status') === 'err' ||
    facts.get('rdb_last_bgsave_status') === 'err'
  ) {
    dangers.push('It could not save to its disk the last time. Look into its log.');
  }
  return dangers;
}

function roleDanger(facts: ReadonlyMap<string, string>): readonly string[] {
  return facts.get('role') === 'slave'
    ? ['It is a replica and may only be read. Give the address of the primary.']
    : [];
}
