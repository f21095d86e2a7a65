import type { OAuthV2AccessArguments } from '@slack/web-api';
import { z } from 'zod';
import { appMethod, type NamedAs } from '../api/method.ts';
import { Refusal } from '../api/refusal.ts';
import { install } from '../world/installing.ts';
import { known } from '../world/state.ts';

/** Exchanges what a person allowed for a token. A code is good once. */
export const oauthAccess = appMethod({
  name: 'oauth.v2.access',
  access: 'open',
  tier: 4,
  args: {
    client_id: z.string(),
    client_secret: z.string(),
    code: z.string(),
    redirect_uri: z.string().optional(),
    grant_type: z.enum(['authorization_code']).optional(),
  } satisfies NamedAs<OAuthV2AccessArguments>,
  run: (world, args) => {
    const { app, state, grants } = world;
    if (args.client_id !== app.clientId) throw new Refusal('invalid_client_id');
    if (args.client_secret !== app.clientSecret) throw new Refusal('bad_client_secret');
    const grant = grants.get(args.code);
    if (grant === undefined) throw new Refusal('invalid_code');
    grants.delete(args.code);
    const workspace = known(state.workspaces, grant.user.teamId);
    const { botToken, botUserId, scopes } = install(world, workspace, grant.scopes);
    return {
      access_token: botToken,
      token_type: 'bot',
      scope: [...scopes].join(','),
      bot_user_id: botUserId,
      app_id: app.id,
      team: { id: workspace.id, name: workspace.name },
      enterprise: null,
      authed_user: { id: grant.user.id },
      is_enterprise_install: false,
    };
  },
});
