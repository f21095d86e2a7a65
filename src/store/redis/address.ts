/** Addresses of servers: of one, of sentinels, of a cluster; and whether they speak as their address says. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectEncrypted } from 'node:tls';
import { StoreError } from '../store.ts';
import { encryptionTrouble, refusal, serverName } from './errors.ts';

/** Who Council is at a server. */
interface User {
  readonly username?: string;
  readonly password?: string;
}

/** A server, as an address names it. */
export interface Host {
  /** A name or an IP address; one of IPv6 without its brackets. */
  readonly host: string;
  readonly port: number;
}

/** What an address says. */
export interface ServerAddress {
  /** Of one server, of sentinels that know which of several is the primary, or of a cluster. */
  readonly kind: 'server' | 'sentinel' | 'cluster';
  /** The server, the sentinels, or some servers of the cluster, which know the others. */
  readonly hosts: readonly [Host, ...Host[]];
  /** What the sentinels call the primary; else empty. */
  readonly name: string;
  readonly database: number;
  /** With the sentinels as with the servers. */
  readonly isEncrypted: boolean;
  /** At the servers. */
  readonly user: User;
  readonly sentinelUser: User;
}

const written =
  /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^/?]*)@)?([^@/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * Reads `redis://user:password@host:6379/0`,
 * `redis+sentinel://user:password@host:26379,host:26379/name/0?sentinelPassword=…` or
 * `redis+cluster://user:password@host:6379,host:6379`, with `rediss` for TLS.
 *
 * Throws {@link StoreError} `refused` for what is no such address; the message does not repeat it.
 */
export function readAddress(url: string): ServerAddress {
  const [, encrypted, several, user = '', servers = '', path = '', query] = written.exec(url) ?? [];
  const kind = several === 'sentinel' || several === 'cluster' ? several : 'server';
  const [first = '', ...others] = servers.split(',');
  const hostIn = (text: string) => readHost(text, kind === 'sentinel' ? 26379 : 6379);
  const names = path.split('/').filter((part) => part !== '');
  const name = kind === 'sentinel' ? names.shift() : '';
  const [database = '0', ...more] = names;
  const isOneOfMany = kind === 'server' && others.length > 0;
  const isWrong = more.length > 0 || !/^\d+$/.test(database) || isOneOfMany;
  // A cluster has one database.
  if (name === undefined || isWrong || (kind === 'cluster' && database !== '0')) throw noAddress();
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

/**
 * The address of a server, or of several, without user and password, e.g. `redis://127.0.0.1:6379/1`.
 *
 * Throws as {@link readAddress} does.
 */
export function redactedAddress(url: string): string {
  const { kind, hosts, name, database, isEncrypted } = readAddress(url);
  const scheme = `redis${isEncrypted ? 's' : ''}${kind === 'server' ? '' : `+${kind}`}`;
  const shown = hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
  const parts = [shown.join(','), ...(name ? [name] : []), ...(database > 0 ? [database] : [])];
  return `${scheme}://${parts.join('/')}`;
}

/** What of an address no log may show, as it is written there and as it is meant. */
export function secretsOf(url: string): readonly string[] {
  const passwords = [/:\/\/[^/?]*?:([^/?]*)@/, /[?&]sentinelPassword=([^&]*)/];
  return passwords.flatMap((place) => {
    const one = place.exec(url)?.[1];
    return one ? [one, decoded(one)] : [];
  });
}

/** Reads `host:port`. */
function readHost(text: string, defaultPort: number): Host {
  // Any host with any other scheme is read by the same rules as that of one server.
  const { hostname = '', port = '' } = URL.parse(`tcp://${text}`) ?? {};
  if (hostname === '') throw noAddress();
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) };
}

/** Who is named by nothing is left out. */
function userOf(username?: string | null, password?: string | null): User {
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

/** A connection that takes longer is looked into, in milliseconds. */
const lookAfterMs = 1000;
/** One that is slower to answer tells nothing, in milliseconds. */
const patienceMs = 2000;

/**
 * Waits for a connection to the servers of an address. One that speaks otherwise than the address says
 * may leave it waiting for ever, or break each without a word.
 *
 * @throws {@link StoreError} `refused` when a server does so, else what the connection fails with.
 */
export async function withProtocolCheck<Result>(
  url: string,
  connecting: Promise<Result>,
): Promise<Result> {
  const { promise: misspoken, resolve } = Promise.withResolvers<StoreError>();
  const look = async () => {
    const trouble = await wrongProtocol(url);
    if (trouble !== undefined) resolve(trouble);
  };
  const timer = setTimeout(() => void look(), lookAfterMs);
  const refused = misspoken.then((trouble) => Promise.reject(trouble));
  try {
    return await Promise.race([connecting, refused]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks them in the other way than the address says. Nothing secret is sent. */
async function wrongProtocol(url: string): Promise<StoreError | undefined> {
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
    const [answer] = await heard(socket, 'data');
    // Done, or refused, e.g. because a password is wanted.
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
    await heard(socket, 'secureConnect');
    return true;
  } catch (error) {
    // Who shows a certificate speaks it, whatever is wrong with that.
    return encryptionTrouble(error) !== undefined;
  } finally {
    socket.destroy();
  }
}

async function heard(socket: Socket, event: string): Promise<readonly unknown[]> {
  // What comes after the first is of no interest, and would end the process.
  socket.on('error', () => undefined);
  return once(socket, event, { signal: AbortSignal.timeout(patienceMs) });
}
