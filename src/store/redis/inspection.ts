/** Looks at how a server is set up, before anything is entrusted to it. */

import { isClusterAddress } from './address.ts';
import type { Connection } from './connection.ts';
import { refusal } from './errors.ts';

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
  // Without a bound nothing is evicted yet, but the day that somebody sets one it is.
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
