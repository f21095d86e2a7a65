/** What the fake keeps. Fields that never change are readonly; the rest is Discord's mutable truth. */

import type {
  APIApplicationCommand,
  APIMessage,
  APIModalInteractionResponseCallbackData,
  APIOverwrite,
  APIRole,
  APIUser,
  ApplicationCommandOptionType,
  ChannelType,
  InteractionType,
} from 'discord-api-types/v10';

export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  /** By id; the role whose id is the guild's is `@everyone`. */
  readonly roles: Map<string, APIRole>;
  /** By user id. */
  readonly members: Map<string, Member>;
  /** Commands that were registered for this guild alone. */
  commands: readonly APIApplicationCommand[];
  /** Words that automatic moderation lets no thread be named with. */
  blockedWords: readonly string[];
  /** How many threads may be open at once. */
  maxActiveThreads: number;
  /** Whether those who moderate need two-factor authentication; the bot's owner has none. */
  needsTwoFactor: boolean;
}

/** One of the application's own. */
export interface Emoji {
  readonly id: string;
  readonly name: string;
  /** Of its picture. */
  readonly bytes: Buffer;
}

export interface Member {
  readonly user: APIUser;
  roleIds: readonly string[];
  /** Absent: the member goes by the user's own name. */
  readonly nick?: string;
  readonly joinedAt: string;
}

export interface GuildChannel {
  readonly kind: 'channel';
  readonly id: string;
  readonly type:
    | ChannelType.GuildText
    | ChannelType.GuildAnnouncement
    | ChannelType.GuildForum
    | ChannelType.GuildVoice;
  readonly guildId: string;
  name: string;
  topic: string | null;
  overwrites: readonly APIOverwrite[];
}

/** One of Discord's four times after which a silent thread is archived. */
export type AutoArchiveMinutes = 60 | 1440 | 4320 | 10080;

export interface Thread {
  readonly kind: 'thread';
  readonly id: string;
  readonly type:
    | ChannelType.PublicThread
    | ChannelType.PrivateThread
    | ChannelType.AnnouncementThread;
  readonly guildId: string;
  readonly parentId: string;
  readonly ownerId: string;
  readonly createdAt: string;
  name: string;
  isArchived: boolean;
  isLocked: boolean;
  archiveChangedAt: string;
  autoArchiveMinutes: AutoArchiveMinutes;
  appliedTags: readonly string[];
  /** User id to the time of joining. */
  readonly members: Map<string, string>;
}

export interface DirectChannel {
  readonly kind: 'direct';
  readonly id: string;
  readonly recipient: APIUser;
  /** The user takes no messages from the bot, or shares no server with it any more. */
  closedBy?: 'cannotMessageUser' | 'noMutualServer';
}

export type Channel = GuildChannel | Thread | DirectChannel;

/** Whom a message notified. */
export interface Pings {
  readonly everyone: boolean;
  readonly users: readonly string[];
  readonly roles: readonly string[];
}

export interface StoredMessage {
  /** As it goes over the wire when nothing is hidden from the reader. */
  wire: APIMessage;
  readonly guildId: string | undefined;
  readonly pings: Pings;
  /** The one user who sees it, when it is an ephemeral answer. */
  readonly onlyFor: string | undefined;
  readonly nonce: string | undefined;
  /** The address that a webhook message took its picture from. */
  readonly avatarUrl: string | undefined;
}

export interface Webhook {
  readonly id: string;
  readonly token: string;
  readonly guildId: string;
  readonly creator: APIUser;
  /** The application whose bot made it; only that bot is shown the token. */
  readonly applicationId: string | null;
  channelId: string;
  name: string;
  avatar: string | null;
}

export interface AutocompleteChoice {
  readonly name: string;
  readonly value: string | number;
}

/** How the bot answered an interaction. */
export type Acknowledgement =
  | { readonly kind: 'message'; readonly isEphemeral: boolean; readonly isDeferred: boolean }
  | { readonly kind: 'update'; readonly isDeferred: boolean }
  | { readonly kind: 'choices'; readonly choices: readonly AutocompleteChoice[] }
  | { readonly kind: 'modal'; readonly modal: APIModalInteractionResponseCallbackData };

export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly type: InteractionType;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  readonly user: APIUser;
  readonly channelId: string;
  readonly guildId: string | undefined;
  /** The message whose button was pressed, or whose button opened the modal. */
  readonly sourceMessageId: string | undefined;
  /** Type of the option that is being typed, when this asks for choices. */
  readonly focusedType: ApplicationCommandOptionType | undefined;
  /** The app is the user's own and not a member of this place: five follow-ups at most. */
  readonly isUserInstalled: boolean;
  acknowledgement: Acknowledgement | undefined;
  /** Id of what `@original` names, once there is one. */
  originalMessageId: string | undefined;
  readonly followUpIds: string[];
}

export interface StoredFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}
