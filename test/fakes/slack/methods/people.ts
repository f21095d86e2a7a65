import type { AuthTeamsListArguments, UsersInfoArguments } from '@slack/web-api';
import { z } from 'zod';
import { botMethod, type NamedAs } from '../api/method.ts';
import { Refusal } from '../api/refusal.ts';
import { count, flag, userId } from '../schema/wire.ts';
import { known } from '../world/state.ts';

export const authTest = botMethod({
  name: 'auth.test',
  tier: 'unlimited',
  args: {},
  run: ({ state, app }, _args, { teamId, botUserId, botId }) => {
    const { name, domain } = known(state.workspaces, teamId);
    const { organisation } = app;
    return {
      url: `https://${domain}.slack.com/`,
      team: name,
      user: app.name.toLowerCase(),
      team_id: organisation === undefined ? teamId : null,
      ...(organisation !== undefined && { enterprise_id: organisation }),
      user_id: botUserId,
      bot_id: botId,
      is_enterprise_install: organisation !== undefined,
    };
  },
});

/** The workspaces that a token is good in. */
export const authTeamsList = botMethod({
  name: 'auth.teams.list',
  tier: 2,
  args: {
    limit: count.max(1000).optional(),
    cursor: z.string().optional(),
  } satisfies NamedAs<AuthTeamsListArguments>,
  run: ({ state }, _args, { teamId }) => {
    const { id, name } = known(state.workspaces, teamId);
    return { teams: [{ id, name }], response_metadata: { next_cursor: '' } };
  },
});

export const usersInfo = botMethod({
  name: 'users.info',
  scopes: ['users:read'],
  tier: 4,
  args: { user: userId, include_locale: flag.optional() } satisfies NamedAs<UsersInfoArguments>,
  run: ({ state, app }, args, { teamId, botUserId }) => {
    const user = state.users.get(args.user);
    const isStranger = user?.teamId !== teamId;
    // People of other companies are seen where a channel is shared with them.
    const isMet = [...state.channels.values()].some(
      ({ isShared, members }) => isShared && members.has(botUserId) && members.has(args.user),
    );
    if (user === undefined || (isStranger && !isMet)) throw new Refusal('user_not_found');
    return {
      user: {
        id: user.id,
        team_id: user.teamId,
        is_stranger: isStranger,
        name: user.name,
        real_name: user.realName,
        deleted: user.isDeleted,
        is_bot: user.isBot,
        is_app_user: false,
        is_admin: user.isAdmin,
        is_owner: user.isOwner,
        is_primary_owner: false,
        is_restricted: false,
        is_ultra_restricted: false,
        ...(app.organisation !== undefined &&
          !isStranger && {
            enterprise_user: {
              id: user.id,
              enterprise_id: app.organisation,
              teams: [user.teamId],
              is_admin: false,
              is_owner: false,
            },
          }),
        tz: 'Europe/Athens',
        tz_offset: 7200,
        profile: { real_name: user.realName, display_name: user.name },
        ...(args.include_locale === true && { locale: 'en-GB' }),
      },
    };
  },
});

export const teamInfo = botMethod({
  name: 'team.info',
  scopes: ['team:read'],
  tier: 3,
  args: {},
  run: ({ state }, _args, { teamId }) => {
    const { id, name, domain } = known(state.workspaces, teamId);
    return { team: { id, name, domain, email_domain: '', icon: {} } };
  },
});
