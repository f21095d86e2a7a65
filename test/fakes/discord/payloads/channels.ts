import {
  type APIDMChannel,
  type APIGuildForumChannel,
  type APIGuildVoiceChannel,
  type APINewsChannel,
  type APITextChannel,
  type APIThreadChannel,
  type APIThreadMember,
  ChannelType,
  ForumLayoutType,
} from 'discord-api-types/v10';
import type { Channel, DirectChannel, GuildChannel, Thread } from '../world/records.ts';
import { messagesOf, type State } from '../world/state.ts';
import { noFlags } from './no-flags.ts';

type GuildChannelPayload =
  | APITextChannel
  | APINewsChannel
  | APIGuildForumChannel
  | APIGuildVoiceChannel;

/** A channel of any kind, as REST answers and gateway events show it. */
export function channelPayload(
  state: State,
  channel: Channel,
): GuildChannelPayload | APIThreadChannel | APIDMChannel {
  if (channel.kind === 'thread') return threadPayload(state, channel);
  if (channel.kind === 'direct') return directChannelPayload(state, channel);
  return guildChannelPayload(state, channel);
}

export function guildChannelPayload(state: State, channel: GuildChannel): GuildChannelPayload {
  const common = {
    id: channel.id,
    guild_id: channel.guildId,
    name: channel.name,
    topic: channel.topic,
    parent_id: null,
    position: 0,
    flags: noFlags,
    nsfw: false,
    rate_limit_per_user: 0,
    last_message_id: lastMessageId(state, channel.id),
    permission_overwrites: [...channel.overwrites],
  };
  if (channel.type === ChannelType.GuildForum) {
    return {
      ...common,
      type: channel.type,
      available_tags: [],
      default_reaction_emoji: null,
      default_sort_order: null,
      default_forum_layout: ForumLayoutType.NotSet,
    } satisfies APIGuildForumChannel;
  }
  if (channel.type === ChannelType.GuildText) {
    return { ...common, type: channel.type } satisfies APITextChannel;
  }
  if (channel.type === ChannelType.GuildVoice) {
    const sound = { bitrate: 64_000, user_limit: 0, rtc_region: null };
    return { ...common, ...sound, type: channel.type } satisfies APIGuildVoiceChannel;
  }
  return { ...common, type: channel.type } satisfies APINewsChannel;
}

/** A thread; with `viewerId`, also that user's membership, if there is one. */
export function threadPayload(state: State, thread: Thread, viewerId?: string): APIThreadChannel {
  const spoken = messagesOf(state, thread.id).length;
  const isViewerIn = viewerId !== undefined && thread.members.has(viewerId);
  return {
    id: thread.id,
    type: thread.type,
    guild_id: thread.guildId,
    parent_id: thread.parentId,
    owner_id: thread.ownerId,
    name: thread.name,
    flags: noFlags,
    rate_limit_per_user: 0,
    last_message_id: lastMessageId(state, thread.id),
    message_count: spoken,
    total_message_sent: spoken,
    member_count: thread.members.size,
    applied_tags: [...thread.appliedTags],
    thread_metadata: {
      archived: thread.isArchived,
      locked: thread.isLocked,
      archive_timestamp: thread.archiveChangedAt,
      auto_archive_duration: thread.autoArchiveMinutes,
      create_timestamp: thread.createdAt,
    },
    ...(isViewerIn ? { member: threadMemberPayload(thread, viewerId) } : {}),
  } satisfies APIThreadChannel;
}

export function threadMemberPayload(thread: Thread, userId: string): APIThreadMember {
  return {
    id: thread.id,
    user_id: userId,
    join_timestamp: thread.members.get(userId) ?? thread.createdAt,
    flags: noFlags,
  } satisfies APIThreadMember;
}

function directChannelPayload(state: State, channel: DirectChannel): APIDMChannel {
  return {
    id: channel.id,
    type: ChannelType.DM,
    name: null,
    flags: noFlags,
    last_message_id: lastMessageId(state, channel.id),
    recipients: [channel.recipient],
  } satisfies APIDMChannel;
}

function lastMessageId(state: State, channelId: string): string | null {
  return messagesOf(state, channelId).at(-1)?.wire.id ?? null;
}
