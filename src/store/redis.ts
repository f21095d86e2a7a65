/** The store in Redis. */

import { readAddress } from './redis/address.ts';
import { clockOf } from './redis/commands.ts';
import { type ConnectionOptions, connect } from './redis/connection.ts';
import { refusal } from './redis/errors.ts';
import { storeOver } from './redis/store-over.ts';
import type { RetentionOptions, Store } from './store.ts';

/**
 * Opens the store on a server. The server needs no set-up.
 *
 * Every write is one atomic script in one round trip, and calls made in one tick of the event loop are
 * pipelined. Acknowledged writes are as durable as the server's persistence: see `docs/redis.md`.
 *
 * @throws {@link StoreError} `refused` for a wrong user, password or address, `unreachable` if no server
 *   answers. Methods throw these too, and `full` and `read_only`; nothing is stored then.
 */
export async function openRedisStore(
  options: ConnectionOptions & RetentionOptions,
): Promise<Store> {
  const clock = clockOf(options);
  return storeOver(await connect(options), clock);
}

/** A report on the servers for the operator. */
interface Inspection {
  /** e.g. `7.2.4`, or `7.2.4 and 7.4.0` for several servers; empty if unknown. */
  readonly version: string;
  readonly usedMegabytes: number;
  /** Each a sentence with its fix; empty if all is well. */
  readonly dangers: readonly string[];
}

/**
 * Inspects the servers' configuration over a separate connection. Throws like {@link openRedisStore}, e.g.
 * `refused` if the user may not use INFO, or if the address of a cluster node doesn't say `+cluster`.
 */
export async function inspectRedis(options: ConnectionOptions): Promise<Inspection> {
  const connection = await connect(options);
  const infos = await connection.infos().finally(() => connection.close());
  const servers = infos.map(readFacts);
  const modes = servers.map((facts) => facts.redis_mode);
  if (modes.includes('sentinel')) throw refusal(connection.server, 'SENTINEL');
  // As a single server, it would refuse every key of another node's slots.
  if (modes.includes('cluster') && readAddress(connection.server).kind !== 'cluster') {
    throw refusal(connection.server, 'MOVED');
  }
  const used = servers.map((facts) => Math.round(Number(facts.used_memory ?? 0) / 1e6));
  return {
    version: [...new Set(servers.map((facts) => facts.redis_version ?? ''))].join(' and '),
    usedMegabytes: used.reduce((sum, one) => sum + one, 0),
    dangers: [...new Set(servers.flatMap(dangersOf))],
  };
}

type Facts = Readonly<Record<string, string>>;

function readFacts(info: string): Facts {
  return Object.fromEntries(
    info.split(/\r?\n/).flatMap((line) => {
      const colon = line.indexOf(':');
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)] as const] : [];
    }),
  );
}

const oldestMajor = 7;

function dangersOf(facts: Facts): readonly string[] {
  const { redis_version = '', maxmemory_policy: policy = 'noeviction' } = facts;
  const [most, used] = [Number(facts.maxmemory ?? 0), Number(facts.used_memory ?? 0)];
  const saved = [facts.aof_last_write_status, facts.rdb_last_bgsave_status];
  return [
    Number.parseInt(redis_version, 10) < oldestMajor &&
      `It is Redis ${redis_version}; Council is tested with ${oldestMajor} and newer. Update it.`,
    // Reported even without maxmemory: eviction would start as soon as that is set.
    policy !== 'noeviction' &&
      `Its maxmemory-policy is ${policy}: when memory is short, it deletes conversations. Set maxmemory-policy noeviction.`,
    most > 0 &&
      used > 0.9 * most &&
      `${Math.round((100 * used) / most)} % of its maxmemory is used. Raise maxmemory, or keep less.`,
    facts.aof_enabled === '0' &&
      'Its append-only file is off: if it crashes, everything since the last snapshot is lost. Set appendonly yes.',
    saved.includes('err') && 'Its last save to disk failed. Check its log.',
    facts.role === 'slave' &&
      'It is a replica and may only be read. Give the address of the primary.',
  ].filter((sentence) => sentence !== false);
}
