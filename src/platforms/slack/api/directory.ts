/** Members and conversations, as Slack describes them. */

import { z } from 'zod';
import type { SlackApi } from './slack-api.ts';

const rights = { is_admin: z.boolean().default(false), is_owner: z.boolean().default(false) };
const userSchema = z.object({
  user: z.object({
    id: z.string(),
    team_id: z.string().default(''),
    name: z.string().default(''),
    is_stranger: z.boolean().default(false),
    enterprise_user: z
      .object({ enterprise_id: z.string(), teams: z.array(z.string()).default([]), ...rights })
      .exactOptional(),
    ...rights,
    is_bot: z.boolean().default(false),
    profile: z
      .object({ display_name: z.string().default(''), real_name: z.string().default('') })
      .prefault({}),
  }),
});

/** Reads a member of a workspace. Needs the scope `users:read`. Throws as {@link SlackApi.call} does. */
export async function readUser(api: SlackApi, team: string, userId: string) {
  const { user } = userSchema.parse(await api.call(team, 'users.info', { user: userId }));
  const { id, profile, enterprise_user: organisation } = user;
  const homes = [user.team_id, organisation?.enterprise_id, ...(organisation?.teams ?? [])];
  const isForeign = user.is_stranger || !homes.includes(team);
  const isAdminBy = ({ is_admin, is_owner }: Pick<typeof user, 'is_admin' | 'is_owner'>) =>
    !isForeign && (is_admin || is_owner);
  return {
    /** The display name; without one, the real name. */
    name: [profile.display_name, profile.real_name, user.name].find((one) => one !== '') ?? id,
    /** An admin or owner of this workspace, not of another one that shares a channel with it; in an organisation, of a workspace in it. */
    isAdmin: isAdminBy(user),
    /** The same, but in an organisation only of the whole organisation. */
    isAdminOfAll: isAdminBy(organisation?.enterprise_id === team ? organisation : user),
    /** A member of another organisation that shares a channel with this one. */
    isForeign,
    /** An app, or Slack itself. */
    isBot: user.is_bot,
  };
}

const flag = z.boolean().exactOptional();
const infoSchema = z.object({
  channel: z.object({
    name: z.string().default(''),
    /** Id of the member who created it. */
    creator: z.string().default(''),
    is_channel: flag,
    is_private: flag,
    is_im: flag,
    is_mpim: flag,
    is_shared: flag,
    is_ext_shared: flag,
    is_org_shared: flag,
  }),
});

/** A conversation as Slack describes it; absent fields are unknown. */
export type SlackChannel = z.infer<typeof infoSchema>['channel'];

/** Needs `channels:read`, or the matching scope for other conversations. Throws as {@link SlackApi.call} does. */
export async function readChannel(
  api: SlackApi,
  team: string,
  channel: string,
): Promise<SlackChannel> {
  return infoSchema.parse(await api.call(team, 'conversations.info', { channel })).channel;
}
