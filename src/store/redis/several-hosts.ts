/** Addresses that name several servers, which no URL does. */

import { StoreError } from '../store.ts';

/** A server, as an address names it. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port,host:port`; `undefined` when one of them is none. */
export function readHosts(text: string, defaultPort: number): readonly Host[] | undefined {
  // Any host with any other scheme is read by the same rules as that of one server.
  const parsed = text.split(',').map((host) => URL.parse(`tcp://${host}`));
  const hosts = parsed.flatMap((one) =>
    one?.hostname ? [{ host: one.hostname, port: Number(one.port || defaultPort) }] : [],
  );
  return hosts.length === parsed.length ? hosts : undefined;
}

export function shownHosts(hosts: readonly Host[]): string {
  return hosts.map(({ host, port }) => `${host}:${port}`).join(',');
}

/** Reads `user:password` before the `@`. */
export function readUser(text: string | undefined): {
  readonly username?: string;
  readonly password?: string;
} {
  const [username, password] = (text ?? '').split(':', 2).map(decoded);
  return { ...(username && { username }), ...(password && { password }) };
}

/** Text that is not encoded well is taken as it is written. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Only a `%` that stands for itself fails, and then nothing was encoded.
    return text;
  }
}

export function noAddress(): StoreError {
  return new StoreError(
    'The address of the Redis server is none. Write redis://user:password@host:6379/0, rediss://… for TLS, redis+sentinel://user:password@host:26379,host:26379/name for Sentinel, or redis+cluster://user:password@host:6379,host:6379 for a cluster.',
    { reason: 'refused' },
  );
}
