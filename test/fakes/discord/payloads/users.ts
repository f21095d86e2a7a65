import { createHash } from 'node:crypto';
import type { APIGuildMember, APIUser } from 'discord-api-types/v10';
import type { Member, Webhook } from '../world/records.ts';
import { noFlags } from './no-flags.ts';

/** A user as every answer shows it. */
export function userPayload(user: { id: string; name: string; isBot?: boolean }): APIUser {
  return {
    id: user.id,
    username: user.name.toLowerCase().replaceAll(' ', '_'),
    global_name: user.name,
    discriminator: user.isBot === true ? '0001' : '0',
    avatar: null,
    public_flags: noFlags,
    flags: noFlags,
    primary_guild: null,
    ...(user.isBot === true ? { bot: true } : {}),
  } satisfies APIUser;
}

/** The author that a webhook message shows: the webhook's id under the name and picture of this message. */
export function personaPayload(
  webhook: Webhook,
  username: string | undefined,
  avatarUrl: string | undefined,
): APIUser {
  return {
    id: webhook.id,
    username: username ?? webhook.name,
    global_name: null,
    discriminator: '0000',
    avatar: avatarUrl === undefined ? webhook.avatar : avatarHash(avatarUrl),
    public_flags: noFlags,
    flags: noFlags,
    primary_guild: null,
    bot: true,
  } satisfies APIUser;
}

/** Stands for the hash under which Discord keeps a picture. */
export function avatarHash(source: string): string {
  return createHash('md5').update(source).digest('hex');
}

export function memberPayload(member: Member): APIGuildMember {
  return {
    user: member.user,
    nick: member.nick ?? null,
    avatar: null,
    banner: null,
    roles: [...member.roleIds],
    joined_at: member.joinedAt,
    premium_since: null,
    deaf: false,
    mute: false,
    flags: noFlags,
    pending: false,
    communication_disabled_until: null,
  } satisfies APIGuildMember;
}

/** A member as a message carries it: the author is beside it, so no user inside. */
export function authorMemberPayload(member: Member): Omit<APIGuildMember, 'user'> {
  const { user: _, ...withoutUser } = memberPayload(member);
  return withoutUser;
}
