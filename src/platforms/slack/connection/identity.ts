/** Who the app is in a workspace, and what it was granted there. */

import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { SlackApi } from '../api/slack-api.ts';
import { scopeNames } from '../permissions.ts';
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

/** As {@link readIdentity}; `undefined` where the token is no longer good because the app was taken out. */
export async function identityUnlessRemoved(
  api: SlackApi,
  team: string,
): Promise<SlackIdentity | undefined> {
  return readIdentity(api, team).catch((error: unknown) => {
    if (error instanceof SlackTokenWithdrawn) return undefined;
    throw error;
  });
}

/** Who the app is in a workspace, as far as what it shows depends on it. */
export interface OwnIdentity extends Pick<SlackIdentity, 'botId'> {
  /** What it was granted; everything it asks for where Slack does not say. */
  readonly scopes: readonly string[];
}

/** For so long a scope that was granted meanwhile may stay unused. */
const keptMs = 600_000;
/** Workspaces; of more, who the app is there is asked anew. */
const mostKept = 5000;

/** Looks once in a while who the app is, not for each turn. */
export class Identities {
  readonly #known: LRUCache<string, OwnIdentity>;

  /** @param api - That asks again while nothing is answered: no turn is shown without it. */
  constructor(api: SlackApi, now: () => number) {
    this.#known = new LRUCache({
      ...{ max: mostKept, ttl: keptMs, perf: { now }, ttlResolution: 0, ignoreFetchAbort: true },
      fetchMethod: async (team) => {
        const { botId, scopes = scopeNames } = await readIdentity(api, team);
        return { botId, scopes };
      },
    });
  }

  /** Rejects as {@link readIdentity} does; the next call looks again. */
  of(team: string): Promise<OwnIdentity> {
    return this.#known.forceFetch(team);
  }

  /** It is no longer what it was, e.g. the app was taken out. */
  forget(team: string): void {
    this.#known.delete(team);
  }
}
