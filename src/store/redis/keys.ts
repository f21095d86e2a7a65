/**
 * The names of all keys. What belongs to a workspace has the workspace between braces, which makes it
 * one slot of a cluster. `docs/database.md` says what each key holds.
 */

import { workspaceOf, workspaceOfScope } from '../../domain/thread-id.ts';

/** What the keys of claims begin with. */
export const claimsSlot = 'council:{claims}:';
/** What the keys of the list of workspaces begin with. */
export const workspacesSlot = 'council:{workspaces}:';

/** What all keys of a workspace begin with. */
export function workspaceKey(workspace: string): string {
  return `council:{${nameOf(workspace) || emptyName}}:`;
}

/** What all keys of a thread's workspace begin with. */
export function slotOfThread(threadId: string): string {
  return workspaceKey(workspaceOf(threadId));
}

/** What all keys of the workspace begin with that a scope of settings or spending is of. */
export function slotOfScope(scope: string): string {
  return workspaceKey(workspaceOfScope(scope));
}

/** What all keys of a thread begin with, besides those of its turns. */
export function threadKey(threadId: string): string {
  const workspace = workspaceOf(threadId);
  return `${workspaceKey(workspace)}{${nameOf(threadId.slice(workspace.length + 1))}}:`;
}

/** The thread that a {@link threadKey} is of. */
export function threadOfKey(key: string): string {
  const [, workspace = '', rest = ''] = /^council:\{([^}]*)\}:\{([^}]*)\}:$/.exec(key) ?? [];
  const named = workspace === emptyName ? '' : textOf(workspace);
  return rest === '' ? named : `${named}:${textOf(rest)}`;
}

/** The workspace of a place, and the first and the last name that the keys of its threads may begin with. */
export function threadsOfPlace(place: string) {
  const [platform = '', workspace = '', channel] = place.split(':');
  const slot = workspaceKey(`${platform}:${workspace}`);
  if (channel === undefined) return { slot, first: '-', last: '+' };
  // A semicolon is what comes next after a colon.
  return { slot, first: `(${slot}{${nameOf(channel)}:`, last: `(${slot}{${nameOf(channel)};` };
}

/** The workspace that a {@link workspaceKey} is of. */
export function workspaceOfKey(key: string): string {
  const [, name = ''] = /^council:\{([^}]*)\}:$/.exec(key) ?? [];
  return name === emptyName ? '' : textOf(name);
}

/** A brace that is empty decides no slot. */
const emptyName = '%';

/** Braces would end the part that decides the slot. */
function nameOf(text: string): string {
  return text.replaceAll(/[{}%]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

function textOf(name: string): string {
  return name.replaceAll('%7b', '{').replaceAll('%7d', '}').replaceAll('%25', '%');
}

/** Matches the settings of every scope, and perhaps what only looks like them. */
export const settingsPattern = 'council:{*}:settings:*';

/** The scope whose settings a key holds; `undefined` for other keys. */
export function scopeOfKey(key: string): string | undefined {
  return /^council:\{[^}]*\}:settings:(.*)$/s.exec(key)?.[1];
}
