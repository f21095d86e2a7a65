/** Who the app is in a workspace, and what it was granted there. */

import { z } from 'zod';
import type { SlackApi } from '../api/slack-api.ts';
import { SlackTokenWithdrawn } from '../slack-error.ts';

export interface SlackIdentity {
  /** Id of the workspace that the token is for. */
  readonly team: string;
  /** Its name for people; the id where Slack gives none. */
  readonly teamName: string;
  /** The token is for every workspace of an organisation. */
  readonly isEnterpriseInstall: boolean;
  /** `U…`: the app as a member. */
  readonly botUserId: string;
  /** `B…`: what its messages carry, also those under a sage's name. */
  readonly botId: string;
  /** What the token was granted; absent where Slack does not say. */
  readonly scopes: readonly string[] | undefined;
}

const answerSchema = z.object({
  team_id: z.string(),
  team: z.string().exactOptional(),
  is_enterprise_install: z.boolean().default(false),
  user_id: z.string(),
  bot_id: z.string(),
  response_metadata: z.object({ scopes: z.array(z.string()).exactOptional() }).exactOptional(),
});

/** Throws as {@link SlackApi.call} does: a `SlackSetupError` when the token is no longer good. */
export async function readIdentity(api: SlackApi, team: string): Promise<SlackIdentity> {
  const answer = answerSchema.parse(await api.call(team, 'auth.test', {}));
  return {
    team: answer.team_id,
    teamName: answer.team ?? answer.team_id,
    isEnterpriseInstall: answer.is_enterprise_install,
    botUserId: answer.user_id,
    botId: answer.bot_id,
    scopes: answer.response_metadata?.scopes,
  };
}

/** Whether the token of a workspace is still good, or the app was taken out. Throws when Slack says neither. */
export async function isTokenGood(api: SlackApi, team: string): Promise<boolean> {
  try {
    await readIdentity(api, team);
    return true;
  } catch (error) {
    if (error instanceof SlackTokenWithdrawn) return false;
    throw error;
  }
}
