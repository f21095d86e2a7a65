import {
  GuildChannelResponseSchema,
  GuildMemberResponseSchema,
  GuildRoleResponseSchema,
  GuildWithCountsResponseSchema,
  MyGuildResponseSchema,
  ThreadMemberResponseSchema,
  ThreadResponseSchema,
} from 'discord-api-spec/zod';
import { ApplicationFlags } from 'discord-api-types/v10';
import * as z from 'zod/mini';
import { guildChannelPayload, threadMemberPayload, threadPayload } from '../payloads/channels.ts';
import { guildPayload } from '../payloads/guilds.ts';
import { memberPayload } from '../payloads/users.ts';
import { refusal } from '../rest/discord-error.ts';
import { botRoute, type Call, ok } from '../rest/route.ts';
import { guildPermissions } from '../world/permissions.ts';
import type { Guild } from '../world/records.ts';
import { guildOf, threadsOf } from '../world/state.ts';
import type { World } from '../world/world.ts';

const threadsAnswer = z.object({
  threads: z.array(ThreadResponseSchema),
  members: z.array(ThreadMemberResponseSchema),
});

/** Guilds and what is in them, as far as the bot is a member. */
export const guildRoutes = [
  botRoute('GET', '/users/@me/guilds', ({ state, bot }) => {
    const own = [...state.guilds.values()].filter(({ members }) => members.has(bot.id));
    return ok(
      z.array(MyGuildResponseSchema),
      own.map((guild) => ownGuildPayload(guild, bot.id)),
    );
  }),

  botRoute('GET', '/guilds/{guild_id}', (world, call) => {
    const { hub_type: _, ...guild } = guildPayload(ownGuild(world, call));
    return ok(GuildWithCountsResponseSchema, { ...guild, home_header: null, nsfw: false });
  }),

  botRoute('GET', '/guilds/{guild_id}/channels', (world, call) => {
    const guild = ownGuild(world, call);
    const channels = [...world.state.channels.values()]
      .filter((channel) => channel.kind === 'channel')
      .filter(({ guildId }) => guildId === guild.id);
    return ok(
      z.array(GuildChannelResponseSchema),
      channels.map((channel) => guildChannelPayload(world.state, channel)),
    );
  }),

  botRoute('GET', '/guilds/{guild_id}/roles', (world, call) =>
    ok(z.array(GuildRoleResponseSchema), [...ownGuild(world, call).roles.values()]),
  ),

  botRoute('GET', '/guilds/{guild_id}/members', (world, call) => {
    const mayList = (world.applicationFlags & ApplicationFlags.GatewayGuildMembersLimited) !== 0;
    if (!mayList) throw refusal('missingAccess');
    const limit = Number(call.query.get('limit') ?? 1);
    const after = BigInt(call.query.get('after') ?? 0);
    const members = [...ownGuild(world, call).members.values()].filter(
      ({ user }) => BigInt(user.id) > after,
    );
    return ok(z.array(GuildMemberResponseSchema), members.slice(0, limit).map(memberPayload));
  }),

  botRoute('GET', '/guilds/{guild_id}/members/{user_id}', (world, call) => {
    const member = ownGuild(world, call).members.get(call.param('user_id'));
    if (member === undefined) throw refusal('unknownMember');
    return ok(GuildMemberResponseSchema, memberPayload(member));
  }),

  botRoute('GET', '/guilds/{guild_id}/threads/active', (world, call) => {
    const { state, bot } = world;
    const threads = threadsOf(state, { guildId: ownGuild(world, call).id }).filter(
      (thread) => !thread.isArchived,
    );
    return ok(threadsAnswer, {
      threads: threads.map((thread) => threadPayload(state, thread, bot.id)),
      members: threads
        .filter((thread) => thread.members.has(bot.id))
        .map((thread) => threadMemberPayload(thread, bot.id)),
    });
  }),
];

/** @throws DiscordError 10004 for a guild that is not, or that the bot is not in. */
function ownGuild(world: World, call: Call): Guild {
  const guild = guildOf(world.state, call.param('guild_id'));
  if (!guild.members.has(world.bot.id)) throw refusal('unknownGuild');
  return guild;
}

function ownGuildPayload(guild: Guild, botId: string): object {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    banner: null,
    owner: guild.ownerId === botId,
    permissions: guildPermissions(guild, botId).toString(),
    features: [],
  };
}
