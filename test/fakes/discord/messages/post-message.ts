import {
  type APIMessage,
  type APIMessageInteractionMetadata,
  type APIUser,
  ChannelType,
  GatewayDispatchEvents,
  MessageReferenceType,
  MessageType,
} from 'discord-api-types/v10';
import { noFlags } from '../payloads/no-flags.ts';
import { authorMemberPayload } from '../payloads/users.ts';
import type { Channel, Pings, StoredMessage } from '../world/records.ts';
import { guildIdOf, type State } from '../world/state.ts';
import { joinThread, updateThread } from '../world/threads.ts';
import { timestamp, type World } from '../world/world.ts';
import type { MessageParts } from './message-parts.ts';
import { noPings } from './pings.ts';

/** A message that is about to appear. Anyone who posts it has checked that it may. */
export interface NewMessage {
  readonly channel: Channel;
  readonly author: APIUser;
  readonly parts: MessageParts;
  readonly type?: MessageType;
  /** A forum post's first message has the post's id. */
  readonly id?: string;
  readonly flags?: number;
  readonly pings?: Pings;
  readonly answers?: StoredMessage;
  readonly forwards?: StoredMessage;
  readonly webhookId?: string;
  readonly applicationId?: string;
  readonly metadata?: APIMessageInteractionMetadata;
  readonly nonce?: string;
  /** The only user who sees it. */
  readonly onlyFor?: string;
  readonly avatarUrl?: string;
}

/** Puts a message into its channel and tells the gateway. A sleeping thread wakes. */
export function postMessage(world: World, message: NewMessage): StoredMessage {
  const { channel } = message;
  if (channel.kind === 'thread') {
    if (channel.isArchived) updateThread(world, channel, { isArchived: false });
    if (message.webhookId === undefined) joinThread(world, channel, message.author.id);
  }
  const stored: StoredMessage = {
    wire: wireMessage(world, message),
    guildId: guildIdOf(channel),
    pings: message.pings ?? noPings,
    onlyFor: message.onlyFor,
    nonce: message.nonce,
    avatarUrl: message.avatarUrl,
  };
  const siblings = world.state.messages.get(channel.id) ?? new Map<string, StoredMessage>();
  world.state.messages.set(channel.id, siblings.set(stored.wire.id, stored));
  announceMessage(world, stored, GatewayDispatchEvents.MessageCreate);
  return stored;
}

/** Changes what a message shows, also where others refer to it, and tells the gateway. No one is notified by an edit. */
export function editMessage(
  world: World,
  stored: StoredMessage,
  change: Partial<Pick<APIMessage, 'flags' | 'mentions' | 'thread' | 'edited_timestamp'>> &
    Partial<MessageParts>,
): StoredMessage {
  stored.wire = { ...stored.wire, ...change };
  const { referenced_message: _, ...shown } = stored.wire;
  for (const other of [...world.state.messages.values()].flatMap((some) => [...some.values()])) {
    if (other.wire.referenced_message?.id !== shown.id) continue;
    other.wire = { ...other.wire, referenced_message: shown };
  }
  announceMessage(world, stored, GatewayDispatchEvents.MessageUpdate);
  return stored;
}

/** Takes a message away and tells the gateway. */
export function deleteMessage(world: World, stored: StoredMessage): void {
  const { id, channel_id: channelId } = stored.wire;
  world.state.messages.get(channelId)?.delete(id);
  if (stored.onlyFor !== undefined) return;
  world.dispatch({
    t: GatewayDispatchEvents.MessageDelete,
    d: { id, channel_id: channelId, ...guildField(stored.guildId) },
    guildId: stored.guildId,
    channelId,
  });
}

/** Deletes several messages of a channel of a guild at once: the gateway tells of them together. */
export function deleteMessages(world: World, stored: readonly StoredMessage[]): void {
  const [first] = stored;
  if (first === undefined) return;
  const { channel_id: channelId } = first.wire;
  for (const { wire } of stored) world.state.messages.get(channelId)?.delete(wire.id);
  world.dispatch({
    t: GatewayDispatchEvents.MessageDeleteBulk,
    d: {
      ids: stored.map(({ wire }) => wire.id),
      channel_id: channelId,
      ...guildField(first.guildId),
    },
    guildId: first.guildId,
    channelId,
  });
}

