import { UserResponseSchema } from 'discord-api-spec/zod';
import { type APIReaction, GatewayDispatchEvents } from 'discord-api-types/v10';
import * as z from 'zod/mini';
import { botRoute, type Call, noContent, ok } from '../rest/route.ts';
import { demand } from '../world/permissions.ts';
import type { StoredMessage } from '../world/records.ts';
import { channelOf, messageOf } from '../world/state.ts';
import type { World } from '../world/world.ts';

const own = '/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me';

/** The bot's own reactions with ordinary emoji. */
export const reactionRoutes = [
  botRoute('PUT', own, (world, call) => {
    const message = reactedMessage(world, call);
    const emoji = call.param('emoji_name');
    const others = (message.wire.reactions ?? []).filter(({ emoji: { name } }) => name !== emoji);
    message.wire = { ...message.wire, reactions: [...others, reactionPayload(emoji)] };
    announce(world, message, emoji, GatewayDispatchEvents.MessageReactionAdd);
    return noContent;
  }),

  botRoute('DELETE', own, (world, call) => {
    const message = reactedMessage(world, call);
    const emoji = call.param('emoji_name');
    const { reactions, ...wire } = message.wire;
    const left = (reactions ?? []).filter(({ emoji: { name } }) => name !== emoji);
    message.wire = left.length === 0 ? wire : { ...wire, reactions: left };
    announce(world, message, emoji, GatewayDispatchEvents.MessageReactionRemove);
    return noContent;
  }),

  botRoute(
    'GET',
    '/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}',
    (world, call) => {
      const { wire } = reactedMessage(world, call);
      const isReacted = (wire.reactions ?? []).some(
        ({ emoji }) => emoji.name === call.param('emoji_name'),
      );
      return ok(z.array(UserResponseSchema), isReacted ? [world.bot] : []);
    },
  ),
];

function reactedMessage(world: World, call: Call): StoredMessage {
  const channel = channelOf(world.state, call.param('channel_id'));
  demand(world.state, channel, world.bot.id, 'ReadMessageHistory');
  return messageOf(world.state, channel.id, call.param('message_id'));
}

function reactionPayload(emoji: string): APIReaction {
  return {
    emoji: { id: null, name: emoji },
    count: 1,
    count_details: { burst: 0, normal: 1 },
    burst_colors: [],
    me_burst: false,
    me: true,
  };
}

function announce(
  world: World,
  { wire, guildId }: StoredMessage,
  emoji: string,
  t: GatewayDispatchEvents.MessageReactionAdd | GatewayDispatchEvents.MessageReactionRemove,
): void {
  world.dispatch({
    t,
    d: {
      user_id: world.bot.id,
      channel_id: wire.channel_id,
      message_id: wire.id,
      emoji: { id: null, name: emoji },
      burst: false,
      type: 0,
      ...(guildId === undefined ? {} : { guild_id: guildId }),
    },
    guildId,
    channelId: wire.channel_id,
  });
}
