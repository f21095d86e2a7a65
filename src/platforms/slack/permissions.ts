/** What the app asks of Slack and why, and what it is called there: the one list that the manifest and the code are held to. */

/** Every scope, with what is lost without it. */
export const scopes = {
  'app_mentions:read': 'it does not hear when it is mentioned',
  'assistant:write':
    'its pane suggests nothing, and no status line shows what the council is doing',
  'channels:history':
    'it hears no follow-ups in threads of public channels, and after a crash answers may be posted twice there',
  'channels:read':
    'nobody counts as a manager by having made a public channel, what is asked there by command counts as private, and a public channel that is deleted is not forgotten',
  'chat:write': 'it can answer nobody',
  'chat:write.customize':
    'the sages speak through the bot, without names and pictures of their own',
  commands: '/council and the shortcut “Ask the council” are missing',
  'files:write': 'exports and minutes are shown as text in messages, and not as files',
  'groups:history':
    'it hears no follow-ups in threads of private channels, and after a crash answers may be posted twice there',
  'groups:read':
    'nobody counts as a manager by having made a private channel, and one that is deleted is not forgotten',
  'im:history': 'it hears no direct messages, its pane among them',
  'im:write':
    'a file for one person, e.g. an export, is shown to them as text, as far as it fits; nobody is told in private that nothing can be shown where they asked',
  'mpim:history':
    'it hears nothing in group messages, and after a crash answers may be posted twice there',
  'mpim:read': 'nobody counts as a manager by having begun a group message',
  'users:read': 'people have no names, and nobody counts as a manager by being an admin',
} as const;

export type Scope = keyof typeof scopes;

/** Every method of the Web API that is called, with the scopes that it takes. */
export const methods: Readonly<Record<string, readonly Scope[]>> = {
  'assistant.threads.setStatus': ['assistant:write', 'chat:write'],
  'assistant.threads.setSuggestedPrompts': ['assistant:write'],
  'auth.test': [],
  'chat.appendStream': ['chat:write'],
  'chat.delete': ['chat:write'],
  'chat.getPermalink': [],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write', 'chat:write.customize'],
  'chat.startStream': ['chat:write', 'chat:write.customize'],
  'chat.stopStream': ['chat:write'],
  'chat.update': ['chat:write'],
  'conversations.history': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'conversations.info': ['channels:read', 'groups:read', 'mpim:read'],
  'conversations.open': ['im:write'],
  'conversations.replies': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'files.uploadV2': ['files:write'],
  'users.info': ['users:read'],
  'views.open': [],
  'views.publish': [],
  'views.update': [],
};

/** Methods that are called with the app's own token, whose scopes are no matter of an installation. */
export const appMethods: Readonly<Record<string, string>> = {
  'apps.connections.open': 'connections:write',
};

/** Every event that is subscribed to, with the scopes that it takes. */
export const events: Readonly<Record<string, readonly Scope[]>> = {
  app_home_opened: [],
  app_mention: ['app_mentions:read'],
  app_uninstalled: [],
  channel_deleted: ['channels:read'],
  group_deleted: ['groups:read'],
  'message.channels': ['channels:history'],
  'message.groups': ['groups:history'],
  'message.im': ['im:history'],
  'message.mpim': ['mpim:history'],
  tokens_revoked: [],
};

/** The slash command. */
export const slashName = '/council';
/** “Ask the council” in the menu of a message. */
export const askShortcut = 'ask_council';

/** What people start from a menu or by typing a command takes this. */
export const commandScope: Scope = 'commands';

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