/** Tells the gateway of a new or changed message. What one user alone sees is not told. */
export function announceMessage(
  world: World,
  stored: StoredMessage,
  event: GatewayDispatchEvents.MessageCreate | GatewayDispatchEvents.MessageUpdate,
): void {
  if (stored.onlyFor !== undefined) return;
  const { wire, guildId } = stored;
  const member =
    guildId === undefined
      ? undefined
      : world.state.guilds.get(guildId)?.members.get(wire.author.id);
  world.dispatch({
    t: event,
    d: {
      ...wire,
      ...guildField(guildId),
      ...channelTypeField(world, wire.channel_id),
      ...(member === undefined ? {} : { member: authorMemberPayload(member) }),
      ...(stored.nonce === undefined ? {} : { nonce: stored.nonce }),
    },
    guildId,
    channelId: wire.channel_id,
  });
}

function wireMessage(world: World, message: NewMessage): APIMessage {
  const { state } = world;
  const pings = message.pings ?? noPings;
  return {
    id: message.id ?? world.nextId(),
    channel_id: message.channel.id,
    type: message.type ?? MessageType.Default,
    author: message.author,
    ...message.parts,
    timestamp: timestamp(world),
    edited_timestamp: null,
    tts: false,
    mention_everyone: pings.everyone,
    mentions: mentionedUsers(state, pings),
    mention_roles: [...pings.roles],
    pinned: false,
    flags: message.flags ?? noFlags,
    ...(message.webhookId === undefined ? {} : { webhook_id: message.webhookId }),
    ...(message.applicationId === undefined ? {} : { application_id: message.applicationId }),
    ...(message.metadata === undefined ? {} : { interaction_metadata: message.metadata }),
    ...(message.answers === undefined ? {} : reference(message.answers)),
    ...(message.forwards === undefined ? {} : forwarded(message.forwards)),
  } satisfies APIMessage;
}

export function mentionedUsers(state: State, pings: Pings): APIUser[] {
  return pings.users.flatMap((id) => state.users.get(id) ?? []);
}

function reference(
  answered: StoredMessage,
): Pick<APIMessage, 'message_reference' | 'referenced_message'> {
  const { referenced_message: _, ...wire } = answered.wire;
  return {
    message_reference: {
      type: MessageReferenceType.Default,
      message_id: wire.id,
      channel_id: wire.channel_id,
      ...guildField(answered.guildId),
    },
    referenced_message: wire,
  };
}

/** A copy of what it says goes with it; not who said it. */
function forwarded({
  wire,
  guildId,
}: StoredMessage): Pick<APIMessage, 'message_reference' | 'message_snapshots'> {
  const { type, content, embeds, attachments, timestamp: at, edited_timestamp } = wire;
  const { mentions, mention_roles, components = [], flags = noFlags } = wire;
  const message = {
    type,
    content,
    embeds,
    attachments,
    timestamp: at,
    edited_timestamp,
    mentions,
    mention_roles,
    components,
    flags,
  };
  return {
    message_reference: {
      type: MessageReferenceType.Forward,
      message_id: wire.id,
      channel_id: wire.channel_id,
      ...guildField(guildId),
    },
    message_snapshots: [{ message }],
  };
}

/** Clients learn by it of a direct message in a channel that they have never seen. */
function channelTypeField(world: World, channelId: string) {
  const channel = world.state.channels.get(channelId);
  if (channel === undefined) return {};
  if (channel.kind === 'direct') return { channel_type: ChannelType.DM } as const;
  const { type } = channel;
  return type === ChannelType.GuildForum ? {} : { channel_type: type };
}

function guildField(guildId: string | undefined): { guild_id?: string } {
  return guildId === undefined ? {} : { guild_id: guildId };
}
