/** Where a thread is; the same in every backend. */

/** `platform:workspace:channel` of `platform:workspace:channel:thread`; an id of fewer parts is its own. */
export function channelOf(threadId: string): string {
  return firstParts(threadId, 3);
}

/** `platform:workspace` of `platform:workspace:channel:thread`; an id of fewer parts is its own. */
export function workspaceOf(threadId: string): string {
  return firstParts(threadId, 2);
}

function firstParts(threadId: string, count: number): string {
  const parts = threadId.split(':');
  return parts.length < 4 ? threadId : parts.slice(0, count).join(':');
}
