import type { APIApplicationCommand, APIUser } from 'discord-api-types/v10';
import { refusal } from '../rest/discord-error.ts';
import type {
  Channel,
  Emoji,
  Guild,
  Interaction,
  StoredFile,
  StoredMessage,
  Thread,
  Webhook,
} from './records.ts';

/** Everything that exists on this Discord, by id. */
export interface State {
  readonly users: Map<string, APIUser>;
  readonly guilds: Map<string, Guild>;
  readonly channels: Map<string, Channel>;
  /** By channel, then by message, oldest first. */
  readonly messages: Map<string, Map<string, StoredMessage>>;
  readonly webhooks: Map<string, Webhook>;
  readonly emojis: Map<string, Emoji>;
  readonly interactions: Map<string, Interaction>;
  /** By the path at which they are served. */
  readonly files: Map<string, StoredFile>;
  /** The application's global commands, in the order of registration. */
  commands: readonly APIApplicationCommand[];
}

export function emptyState(): State {
  return {
    users: new Map(),
    guilds: new Map(),
    channels: new Map(),
    messages: new Map(),
    webhooks: new Map(),
    emojis: new Map(),
    interactions: new Map(),
    files: new Map(),
    commands: [],
  };
}

/** @throws DiscordError 10004. */
export function guildOf(state: State, id: string): Guild {
  const guild = state.guilds.get(id);
  if (guild === undefined) throw refusal('unknownGuild');
  return guild;
}

/** @throws DiscordError 10003. */
export function channelOf(state: State, id: string): Channel {
  const channel = state.channels.get(id);
  if (channel === undefined) throw refusal('unknownChannel');
  return channel;
}

/** A channel's messages, oldest first. */
export function messagesOf(state: State, channelId: string): StoredMessage[] {
  return [...(state.messages.get(channelId)?.values() ?? [])];
}

/** @throws DiscordError 10008. */
export function messageOf(state: State, channelId: string, id: string): StoredMessage {
  const message = state.messages.get(channelId)?.get(id);
  if (message === undefined) throw refusal('unknownMessage');
  return message;
}

/** The threads that hang on a channel, or all of a guild's. */
export function threadsOf(
  state: State,
  where: { readonly parentId: string } | { readonly guildId: string },
): Thread[] {
  return [...state.channels.values()]
    .filter((channel) => channel.kind === 'thread')
    .filter((thread) =>
      'parentId' in where ? thread.parentId === where.parentId : thread.guildId === where.guildId,
    );
}

/** The guild that a channel belongs to; `undefined` for a direct message. */
export function guildIdOf(channel: Channel): string | undefined {
  return channel.kind === 'direct' ? undefined : channel.guildId;
}
