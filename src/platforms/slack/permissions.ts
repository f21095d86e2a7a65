/** What the app asks of Slack and why: the one list that the manifest and the code are held to. */

/** Every scope, with what is lost without it. */
export const scopes = {
  'app_mentions:read': 'it does not hear when it is mentioned',
  'assistant:write':
    'no status line shows what the council is doing, and its pane suggests nothing',
  'channels:history':
    'it hears no follow-ups in threads of public channels, and after a crash answers may be posted twice there',
  'channels:read': 'nobody counts as a manager by having made a public channel',
  'chat:write': 'it can answer nobody',
  'chat:write.customize':
    'the sages speak through the bot, without names and pictures of their own',
  commands: '/council and the shortcut “Ask the council” are missing',
  'files:write': 'files, e.g. minutes, can’t be given',
  'groups:history':
    'it hears no follow-ups in threads of private channels, and after a crash answers may be posted twice there',
  'groups:read': 'nobody counts as a manager by having made a private channel',
  'im:history': 'it hears no direct messages',
  'mpim:history': 'it hears no follow-ups in group messages',
  'users:read': 'people have no names, and nobody counts as a manager by being an admin',
} as const;

export type Scope = keyof typeof scopes;

/** A scope that the app lacks in a workspace. */
export interface ScopeGap {
  readonly workspace: string;
  readonly scope: Scope;
  /** What people lose by it. */
  readonly lost: string;
}

/** @param granted - As Slack names them. */
export function scopeGaps(workspace: string, granted: readonly string[]): readonly ScopeGap[] {
  return scopeNames
    .filter((scope) => !granted.includes(scope))
    .map((scope) => ({ workspace, scope, lost: scopes[scope] }));
}

/** What is asked for when the app is added. */
export const scopeNames: readonly Scope[] = Object.keys(scopes).filter(isScope);

function isScope(name: string): name is Scope {
  return Object.hasOwn(scopes, name);
}
