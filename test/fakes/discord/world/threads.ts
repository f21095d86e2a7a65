import { ChannelType, GatewayDispatchEvents } from 'discord-api-types/v10';
import { threadMemberPayload, threadPayload } from '../payloads/channels.ts';
import type { GuildChannel, Thread } from './records.ts';
import { timestamp, type World } from './world.ts';

export interface NewThread {
  readonly parent: GuildChannel;
  readonly name: string;
  readonly ownerId: string;
  /** The id of the message that it starts from; left out, it gets its own. */
  readonly id?: string;
  readonly autoArchiveMinutes?: Thread['autoArchiveMinutes'];
  readonly isPrivate?: boolean;
  readonly appliedTags?: readonly string[];
}

/** Opens a thread, with its owner in it, and tells the gateway. */
export function createThread(world: World, opened: NewThread): Thread {
  const now = timestamp(world);
  const thread: Thread = {
    kind: 'thread',
    id: opened.id ?? world.nextId(),
    type: threadType(opened),
    guildId: opened.parent.guildId,
    parentId: opened.parent.id,
    ownerId: opened.ownerId,
    createdAt: now,
    name: opened.name,
    isArchived: false,
    isLocked: false,
    archiveChangedAt: now,
    autoArchiveMinutes: opened.autoArchiveMinutes ?? 1440,
    appliedTags: opened.appliedTags ?? [],
    members: new Map([[opened.ownerId, now]]),
  };
  world.state.channels.set(thread.id, thread);
  world.dispatch({
    t: GatewayDispatchEvents.ThreadCreate,
    d: { ...threadPayload(world.state, thread, world.bot.id), newly_created: true },
    guildId: thread.guildId,
    channelId: thread.id,
  });
  return thread;
}

/** Changes a thread and tells the gateway. */
export function updateThread(
  world: World,
  thread: Thread,
  change: Partial<
    Pick<Thread, 'name' | 'isArchived' | 'isLocked' | 'autoArchiveMinutes' | 'appliedTags'>
  >,
): void {
  const isArchiveChanged =
    change.isArchived !== undefined && change.isArchived !== thread.isArchived;
  Object.assign(thread, change, isArchiveChanged ? { archiveChangedAt: timestamp(world) } : {});
  world.dispatch({
    t: GatewayDispatchEvents.ThreadUpdate,
    d: threadPayload(world.state, thread, world.bot.id),
    guildId: thread.guildId,
    channelId: thread.id,
  });
}

/** Makes a user a member of a thread. Without the members intent a bot is told of itself alone. */
export function joinThread(world: World, thread: Thread, userId: string): void {
  if (thread.members.has(userId)) return;
  thread.members.set(userId, timestamp(world));
  if (userId !== world.bot.id) return;
  if (thread.type === ChannelType.PrivateThread) {
    world.dispatch({
      t: GatewayDispatchEvents.ThreadCreate,
      d: threadPayload(world.state, thread, userId),
      guildId: thread.guildId,
      channelId: thread.id,
    });
  }
  world.dispatch({
    t: GatewayDispatchEvents.ThreadMembersUpdate,
    d: {
      id: thread.id,
      guild_id: thread.guildId,
      member_count: thread.members.size,
      added_members: [threadMemberPayload(thread, userId)],
    },
    guildId: thread.guildId,
    channelId: thread.id,
  });
}

/** Takes a user out of a thread. */
export function leaveThread(world: World, thread: Thread, userId: string): void {
  if (!thread.members.delete(userId) || userId !== world.bot.id) return;
  world.dispatch({
    t: GatewayDispatchEvents.ThreadMembersUpdate,
    d: {
      id: thread.id,
      guild_id: thread.guildId,
      member_count: thread.members.size,
      removed_member_ids: [userId],
    },
    guildId: thread.guildId,
    channelId: thread.id,
  });
}

function threadType({ parent, isPrivate }: NewThread): Thread['type'] {
  if (isPrivate === true) return ChannelType.PrivateThread;
  return parent.type === ChannelType.GuildAnnouncement
    ? ChannelType.AnnouncementThread
    : ChannelType.PublicThread;
}
