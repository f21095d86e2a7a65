/**
 * The names of all keys. Braces around the workspace put its keys into one cluster slot. `docs/database.md`
 * says what each key contains.
 */

import { workspaceOf, workspaceOfScope } from '../../domain/thread-id.ts';

/** The prefix of the keys of claims. */
export const claimsSlot = 'council:{claims}:';
/** The prefix of the keys of the list of workspaces. */
export const workspacesSlot = 'council:{workspaces}:';

/** The prefix of all keys of a workspace. */
export function workspaceKey(workspace: string): string {
  return `council:{${nameOf(workspace) || emptyName}}:`;
}

/** The prefix of all keys of a thread's workspace. */
export function slotOfThread(threadId: string): string {
  return workspaceKey(workspaceOf(threadId));
}

/** The prefix of all keys of the workspace of a settings or spending scope. */
export function slotOfScope(scope: string): string {
  return workspaceKey(workspaceOfScope(scope));
}

/** The prefix of all keys of a thread, except those of its turns. */
export function threadKey(threadId: string): string {
  const workspace = workspaceOf(threadId);
  return `${workspaceKey(workspace)}{${nameOf(threadId.slice(workspace.length + 1))}}:`;
}

/** The inverse of {@link threadKey}. */
export function threadOfKey(key: string): string {
  const [, workspace = '', rest = ''] = /^council:\{([^}]*)\}:\{([^}]*)\}:$/.exec(key) ?? [];
  const named = workspace === emptyName ? '' : textOf(workspace);
  return rest === '' ? named : `${named}:${textOf(rest)}`;
}

/** The workspace slot of a place, and the range of its threads' keys for `ZRANGEBYLEX`. */
export function threadsOfPlace(place: string) {
  const [platform = '', workspace = '', channel] = place.split(':');
  const slot = workspaceKey(`${platform}:${workspace}`);
  if (channel === undefined) return { slot, first: '-', last: '+' };
  // `;` is the character after `:`.
  return { slot, first: `(${slot}{${nameOf(channel)}:`, last: `(${slot}{${nameOf(channel)};` };
}

/** The inverse of {@link workspaceKey}. */
export function workspaceOfKey(key: string): string {
  const [, name = ''] = /^council:\{([^}]*)\}:$/.exec(key) ?? [];
  return name === emptyName ? '' : textOf(name);
}

/** Redis ignores an empty hash tag. */
const emptyName = '%';

/** Escapes braces, which would end the hash tag. */
function nameOf(text: string): string {
  return text.replaceAll(/[{}%]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

function textOf(name: string): string {
  return name.replaceAll('%7b', '{').replaceAll('%7d', '}').replaceAll('%25', '%');
}

/** Matches the settings keys of all scopes; {@link scopeOfKey} rejects other matches. */
export const settingsPattern = 'council:{*}:settings:*';

/** The scope of a settings key; `undefined` for other keys. */
export function scopeOfKey(key: string): string | undefined {
  return /^council:\{[^}]*\}:settings:(.*)$/s.exec(key)?.[1];
}
