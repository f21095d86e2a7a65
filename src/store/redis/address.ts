/** Addresses of servers: of one, of sentinels, of a cluster; and whether they speak as their address says. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectEncrypted } from 'node:tls';
import { StoreError } from '../store.ts';
import { encryptionTrouble, nameToShow, refusal } from './errors.ts';

/** Who Council is at a server. */
interface User {
  readonly username?: string;
  readonly password?: string;
}

/** Servers of which one is the primary, and sentinels that know which. */
interface SentinelAddress {
  readonly sentinels: readonly Host[];
  /** What the sentinels call the primary. */
  readonly name: string;
  readonly database: number;
  /** With the sentinels as with the servers. */
  readonly isEncrypted: boolean;
  /** At the servers. */
  readonly user: User;
  readonly sentinelUser: User;
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
  return {
    sentinels,
    name: decoded(name),
    database: Number(database),
    isEncrypted: scheme === 'rediss',
    user: readUser(user),
    sentinelUser: userOf(options.get('sentinelUsername'), options.get('sentinelPassword')),
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
interface ClusterAddress {
  readonly hosts: readonly Host[];
  readonly isEncrypted: boolean;
  readonly user: User;
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
  return { hosts: read, isEncrypted: scheme === 'rediss', user: readUser(user) };
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
function readUser(text = ''): User {
  const [username, password] = text.split(':', 2).map(decoded);
  return userOf(username, password);
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
export async function unlessMisspoken<Result>(
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
  const isEncrypted = url.startsWith('rediss');
  const ask = isEncrypted ? speaksPlainly : speaksTls;
  const answers = await Promise.all(hostsOf(url).map(ask));
  if (!answers.includes(true)) return undefined;
  return refusal(shownAddress(url), isEncrypted ? 'NOTLS' : 'TLS');
}

function hostsOf(url: string): readonly Host[] {
  if (isSentinelAddress(url)) return sentinelAddress(url).sentinels;
  if (isClusterAddress(url)) return clusterAddress(url).hosts;
  const { hostname = '', port = '' } = URL.parse(url) ?? {};
  // Brackets are of the address, not of the host.
  return [{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) }];
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
  const socket = connectEncrypted({ host, port, ...nameToShow(host) });
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
