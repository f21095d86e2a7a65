import {
  type APIGuild,
  type APIRole,
  type GatewayGuildCreateDispatchData,
  GuildSystemChannelFlags,
  Locale,
} from 'discord-api-types/v10';
import type { Guild } from '../world/records.ts';
import { threadsOf } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { guildChannelPayload, threadPayload } from './channels.ts';
import { noFlags } from './no-flags.ts';
import { memberPayload } from './users.ts';

export function rolePayload(role: {
  id: string;
  name: string;
  permissions: bigint;
  position: number;
  isMentionable?: boolean;
  ofBot?: string;
}): APIRole {
  return {
    id: role.id,
    name: role.name,
    permissions: role.permissions.toString(),
    position: role.position,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    managed: role.ofBot !== undefined,
    mentionable: role.isMentionable ?? false,
    flags: noFlags,
    ...(role.ofBot === undefined ? {} : { tags: { bot_id: role.ofBot } }),
  } satisfies APIRole;
}

export function guildPayload(guild: Guild): APIGuild {
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.ownerId,
    roles: [...guild.roles.values()],
    icon: null,
    description: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    features: [],
    emojis: [],
    stickers: [],
    application_id: null,
    region: 'deprecated',
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: null,
    system_channel_flags: GuildSystemChannelFlags.SuppressGuildReminderNotifications,
    widget_enabled: false,
    widget_channel_id: null,
    verification_level: 0,
    default_message_notifications: 0,
    mfa_level: 0,
    explicit_content_filter: 0,
    max_presences: null,
    max_members: 500_000,
    max_video_channel_users: 25,
    max_stage_video_channel_users: 50,
    vanity_url_code: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    preferred_locale: Locale.EnglishUS,
    rules_channel_id: null,
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
    premium_progress_bar_enabled: false,
    nsfw_level: 0,
    hub_type: null,
    incidents_data: null,
  } satisfies APIGuild;
}

/** What the gateway says first about a guild. Only the bot is among the members: it is what is sent without the members intent. */
export function guildCreatePayload(world: World, guild: Guild): GatewayGuildCreateDispatchData {
  const { state, bot } = world;
  const own = guild.members.get(bot.id);
  const channels = [...state.channels.values()].filter((channel) => channel.kind === 'channel');
  return {
    ...guildPayload(guild),
    joined_at: own?.joinedAt ?? new Date(world.clock.now()).toISOString(),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    voice_states: [],
    members: own === undefined ? [] : [memberPayload(own)],
    channels: channels
      .filter(({ guildId }) => guildId === guild.id)
      .map((channel) => guildChannelPayload(state, channel)),
    threads: threadsOf(state, { guildId: guild.id })
      .filter((thread) => !thread.isArchived)
      .map((thread) => threadPayload(state, thread, bot.id)),
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  } satisfies GatewayGuildCreateDispatchData;
}
