/** Addresses of single servers, sentinels and clusters. */

import { StoreError } from '../store.ts';

/** Credentials. */
interface User {
  readonly username?: string;
  readonly password?: string;
}

export interface Host {
  /** A name or an IP address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** A parsed address. */
export interface ServerAddress {
  readonly kind: 'server' | 'sentinel' | 'cluster';
  /** The server, the sentinels, or some nodes of the cluster. */
  readonly hosts: readonly [Host, ...Host[]];
  /** The name by which the sentinels know the primary; otherwise empty. */
  readonly name: string;
  readonly database: number;
  /** For servers and sentinels alike. */
  readonly isEncrypted: boolean;
  readonly user: User;
  readonly sentinelUser: User;
}

const addressPattern =
  /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^/?]*)@)?([^@/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * Reads `redis://user:password@host:6379/0`,
 * `redis+sentinel://user:password@host:26379,host:26379/name/0?sentinelPassword=…` or
 * `redis+cluster://user:password@host:6379,host:6379`, with `rediss` for TLS.
 *
 * Throws {@link StoreError} `refused` for an invalid address, without repeating it.
 */
export function readAddress(url: string): ServerAddress {
  const [, encrypted, suffix, user = '', servers = '', path = '', query] =
    addressPattern.exec(url) ?? [];
  const kind = suffix === 'sentinel' || suffix === 'cluster' ? suffix : 'server';
  const [first = '', ...others] = servers.split(',');
  const hostIn = (text: string) => readHost(text, kind === 'sentinel' ? 26379 : 6379);
  const names = path.split('/').filter((part) => part !== '');
  const name = kind === 'sentinel' ? names.shift() : '';
  const [database = '0', ...more] = names;
  const hasManyHosts = kind === 'server' && others.length > 0;
  const isWrong = more.length > 0 || !/^\d+$/.test(database) || hasManyHosts;
  // A cluster has one database.
  if (name === undefined || isWrong || (kind === 'cluster' && database !== '0')) {
    throw invalidAddress();
  }
  const [username, password] = user.split(':', 2).map(decoded);
  const options = new URLSearchParams(query);
  return {
    kind,
    name: decoded(name),
    database: Number(database),
    hosts: [hostIn(first), ...others.map(hostIn)],
    isEncrypted: encrypted === 's',
    user: userOf(username, password),
    sentinelUser: userOf(options.get('sentinelUsername'), options.get('sentinelPassword')),
  };
}

/** An address without user and password, e.g. `redis://127.0.0.1:6379/1`. Throws like {@link readAddress}. */
export function redactedAddress(url: string): string {
  const { kind, hosts, name, database, isEncrypted } = readAddress(url);
  const scheme = `redis${isEncrypted ? 's' : ''}${kind === 'server' ? '' : `+${kind}`}`;
  const shown = hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
  const parts = [shown.join(','), ...(name ? [name] : []), ...(database > 0 ? [database] : [])];
  return `${scheme}://${parts.join('/')}`;
}

/** The passwords in an address, encoded and decoded, for redaction in logs. */
export function secretsOf(url: string): readonly string[] {
  const patterns = [/:\/\/[^/?]*?:([^/?]*)@/, /[?&]sentinelPassword=([^&]*)/];
  return patterns.flatMap((pattern) => {
    const password = pattern.exec(url)?.[1];
    return password ? [password, decoded(password)] : [];
  });
}

/** Parses `host:port`. */
function readHost(text: string, defaultPort: number): Host {
  const { hostname = '', port = '' } = URL.parse(`tcp://${text}`) ?? {};
  if (hostname === '') throw invalidAddress();
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) };
}

/** Omits empty credentials. */
function userOf(username?: string | null, password?: string | null): User {
  return { ...(username && { username }), ...(password && { password }) };
}

/** Decodes percent-encoded text; invalid encodings are returned unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function invalidAddress(): StoreError {
  return new StoreError(
    'The address of the Redis server is invalid. Write redis://user:password@host:6379/0, rediss://… for TLS, redis+sentinel://user:password@host:26379,host:26379/name for Sentinel, or redis+cluster://user:password@host:6379,host:6379 for a cluster.',
    { reason: 'refused' },
  );
}
