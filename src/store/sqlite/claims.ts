import type { Connection } from './connection.ts';

/** Claims a key, as the store's `claim` says. Works inside the caller's `transaction`. */
export function keyClaimer(connection: Connection): (key: string, ttlMs: number) => boolean {
  // One statement: an expired claim is taken over in the same step in which it is looked at.
  const claim = connection.prepare(`
    INSERT INTO claims (key, expires_at) VALUES (?1, ?2)
    ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at <= ?3`);
  return (key, ttlMs) => {
    if (!(ttlMs > 0)) {
      throw new RangeError(`ttlMs is ${ttlMs}. Write a number of milliseconds above 0.`);
    }
    const now = connection.now();
    const expiresAt = Math.min(now + Math.ceil(ttlMs), Number.MAX_SAFE_INTEGER);
    return claim.run(key, expiresAt, now).changes === 1;
  };
}
