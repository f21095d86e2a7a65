import { StoreError } from '../store.ts';

/** Servers of which one is the primary, and sentinels that know which. */
export interface SentinelAddress {
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
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
 * The address of a server without user and password, e.g. `redis://127.0.0.1:6379/1`.
 *
 * Throws {@link StoreError} `refused` for what is no such address; the message does not repeat it.
 */
export function shownAddress(url: string): string {
  if (isSentinelAddress(url)) {
    const { sentinels, name, database, isEncrypted } = sentinelAddress(url);
    const hosts = sentinels.map(({ host, port }) => `${host}:${port}`).join(',');
    const scheme = isEncrypted ? 'rediss+sentinel' : 'redis+sentinel';
    return `${scheme}://${hosts}/${name}${database === 0 ? '' : `/${database}`}`;
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
  // Any host with any other scheme is read by the same rules as that of one server.
  const parsed = hosts.split(',').map((host) => URL.parse(`tcp://${host}`));
  const sentinels = parsed.flatMap((one) =>
    one?.hostname ? [{ host: one.hostname, port: Number(one.port || defaultSentinelPort) }] : [],
  );
  if (name === undefined || sentinels.length < parsed.length) throw noAddress();
  const [username, password] = (user ?? '').split(':', 2).map(decoded);
  const options = new URLSearchParams(query);
  const sentinelUsername = options.get('sentinelUsername');
  const sentinelPassword = options.get('sentinelPassword');
  return {
    sentinels,
    name: decoded(name),
    database: Number(database),
    isEncrypted: scheme === 'rediss',
    ...(username && { username }),
    ...(password && { password }),
    ...(sentinelUsername && { sentinelUsername }),
    ...(sentinelPassword && { sentinelPassword }),
  };
}

/** What of an address no log may show, as it is written there and as it is meant. */
export function secretsOf(url: string): readonly string[] {
  const passwords = isSentinelAddress(url)
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
    'The address of the Redis server is none. Write redis://user:password@host:6379/0, rediss://… for TLS, or redis+sentinel://user:password@host:26379,host:26379/name for Sentinel.',
    { reason: 'refused' },
  );
}
