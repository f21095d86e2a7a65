/** The id of a thread, `platform:workspace:channel:thread`, and of the places around it. */

/** What a thread id is made of, e.g. `discord`, a guild, a channel, a thread. */
export interface ThreadParts {
  readonly platform: string;
  readonly workspace: string;
  readonly channel: string;
  readonly thread: string;
}

/** Parts that an id of fewer parts lacks are empty. */
export function partsOf(threadId: string): ThreadParts {
  const [platform = '', workspace = '', channel = '', ...thread] = threadId.split(':');
  return { platform, workspace, channel, thread: thread.join(':') };
}

export function threadIdOf({ platform, workspace, channel, thread }: ThreadParts): string {
  return `${platform}:${workspace}:${channel}:${thread}`;
}

/** `platform:workspace:channel`; an id of fewer than four parts is its own. */
export function channelOf(threadId: string): string {
  return firstParts(threadId, 3);
}

/** `platform:workspace`; an id of fewer than four parts is its own. */
export function workspaceOf(threadId: string): string {
  return firstParts(threadId, 2);
}

/** Stands in the place of a platform: no one can ask there, and nothing of it is recalled anywhere else. */
const recorded = 'recorded';

/** The thread of a recorded council. */
export function recordedThread(name: string): string {
  return threadIdOf({
    platform: recorded,
    workspace: 'council',
    channel: 'examples',
    thread: name,
  });
}

/** Whether what was said in a thread was written to show how a council works. */
export function isRecorded(threadId: string): boolean {
  return partsOf(threadId).platform === recorded;
}

/** Whether two threads belong to the same channel. */
export function isSameChannel(one: string, other: string): boolean {
  return channelOf(one) === channelOf(other);
}

/**
 * Whose a scope of settings or spending is, as {@link workspaceOf} names it: `platform:workspace` of
 * `<kind>:<platform>:<workspace>[:…]`. A name of fewer parts is its own workspace: it belongs to none.
 */
export function workspaceOfScope(scope: string): string {
  const [, platform, workspace] = scope.split(':');
  return workspace === undefined ? scope : `${platform}:${workspace}`;
}

function firstParts(threadId: string, count: number): string {
  const parts = threadId.split(':');
  return parts.length < 4 ? threadId : parts.slice(0, count).join(':');
}
