/**
 * The names of all keys. What belongs to a thread has the thread between braces, which makes it one
 * slot of a cluster. `docs/redis.md` says what each key holds.
 */

/** Turns that have not ended, by when they were made. */
export const unfinishedKey = 'council:unfinished';
/** Threads, by the time of the oldest that they hold. */
export const threadsKey = 'council:threads';
/** Claims by when they expire, and by the call that made them. */
export const claimKeys = ['council:{claims}:expiry', 'council:{claims}:calls'] as const;
/** Scopes that have spent, by their oldest day. */
export const spendingKey = 'council:spending';

/** What all keys of a thread begin with. */
export function threadKey(threadId: string): string {
  // Braces would end the part that decides the slot, and an empty one would not count.
  const name = threadId.replaceAll(/[{}%]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `council:{${name || '%'}}:`;
}

/** A turn group. */
export function groupKey(threadId: string, turnId: string): string {
  return `${threadKey(threadId)}turn:${turnId}`;
}

/** Which turn a group is of. */
export function turnOfGroup(key: string): { readonly threadId: string; readonly turnId: string } {
  const [, name = '', turnId = ''] = /^council:\{([^}]*)\}:turn:(.*)$/s.exec(key) ?? [];
  const threadId = name === '%' ? '' : name.replaceAll('%7b', '{').replaceAll('%7d', '}');
  return { threadId: threadId.replaceAll('%25', '%'), turnId };
}

/** Where the turn of an event is. */
export function eventKey(eventId: string): string {
  return `council:event:${eventId}`;
}

/** Where a turn is. */
export function turnKey(turnId: string): string {
  return `council:turn:${turnId}`;
}

export function settingsKey(scope: string): string {
  return `council:settings:${scope}`;
}

/** What a scope has spent, day by day. */
export function spentKey(scope: string): string {
  return `${spendingKey}:${scope}`;
}
