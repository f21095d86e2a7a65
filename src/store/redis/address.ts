/** Addresses of servers: of one, of sentinels, of a cluster. */

import { StoreError } from '../store.ts';

/** Servers of which one is the primary, and sentinels that know which. */
export interface SentinelAddress {
  readonly sentinels: readonly Host[];
  /** What the sentinels call the primary. */
  readonly name: string;
  readonly database: number;
  /** With the sentinels as with the servers. */
  readonly isEncrypted: boolean;
  /** At the servers. */
  readonly username?: string;
  readonly password?: string;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

const defaultSentinelPort = 26379;

/**
 * The address of a server, or of several, without user and password, e.g. `redis://127.0.0.1:6379/1`.
 *
 * Throws {@link StoreError} `refused` for what is no such address; the message does not repeat it.
 */
export function shownAddress(url: string): string {
  if (isSentinelAddress(url)) {
    const { sentinels, name, database, isEncrypted } = sentinelAddress(url);
    const scheme = isEncrypted ? 'rediss+sentinel' : 'redis+sentinel';
    return `${scheme}://${shownHosts(sentinels)}/${name}${database === 0 ? '' : `/${database}`}`;
  }
  if (isClusterAddress(url)) {
    const { hosts, isEncrypted } = clusterAddress(url);
    return `${isEncrypted ? 'rediss+cluster' : 'redis+cluster'}://${shownHosts(hosts)}`;
  }
  const parsed = URL.parse(url);
  if (parsed === null || !['redis:', 'rediss:'].includes(parsed.protocol) || !parsed.hostname) {
    throw noAddress();
  }
  const { protocol, host, pathname } = parsed;
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

/** Whether it names sentinels rather than a server. */
export function isSentinelAddress(url: string): boolean {
  return /^rediss?\+sentinel:/.test(url);
}

/**
 * Reads `redis+sentinel://user:password@host:26379,host:26379/name/0?sentinelPassword=…`.
 *
 * Throws as {@link shownAddress} does.
 */
export function sentinelAddress(url: string): SentinelAddress {
  const [, scheme, user, hosts = '', name, database = '0', query] =
    /^(rediss?)\+sentinel:\/\/(?:([^@/?]*)@)?([^/?]+)\/([^/?]+)(?:\/(\d+))?\/?(?:\?(.*))?$/.exec(
      url,
    ) ?? [];
  const sentinels = readHosts(hosts, defaultSentinelPort);
  if (name === undefined || sentinels === undefined) throw noAddress();
  const options = new URLSearchParams(query);
  const sentinelUsername = options.get('sentinelUsername');
  const sentinelPassword = options.get('sentinelPassword');
  return {
    sentinels,
    name: decoded(name),
    database: Number(database),
    isEncrypted: scheme === 'rediss',
    ...readUser(user),
    ...(sentinelUsername && { sentinelUsername }),
    ...(sentinelPassword && { sentinelPassword }),
  };
}

/** What of an address no log may show, as it is written there and as it is meant. */
export function secretsOf(url: string): readonly string[] {
  const passwords =
    isSentinelAddress(url) || isClusterAddress(url)
      ? [/:\/\/[^@/?]*?:([^@/?]*)@/.exec(url)?.[1], /[?&]sentinelPassword=([^&]*)/.exec(url)?.[1]]
      : [URL.parse(url)?.password];
  return passwords.flatMap((one) => (one ? [one, decoded(one)] : []));
}

/** Some servers of a cluster, which know the others. */
export interface ClusterAddress {
  readonly hosts: readonly Host[];
  readonly isEncrypted: boolean;
  readonly username?: string;
  readonly password?: string;
}

const defaultClusterPort = 6379;

/** Whether it names servers of a cluster rather than one that has all. */
export function isClusterAddress(url: string): boolean {
  return /^rediss?\+cluster:/.test(url);
}

/**
 * Reads `redis+cluster://user:password@host:6379,host:6379`; a cluster has one database.
 *
 * Throws {@link StoreError} `refused` for what is no such address; the message does not repeat it.
 */
export function clusterAddress(url: string): ClusterAddress {
  const [, scheme, user, hosts] =
    /^(rediss?)\+cluster:\/\/(?:([^@/?]*)@)?([^/?]+)(?:\/0?)?$/.exec(url) ?? [];
  const read = hosts === undefined ? undefined : readHosts(hosts, defaultClusterPort);
  if (read === undefined) throw noAddress();
  return { hosts: read, isEncrypted: scheme === 'rediss', ...readUser(user) };
}

/** A server, as an address names it. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port,host:port`; `undefined` when one of them is none. */
function readHosts(text: string, defaultPort: number): readonly Host[] | undefined {
  // Any host with any other scheme is read by the same rules as that of one server.
  const parsed = text.split(',').map((host) => URL.parse(`tcp://${host}`));
  const hosts = parsed.flatMap((one) =>
    one?.hostname ? [{ host: one.hostname, port: Number(one.port || defaultPort) }] : [],
  );
  return hosts.length === parsed.length ? hosts : undefined;
}

function shownHosts(hosts: readonly Host[]): string {
  return hosts.map(({ host, port }) => `${host}:${port}`).join(',');
}

/** Reads `user:password` before the `@`. */
function readUser(text: string | undefined): {
  readonly username?: string;
  readonly password?: string;
} {
  const [username, password] = (text ?? '').split(':', 2).map(decoded);
  return { ...(username && { username }), ...(password && { password }) };
}

/** Text that is not encoded well is taken as it is written. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Only a `%` that stands for itself fails, and then nothing was encoded.
    return text;
  }
}

function noAddress(): StoreError {
  return new StoreError(
    'The address of the Redis server is none. Write redis://user:password@host:6379/0, rediss://… for TLS, redis+sentinel://user:password@host:26379,host:26379/name for Sentinel, or redis+cluster://user:password@host:6379,host:6379 for a cluster.',
    { reason: 'refused' },
  );
}
