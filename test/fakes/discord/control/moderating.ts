import { GatewayDispatchEvents, OverwriteType } from 'discord-api-types/v10';
import type { GatewayEvent } from '../gateway/events.ts';
import { deleteMessage, deleteMessages } from '../messages/post-message.ts';
import { guildChannelPayload, threadMemberPayload, threadPayload } from '../payloads/channels.ts';
import { bitsOf, may, type PermissionName } from '../world/permissions.ts';
import type { Guild, GuildChannel, StoredMessage, Thread } from '../world/records.ts';
import { addBot, deleteChannel, deleteWebhook, removeBot, takeDown } from '../world/removals.ts';
import { threadsOf } from '../world/state.ts';
import { updateThread } from '../world/threads.ts';
import type { World } from '../world/world.ts';

/** What moderators do behind the bot's back. A connected bot is told of it. */
export function moderating(world: World) {
  const setOverwrite = (
    channel: GuildChannel,
    id: string,
    type: OverwriteType,
    change: { allow: readonly PermissionName[]; deny: readonly PermissionName[] },
  ) => {
    const overwrite = {
      id,
      type,
      allow: bitsOf(change.allow).toString(),
      deny: bitsOf(change.deny).toString(),
    };
    const couldView = may(world.state, channel, world.bot.id, 'ViewChannel');
    channel.overwrites = [...channel.overwrites.filter((other) => other.id !== id), overwrite];
    world.dispatch({
      t: GatewayDispatchEvents.ChannelUpdate,
      d: { ...guildChannelPayload(world.state, channel), guild_id: channel.guildId },
      guildId: channel.guildId,
    });
    if (!couldView && may(world.state, channel, world.bot.id, 'ViewChannel')) {
      world.dispatch(threadListSync(world, channel));
    }
  };

  return {
    /** Takes permissions from the bot in one channel and its threads; those taken before come back. */
    revokePermissions(channel: GuildChannel, ...deny: readonly PermissionName[]): void {
      setOverwrite(channel, world.bot.id, OverwriteType.Member, { allow: [], deny });
    },

    /** Gives permissions to the bot in one channel and its threads. */
    grantPermissions(channel: GuildChannel, ...allow: readonly PermissionName[]): void {
      setOverwrite(channel, world.bot.id, OverwriteType.Member, { allow, deny: [] });
    },

    /** Takes permissions from everybody in one channel and its threads. */
    denyEveryone(channel: GuildChannel, ...deny: readonly PermissionName[]): void {
      setOverwrite(channel, channel.guildId, OverwriteType.Role, { allow: [], deny });
    },

    /** Locks a thread; it is closed as well, unless said otherwise. */
    lockThread(thread: Thread, how: { readonly isArchived?: boolean } = {}): void {
      updateThread(world, thread, { isLocked: true, isArchived: how.isArchived ?? true });
    },

    /** Lets a thread fall asleep. */
    archiveThread(thread: Thread): void {
      updateThread(world, thread, { isArchived: true });
    },

    /** From now on no thread may be named with these words. */
    blockTitles(guild: Guild, ...words: readonly string[]): void {
      guild.blockedWords = words;
    },

    /** From now on no more threads may be open at once. */
    limitThreads(guild: Guild, most: number): void {
      guild.maxActiveThreads = most;
    },

    /** From now on those who moderate need two-factor authentication, which the bot's owner has not. */
    requireTwoFactor(guild: Guild): void {
      guild.needsTwoFactor = true;
    },

    deleteMessage: (message: StoredMessage): void => deleteMessage(world, message),
    deleteMessages: (messages: readonly StoredMessage[]): void => deleteMessages(world, messages),
    deleteThread: (thread: Thread): void => deleteChannel(world, thread),
    deleteChannel: (channel: GuildChannel): void => deleteChannel(world, channel),

    /** Deletes all webhooks of a channel. */
    deleteWebhooks(channel: GuildChannel): void {
      for (const webhook of world.state.webhooks.values()) {
        if (webhook.channelId === channel.id) deleteWebhook(world, webhook);
      }
    },

    /** Takes the bot out of a guild. */
    removeBot: (guild: Guild): void => removeBot(world, guild),

    /** Puts the bot back into a guild. */
    addBot: (guild: Guild): void => addBot(world, guild),

    /** A guild is down at Discord's. The bot is still in it. */
    takeDown: (guild: Guild): void => takeDown(world, guild),
  };
}

/** What a bot is told that may see a channel again: the threads that are open there. */
function threadListSync({ state, bot }: World, channel: GuildChannel): GatewayEvent {
  const threads = threadsOf(state, { parentId: channel.id }).filter((thread) => !thread.isArchived);
  return {
    t: GatewayDispatchEvents.ThreadListSync,
    d: {
      guild_id: channel.guildId,
      channel_ids: [channel.id],
      threads: threads.map((thread) => threadPayload(state, thread)),
      members: threads
        .filter((thread) => thread.members.has(bot.id))
        .map((thread) => threadMemberPayload(thread, bot.id)),
    },
    guildId: channel.guildId,
    channelId: channel.id,
  };
}
