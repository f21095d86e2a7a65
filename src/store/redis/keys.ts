/**
 * The names of all keys. What belongs to a thread has the thread between braces, which makes it one
 * slot of a cluster. `docs/redis.md` says what each key holds.
 */

import { channelOf, type MemoryScope, workspaceOf } from '../store.ts';

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
  return `council:{${threadName(threadId)}}:`;
}

/** The thread that a {@link threadKey} is of. */
export function threadOfKey(key: string): string {
  const [, name = ''] = /^council:\{([^}]*)\}:$/.exec(key) ?? [];
  return threadIdOf(name);
}

/** Where the threads of a place are listed, and the first and the last name that one may have there. */
export function threadsOfPlace(place: string) {
  const name = threadName(place);
  const workspace = name.split(':', 2).join(':');
  return {
    key: `council:memory:threads:${workspace}`,
    // A semicolon is what comes next after a colon.
    ...{ first: `(council:{${name}:`, last: `(council:{${name};` },
  };
}

const forgottenStart = 'council:memory:forgotten:';
/** Matches the {@link forgottenKey} of every workspace. */
export const forgottenPattern = `${forgottenStart}*`;

/** Events of turns of a workspace that were forgotten. */
export function forgottenKey(workspace: string): string {
  return `${forgottenStart}${threadName(workspace)}`;
}

/** The workspace that a {@link forgottenKey} is of. */
export function workspaceOfKey(key: string): string {
  return threadIdOf(key.slice(forgottenStart.length));
}

/** The clock of what is remembered in a thread's workspace. */
export function memoryClockKey(threadId: string): string {
  return `council:memory:clock:${workspaceOf(threadName(threadId))}`;
}

/** The sets that hold what is remembered of a scope. */
export function memorySetKeys(
  { threadId, reach }: MemoryScope,
  what: 'messages' | 'shards',
): readonly string[] {
  const name = threadName(threadId);
  const ofChannel = `council:memory:channel-${what}:${channelOf(name)}`;
  switch (reach) {
    case 'thread':
      return [`${threadKey(threadId)}remembered-${what}`];
    case 'channel':
      return [ofChannel];
    case 'workspace':
      return [ofChannel, `council:memory:workspace-${what}:${workspaceOf(name)}`];
  }
}

function threadName(threadId: string): string {
  // Braces would end the part that decides the slot, and an empty one would not count.
  const name = threadId.replaceAll(/[{}%]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return name || '%';
}

function threadIdOf(name: string): string {
  const threadId = name === '%' ? '' : name.replaceAll('%7b', '{').replaceAll('%7d', '}');
  return threadId.replaceAll('%25', '%');
}

/** A turn group. */
export function groupKey(threadId: string, turnId: string): string {
  return `${threadKey(threadId)}turn:${turnId}`;
}

/** Which turn a group is of. */
export function turnOfGroup(key: string): { readonly threadId: string; readonly turnId: string } {
  const [, name = '', turnId = ''] = /^council:\{([^}]*)\}:turn:(.*)$/s.exec(key) ?? [];
  return { threadId: threadIdOf(name), turnId };
}

/** Where the turn of an event is. */
export function eventKey(eventId: string): string {
  return `council:event:${eventId}`;
}

/** Where a turn is. */
export function turnKey(turnId: string): string {
  return `council:turn:${turnId}`;
}

const settingsStart = 'council:settings:';
/** Matches the {@link settingsKey} of every scope. */
export const settingsPattern = `${settingsStart}*`;

export function settingsKey(scope: string): string {
  return `${settingsStart}${scope}`;
}

/** The scope that a {@link settingsKey} is of. */
export function scopeOfKey(key: string): string {
  return key.slice(settingsStart.length);
}

/** What a scope has spent, day by day. */
export function spentKey(scope: string): string {
  return `${spendingKey}:${scope}`;
}
