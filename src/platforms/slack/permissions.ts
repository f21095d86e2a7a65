/** What the app asks of Slack and why, and what its commands are called there; the manifest says the same. */

/** Every scope, with what is lost without it. */
export const scopes = {
  'app_mentions:read': 'it does not hear when it is mentioned',
  'assistant:write':
    'its pane suggests nothing and lists conversations without titles, and no status line shows what the council is doing',
  'channels:history':
    'it hears no follow-ups in threads of public channels, and after a crash answers may be posted twice there',
  'channels:read':
    'no one counts as a manager by having made a public channel, what is asked there by command counts as private, and a public channel that is deleted is not forgotten',
  'chat:write': 'it can answer no one',
  'chat:write.customize':
    'the sages speak through the bot, without names and pictures of their own',
  commands: '/council and the shortcut “Ask the council” are missing',
  'files:read': 'files and pictures that people attach are not read',
  'files:write': 'exports and minutes are shown as text in messages, and not as files',
  'groups:history':
    'it hears no follow-ups in threads of private channels, and after a crash answers may be posted twice there',
  'groups:read':
    'no one counts as a manager by having made a private channel, one that is deleted is not forgotten, and one that gets another id by being shared is taken for a new one',
  'im:history': 'it hears no direct messages, its pane among them',
  'im:read': 'direct messages that came while it was not connected are not looked for',
  'im:write':
    'a file for one person, e.g. an export, is shown to them as text, as far as it fits; no one is told in private that nothing can be shown where they asked',
  'mpim:history':
    'it hears nothing in group messages, and after a crash answers may be posted twice there',
  'mpim:read': 'no one counts as a manager by having begun a group message',
  'users:read': 'people have no names, and no one counts as a manager by being an admin',
} as const;

export type Scope = keyof typeof scopes;

/** A scope that the app lacks in a workspace. */
export interface ScopeGap {
  /** For people. */
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

/** The slash command, as the manifest has it. */
export const slashName = '/council';
/** “Ask the council” in the menu of a message. */
export const askShortcut = 'ask_council';
