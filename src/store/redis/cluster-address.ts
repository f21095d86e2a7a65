import { type Host, noAddress, readHosts, readUser } from './several-hosts.ts';

/** Some servers of a cluster, which know the others. */
export interface ClusterAddress {
  readonly hosts: readonly Host[];
  readonly isEncrypted: boolean;
  readonly username?: string;
  readonly password?: string;
}

const defaultPort = 6379;

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
  const read = hosts === undefined ? undefined : readHosts(hosts, defaultPort);
  if (read === undefined) throw noAddress();
  return { hosts: read, isEncrypted: scheme === 'rediss', ...readUser(user) };
}
