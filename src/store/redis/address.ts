import { StoreError } from '../store.ts';

/**
 * The address of a server without user and password, e.g. `redis://127.0.0.1:6379/1`.
 *
 * Throws {@link StoreError} `refused` for what is no such address; the message does not repeat it.
 */
export function shownAddress(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !['redis:', 'rediss:'].includes(parsed.protocol) || !parsed.hostname) {
    throw new StoreError(
      'The address of the Redis server is none. Write redis://user:password@host:6379/0, or rediss://… for TLS.',
      { reason: 'refused' },
    );
  }
  const { protocol, host, pathname } = parsed;
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
