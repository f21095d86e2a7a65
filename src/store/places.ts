/** Where a thread is, and a scope of settings or spending; the same in every backend. */

/** `platform:workspace:channel` of `platform:workspace:channel:thread`; an id of fewer parts is its own. */
export function channelOf(threadId: string): string {
  return firstParts(threadId, 3);
}

/** `platform:workspace` of `platform:workspace:channel:thread`; an id of fewer parts is its own. */
export function workspaceOf(threadId: string): string {
  return firstParts(threadId, 2);
}

/**
 * Whose a scope is, as {@link workspaceOf} names it: `platform:workspace` of
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
