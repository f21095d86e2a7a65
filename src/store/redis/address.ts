import { StoreError } from '../store.ts';

/** Where a server listens. */
interface Place {
  readonly host: string;
  readonly port: number;
}

/** Servers that share the keys among them. */
export interface ClusterAddress {
  /** Some of them; they know the others. */
  readonly nodes: readonly Place[];
  readonly isEncrypted: boolean;
  readonly username?: string;
  readonly password?: string;
}

/** Servers of which one is the primary, and sentinels that know which. */
export interface SentinelAddress {
  readonly sentinels: readonly Place[];
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
const defaultPort = 6379;

/**
 * The address of a server without user and password, e.g. `redis://127.0.0.1:6379/1`.
 *
 * Throws {@link StoreError} `refused` for what is no such address; the message does not repeat it.
 */
export function shownAddress(url: string): string {
  if (isSentinelAddress(url)) {
    const { sentinels, name, database, isEncrypted } = sentinelAddress(url);
    const hosts = shownPlaces(sentinels);
    const scheme = isEncrypted ? 'rediss+sentinel' : 'redis+sentinel';
    return `${scheme}://${hosts}/${name}${database === 0 ? '' : `/${database}`}`;
  }
  if (isClusterAddress(url)) {
    const { nodes, isEncrypted } = clusterAddress(url);
    return `${isEncrypted ? 'rediss' : 'redis'}+cluster://${shownPlaces(nodes)}`;
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

/** Whether it names nodes of a cluster. */
export function isClusterAddress(url: string): boolean {
  return /^rediss?\+cluster:/.test(url);
}

/**
 * Reads `redis+cluster://user:password@host:6379,host:6379`.
 *
 * Throws as {@link shownAddress} does.
 */
export function clusterAddress(url: string): ClusterAddress {
  const [, scheme, user, hosts = ''] =
    /^(rediss?)\+cluster:\/\/(?:([^@/?]*)@)?([^/?]+)\/?$/.exec(url) ?? [];
  const nodes = placesIn(hosts, defaultPort);
  return { nodes, isEncrypted: scheme === 'rediss', ...userIn(user) };
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
  const sentinels = placesIn(hosts, defaultSentinelPort);
  if (name === undefined) throw noAddress();
  const options = new URLSearchParams(query);
  const sentinelUsername = options.get('sentinelUsername');
  const sentinelPassword = options.get('sentinelPassword');
  return {
    sentinels,
    name: decoded(name),
    database: Number(database),
    isEncrypted: scheme === 'rediss',
    ...userIn(user),
    ...(sentinelUsername && { sentinelUsername }),
    ...(sentinelPassword && { sentinelPassword }),
  };
}

/** Throws when one of them is none. */
function placesIn(hosts: string, defaultPort: number): readonly Place[] {
  // Any host with any other scheme is read by the same rules as that of one server.
  return hosts.split(',').map((host) => {
    const parsed = URL.parse(`tcp://${host}`);
    if (!parsed?.hostname) throw noAddress();
    return { host: parsed.hostname, port: Number(parsed.port || defaultPort) };
  });
}

function shownPlaces(places: readonly Place[]): string {
  return places.map(({ host, port }) => `${host}:${port}`).join(',');
}

function userIn(user = ''): { readonly username?: string; readonly password?: string } {
  const [username, password] = user.split(':', 2).map(decoded);
  return { ...(username && { username }), ...(password && { password }) };
}

/** What of an address no log may show, as it is written there and as it is meant. */
export function secretsOf(url: string): readonly string[] {
  const passwords =
    isSentinelAddress(url) || isClusterAddress(url)
      ? [/:\/\/[^@/?]*?:([^@/?]*)@/.exec(url)?.[1], /[?&]sentinelPassword=([^&]*)/.exec(url)?.[1]]
      : [URL.parse(url)?.password];
  return passwords.flatMap((one) => (one ? [one, decoded(one)] : []));
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
