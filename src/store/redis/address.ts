/** Addresses of single servers, sentinels and clusters, and the check that TLS is used where the server expects it. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectEncrypted } from 'node:tls';
import { StoreError } from '../store.ts';
import { refusal, serverName, tlsProblem } from './errors.ts';

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
    ...{ kind, name: decoded(name), database: Number(database) },
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

/** When to start checking a connection that isn't ready, in milliseconds. */
const checkAfterMs = 1000;
/** How long to wait for the answer to the check, in milliseconds. */
const checkTimeoutMs = 2000;

/**
 * Waits for a connection to the servers of an address. With TLS on only one side, a connection may hang or
 * close without an error, so this checks for that.
 *
 * @throws {@link StoreError} `refused` for such a mismatch; otherwise the connection's error.
 */
export async function withProtocolCheck<Result>(
  url: string,
  connecting: Promise<Result>,
): Promise<Result> {
  const { promise: mismatched, reject } = Promise.withResolvers<never>();
  const check = async () => {
    const mismatch = await protocolMismatch(url);
    if (mismatch !== undefined) reject(mismatch);
  };
  const timer = setTimeout(() => void check(), checkAfterMs);
  try {
    return await Promise.race([connecting, mismatched]);
  } finally {
    clearTimeout(timer);
  }
}

/** Tries the servers with TLS if the address is without it, or the reverse. Sends no secret. */
async function protocolMismatch(url: string): Promise<StoreError | undefined> {
  const { hosts, isEncrypted } = readAddress(url);
  const ask = isEncrypted ? speaksPlainly : speaksTls;
  const answers = await Promise.all(hosts.map(ask));
  if (!answers.includes(true)) return undefined;
  return refusal(redactedAddress(url), isEncrypted ? 'NOTLS' : 'TLS');
}

async function speaksPlainly({ host, port }: Host): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    socket.write('PING\r\n');
    const [answer] = await firstEvent(socket, 'data');
    // PONG, or an error, e.g. because a password is required.
    return /^[+-]/.test(String(answer));
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function speaksTls({ host, port }: Host): Promise<boolean> {
  const socket = connectEncrypted({ host, port, ...serverName(host) });
  try {
    await firstEvent(socket, 'secureConnect');
    return true;
  } catch (error) {
    // A server with a certificate, even an untrusted one, speaks TLS.
    return tlsProblem(error) !== undefined;
  } finally {
    socket.destroy();
  }
}

async function firstEvent(socket: Socket, event: string): Promise<readonly unknown[]> {
  // Later errors would end the process.
  socket.on('error', () => undefined);
  return once(socket, event, { signal: AbortSignal.timeout(checkTimeoutMs) });
}
