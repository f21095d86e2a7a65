import { type APIOverwrite, ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { refusal } from '../rest/discord-error.ts';
import type { Channel, Guild, GuildChannel } from './records.ts';
import { channelOf, guildOf, type State } from './state.ts';

export type PermissionName = keyof typeof PermissionFlagsBits;

const everything = Object.values(PermissionFlagsBits).reduce((all, bit) => all | bit, 0n);

/** What the bot needs for all that Council does, beyond administrating. */
export const usualBotPermissions = [
  'ViewChannel',
  'SendMessages',
  'SendMessagesInThreads',
  'CreatePublicThreads',
  'ManageWebhooks',
  'ReadMessageHistory',
  'AttachFiles',
  'EmbedLinks',
] as const satisfies readonly PermissionName[];

/** What an ordinary member of a new guild may do. */
export const usualMemberPermissions = [
  'ViewChannel',
  'SendMessages',
  'SendMessagesInThreads',
  'CreatePublicThreads',
  'ReadMessageHistory',
  'AttachFiles',
  'EmbedLinks',
  'AddReactions',
  'Connect',
  'UseApplicationCommands',
] as const satisfies readonly PermissionName[];

/** The bits of named permissions. */
export function bitsOf(names: readonly PermissionName[]): bigint {
  return names.reduce((bits, name) => bits | PermissionFlagsBits[name], 0n);
}

/** What a member's roles allow in the whole guild. Not a member: nothing. */
export function guildPermissions(guild: Guild, userId: string): bigint {
  const member = guild.members.get(userId);
  if (member === undefined) return 0n;
  if (guild.ownerId === userId) return everything;
  const bits = [guild.id, ...member.roleIds].reduce(
    (sum, roleId) => sum | BigInt(guild.roles.get(roleId)?.permissions ?? 0),
    0n,
  );
  return (bits & PermissionFlagsBits.Administrator) !== 0n ? everything : bits;
}

/**
 * What a user may do in a channel: the roles' permissions, then the channel's overwrites for everyone,
 * for the roles together, for the member. A thread has its parent's; in a direct message all is allowed.
 */
export function channelPermissions(state: State, channel: Channel, userId: string): bigint {
  if (channel.kind === 'direct') return everything;
  const guild = guildOf(state, channel.guildId);
  const base = guildPermissions(guild, userId);
  if (base === everything) return base;
  const { overwrites } = parentOf(state, channel);
  const roleIds = guild.members.get(userId)?.roleIds ?? [];
  const forEveryone = overwrites.filter(({ id }) => id === guild.id);
  const forRoles = overwrites.filter(({ id }) => id !== guild.id && roleIds.includes(id));
  const forMember = overwrites.filter(({ id }) => id === userId);
  return [forEveryone, forRoles, forMember].reduce(applied, base);
}

function applied(permissions: bigint, overwrites: readonly APIOverwrite[]): bigint {
  const denied = overwrites.reduce((bits, { deny }) => bits | BigInt(deny), 0n);
  const allowed = overwrites.reduce((bits, { allow }) => bits | BigInt(allow), 0n);
  return (permissions & ~denied) | allowed;
}

/** The channel whose overwrites hold: itself, or what a thread hangs on. */
export function parentOf(state: State, channel: Channel): GuildChannel {
  if (channel.kind === 'channel') return channel;
  const parent = channel.kind === 'thread' ? channelOf(state, channel.parentId) : undefined;
  if (parent?.kind !== 'channel') throw refusal('unknownChannel');
  return parent;
}

/**
 * Whether a user may do something in a channel. Private threads are for their members and for moderators, the
 * chats of voice channels for those who may join.
 */
export function may(
  state: State,
  channel: Channel,
  userId: string,
  permission: PermissionName,
): boolean {
  const permissions = channelPermissions(state, channel, userId);
  const has = (name: PermissionName) => (permissions & PermissionFlagsBits[name]) !== 0n;
  const isClosed =
    channel.kind === 'thread' &&
    channel.type === ChannelType.PrivateThread &&
    !channel.members.has(userId);
  const isVoice = channel.kind === 'channel' && channel.type === ChannelType.GuildVoice;
  if (isVoice && !has('Connect')) return false;
  return has(permission) && (!isClosed || has('ManageThreads'));
}

/**
 * Refuses what a user may not do in a channel.
 *
 * @throws DiscordError 50001 when the channel cannot even be seen, 50013 for another missing permission.
 */
export function demand(
  state: State,
  channel: Channel,
  userId: string,
  ...permissions: readonly PermissionName[]
): void {
  if (!may(state, channel, userId, 'ViewChannel')) throw refusal('missingAccess');
  if (!permissions.every((permission) => may(state, channel, userId, permission))) {
    throw refusal('missingPermissions');
  }
}

/** The permission that speaking in this channel takes. */
export function speakingPermission(channel: Channel): PermissionName {
  return channel.kind === 'thread' ? 'SendMessagesInThreads' : 'SendMessages';
}

export function isForum(channel: Channel): boolean {
  return channel.kind === 'channel' && channel.type === ChannelType.GuildForum;
}
