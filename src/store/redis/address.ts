import { clusterAddress, isClusterAddress } from './cluster-address.ts';
import { decoded, type Host, noAddress, readHosts, readUser, shownHosts } from './several-hosts.ts';

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
