/** Thread ids, `platform:workspace:channel:thread`, and the ids of their channels and workspaces. */

/** The parts of a thread id, e.g. `discord`, a guild, a channel, a thread. */
export interface ThreadParts {
  readonly platform: string;
  readonly workspace: string;
  readonly channel: string;
  readonly thread: string;
}

/** Splits a thread id. Missing parts are empty. */
export function partsOf(threadId: string): ThreadParts {
  const [platform = '', workspace = '', channel = '', ...thread] = threadId.split(':');
  return { platform, workspace, channel, thread: thread.join(':') };
}

export function threadIdOf({ platform, workspace, channel, thread }: ThreadParts): string {
  return `${platform}:${workspace}:${channel}:${thread}`;
}

/** `platform:workspace:channel`; an id of fewer than four parts is returned unchanged. */
export function channelOf(threadId: string): string {
  return firstParts(threadId, 3);
}

/** `platform:workspace`; an id of fewer than four parts is returned unchanged. */
export function workspaceOf(threadId: string): string {
  return firstParts(threadId, 2);
}

/** The platform of recordings: nobody can ask there, and nothing from there is recalled elsewhere. */
const recorded = 'recorded';

/** The thread id of a recorded turn. */
export function recordedThread(name: string): string {
  return `${recorded}:council:examples:${name}`;
}

/** Whether a thread belongs to a recorded turn. */
export function isRecorded(threadId: string): boolean {
  return partsOf(threadId).platform === recorded;
}

/** Whether two threads are in the same channel. */
export function isSameChannel(one: string, other: string): boolean {
  return channelOf(one) === channelOf(other);
}

/**
 * The workspace of a scope of settings or spending: `platform:workspace` of `<kind>:<platform>:<workspace>[:…]`.
 * A scope of fewer parts belongs to no workspace and is returned unchanged.
 */
export function workspaceOfScope(scope: string): string {
  const [, platform, workspace] = scope.split(':');
  return workspace === undefined ? scope : `${platform}:${workspace}`;
}

function firstParts(threadId: string, count: number): string {
  const parts = threadId.split(':');
  return parts.length < 4 ? threadId : parts.slice(0, count).join(':');
}
