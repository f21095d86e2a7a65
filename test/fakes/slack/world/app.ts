/** The app as it was set up with Slack. */
export interface App {
  readonly id: string;
  readonly name: string;
  /** For `apps.connections.open`: `xapp-…`. */
  readonly appToken: string;
  readonly signingSecret: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What an installation grants. */
  readonly scopes: readonly string[];
  /** The events that it subscribed to, e.g. `app_mention`, `message.channels`. */
  readonly events: readonly string[];
  /** e.g. `/council`. */
  readonly commands: readonly string[];
  /** Id of the organisation that it is installed for as a whole; `undefined`: each workspace installs it. */
  readonly organisation: string | undefined;
}

/** Scopes of an app that may do whatever Council does in Slack. */
export const usualScopes = [
  'app_mentions:read',
  'assistant:write',
  'channels:history',
  'channels:read',
  'chat:write',
  'chat:write.customize',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'im:write',
  'mpim:history',
  'mpim:read',
  'users:read',
] as const;

/** Events of the same app. */
export const usualEvents = [
  'agent_session_stopped',
  'app_home_opened',
  'app_mention',
  'app_uninstalled',
  'channel_deleted',
  'channel_id_changed',
  'group_deleted',
  'member_joined_channel',
  'message.channels',
  'message.groups',
  'message.im',
  'message.mpim',
  'tokens_revoked',
] as const;
