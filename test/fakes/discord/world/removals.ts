import { GatewayDispatchEvents } from 'discord-api-types/v10';
import { guildChannelPayload } from '../payloads/channels.ts';
import { guildCreatePayload } from '../payloads/guilds.ts';
import type { Channel, Guild, GuildChannel, Webhook } from './records.ts';
import { threadsOf } from './state.ts';
import type { World } from './world.ts';

/** Deletes a thread or a channel with all that hangs on it, and tells the gateway. */
export function deleteChannel(world: World, channel: Channel): void {
  const { state } = world;
  if (channel.kind === 'channel') deleteDependants(world, channel);
  const event = deletionEvent(world, channel);
  if (event !== undefined) world.dispatch(event);
  state.channels.delete(channel.id);
  state.messages.delete(channel.id);
}

function deleteDependants(world: World, channel: GuildChannel): void {
  for (const thread of threadsOf(world.state, { parentId: channel.id })) {
    world.state.channels.delete(thread.id);
    world.state.messages.delete(thread.id);
  }
  for (const webhook of world.state.webhooks.values()) {
    if (webhook.channelId === channel.id) world.state.webhooks.delete(webhook.id);
  }
}

function deletionEvent(world: World, channel: Channel) {
  switch (channel.kind) {
    case 'direct':
      return undefined;
    case 'thread':
      return {
        t: GatewayDispatchEvents.ThreadDelete,
        d: {
          id: channel.id,
          guild_id: channel.guildId,
          parent_id: channel.parentId,
          type: channel.type,
        },
        guildId: channel.guildId,
        channelId: channel.id,
      } as const;
    case 'channel':
      return {
        t: GatewayDispatchEvents.ChannelDelete,
        d: { ...guildChannelPayload(world.state, channel), guild_id: channel.guildId },
        guildId: channel.guildId,
        channelId: channel.id,
      } as const;
  }
}

/** Deletes a webhook and tells the gateway which channel's webhooks changed. */
export function deleteWebhook(world: World, webhook: Webhook): void {
  world.state.webhooks.delete(webhook.id);
  announceWebhooks(world, webhook);
}

export function announceWebhooks(
  world: World,
  { guildId, channelId }: Pick<Webhook, 'guildId' | 'channelId'>,
): void {
  world.dispatch({
    t: GatewayDispatchEvents.WebhooksUpdate,
    d: { guild_id: guildId, channel_id: channelId },
    guildId,
    channelId,
  });
}

/** Takes the bot out of a guild: it is told, and from then on knows nothing of it. */
export function removeBot(world: World, guild: Guild): void {
  world.dispatch({
    t: GatewayDispatchEvents.GuildDelete,
    d: { id: guild.id },
    guildId: guild.id,
  });
  guild.members.delete(world.bot.id);
}

/** Puts the bot into a guild that is there: it is told all about it. */
export function addBot(world: World, guild: Guild): void {
  const botRole = [...guild.roles.values()].find(({ tags }) => tags?.bot_id === world.bot.id);
  guild.members.set(world.bot.id, {
    user: world.bot,
    roleIds: botRole === undefined ? [] : [botRole.id],
    joinedAt: new Date(world.clock.now()).toISOString(),
  });
  world.dispatch({
    t: GatewayDispatchEvents.GuildCreate,
    d: guildCreatePayload(world, guild),
    guildId: guild.id,
  });
}

/** A guild is down at Discord's: the bot is told so, and stays in it. */
export function takeDown(world: World, guild: Guild): void {
  world.dispatch({
    t: GatewayDispatchEvents.GuildDelete,
    d: { id: guild.id, unavailable: true },
    guildId: guild.id,
  });
}
