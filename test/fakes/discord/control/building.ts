import { type APIUser, ChannelType, GatewayDispatchEvents } from 'discord-api-types/v10';
import { guildChannelPayload } from '../payloads/channels.ts';
import { guildCreatePayload, rolePayload } from '../payloads/guilds.ts';
import { memberPayload, userPayload } from '../payloads/users.ts';
import { directChannel } from '../world/direct-channels.ts';
import {
  bitsOf,
  type PermissionName,
  usualBotPermissions,
  usualMemberPermissions,
} from '../world/permissions.ts';
import type { DirectChannel, Guild, GuildChannel, Webhook } from '../world/records.ts';
import { announceWebhooks } from '../world/removals.ts';
import { timestamp, type World } from '../world/world.ts';

export interface GuildOptions {
  readonly name?: string;
  /** What the bot's role allows beside what everybody may; all that Council needs when left out. */
  readonly botPermissions?: readonly PermissionName[];
  /** Names of text channels that it has from the beginning. */
  readonly channels?: readonly string[];
}

/** Puts guilds, people and channels into the world. A connected bot is told of them. */
export function building(world: World) {
  const addUser = (name: string): APIUser => {
    const user = userPayload({ id: world.nextId(), name });
    world.state.users.set(user.id, user);
    return user;
  };

  return {
    /** Someone who is in no guild yet. */
    addUser,

    /** A guild with an owner, the bot and its role, and no channel. */
    addGuild(options: GuildOptions = {}): Guild {
      const id = world.nextId();
      const owner = addUser(`${options.name ?? 'Guild'} owner`);
      const botRoleId = world.nextId();
      const joinedAt = timestamp(world);
      const everyone = bitsOf(usualMemberPermissions);
      const forBot = bitsOf(options.botPermissions ?? usualBotPermissions);
      const guild: Guild = {
        id,
        name: options.name ?? 'Guild',
        ownerId: owner.id,
        roles: new Map([
          [id, rolePayload({ id, name: '@everyone', permissions: everyone, position: 0 })],
          [
            botRoleId,
            rolePayload({
              id: botRoleId,
              name: world.bot.username,
              permissions: forBot,
              position: 1,
              ofBot: world.bot.id,
            }),
          ],
        ]),
        members: new Map([
          [owner.id, { user: owner, roleIds: [], joinedAt }],
          [world.bot.id, { user: world.bot, roleIds: [botRoleId], joinedAt }],
        ]),
        commands: [],
        blockedWords: [],
        maxActiveThreads: 1000,
        needsTwoFactor: false,
      };
      world.state.guilds.set(id, guild);
      for (const name of options.channels ?? []) {
        const channel = newChannel(world, guild, name);
        world.state.channels.set(channel.id, channel);
      }
      world.dispatch({
        t: GatewayDispatchEvents.GuildCreate,
        d: guildCreatePayload(world, guild),
        guildId: id,
      });
      return guild;
    },

    /** Tells the bot of a guild that it is in, as after an outage of the guild. */
    tellGuild(guild: Guild): void {
      world.dispatch({
        t: GatewayDispatchEvents.GuildCreate,
        d: guildCreatePayload(world, guild),
        guildId: guild.id,
      });
    },

    /** A member, new or known, with a role of its own for permissions that not everybody has. */
    addMember(
      guild: Guild,
      member: string | APIUser,
      permissions: readonly PermissionName[] = [],
      nick?: string,
    ): APIUser {
      const user = typeof member === 'string' ? addUser(member) : member;
      const roleIds = permissions.length === 0 ? [] : [addRole(world, guild, permissions)];
      const joined = { user, roleIds, ...(nick && { nick }), joinedAt: timestamp(world) };
      guild.members.set(user.id, joined);
      world.dispatch({
        t: GatewayDispatchEvents.GuildMemberAdd,
        d: { ...memberPayload(joined), guild_id: guild.id },
        guildId: guild.id,
      });
      return user;
    },

    /** From now on a member has these permissions beside what everybody has. */
    setMemberPermissions(
      guild: Guild,
      user: APIUser,
      permissions: readonly PermissionName[],
    ): void {
      const member = guild.members.get(user.id);
      if (member === undefined) throw new Error(`${user.username} is not in ${guild.name}.`);
      member.roleIds = [addRole(world, guild, permissions)];
    },

    /** A role; mentionable, so that a ping of it can be seen. Returns its id. */
    addRole: (guild: Guild, permissions: readonly PermissionName[] = []) =>
      addRole(world, guild, permissions),

    /** A text channel; with another type, an announcement or voice channel or a forum. */
    addChannel(
      guild: Guild,
      name: string,
      type: GuildChannel['type'] = ChannelType.GuildText,
    ): GuildChannel {
      const channel = newChannel(world, guild, name, type);
      world.state.channels.set(channel.id, channel);
      world.dispatch({
        t: GatewayDispatchEvents.ChannelCreate,
        d: { ...guildChannelPayload(world.state, channel), guild_id: guild.id },
        guildId: guild.id,
        channelId: channel.id,
      });
      return channel;
    },

    /** A webhook that someone else made: the bot may see it, and is not told its token. */
    addWebhook(channel: GuildChannel, creator: APIUser, name: string): Webhook {
      const webhook: Webhook = {
        id: world.nextId(),
        token: `webhook-token-${world.nextId()}`,
        guildId: channel.guildId,
        creator,
        applicationId: null,
        channelId: channel.id,
        name,
        avatar: null,
      };
      world.state.webhooks.set(webhook.id, webhook);
      announceWebhooks(world, webhook);
      return webhook;
    },

    /** The bot's direct messages with a user. */
    directMessages: (user: APIUser): DirectChannel => directChannel(world, user),
  };
}

function addRole(world: World, guild: Guild, permissions: readonly PermissionName[]): string {
  const role = rolePayload({
    id: world.nextId(),
    name: `role of ${permissions.join(', ')}`,
    permissions: bitsOf(permissions),
    position: guild.roles.size,
    isMentionable: true,
  });
  guild.roles.set(role.id, role);
  world.dispatch({
    t: GatewayDispatchEvents.GuildRoleCreate,
    d: { guild_id: guild.id, role },
    guildId: guild.id,
  });
  return role.id;
}

function newChannel(
  world: World,
  guild: Guild,
  name: string,
  type: GuildChannel['type'] = ChannelType.GuildText,
): GuildChannel {
  const id = world.nextId();
  return { kind: 'channel', id, type, guildId: guild.id, name, topic: null, overwrites: [] };
}
