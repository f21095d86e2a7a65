/** The app's identity in a workspace, and the scopes that it has and needs. */

import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { SlackApi } from '../api/slack-api.ts';
import { SlackTokenWithdrawn } from '../slack-error.ts';

export interface SlackIdentity {
  /** Id of the token's workspace, or of its organisation. */
  readonly team: string;
  /** Its name; the id where Slack gives none. */
  readonly teamName: string;
  /** The token is valid in every workspace of an organisation. */
  readonly isEnterpriseInstall: boolean;
  /** Id of the organisation that the workspace is of, `E…`. */
  readonly organisation: string | undefined;
  /** `U…`: the app's user id. */
  readonly botUserId: string;
  /** `B…`: the bot id in all of its messages, including those under a sage's name. */
  readonly botId: string;
  /** The granted scopes; `undefined` where Slack does not say. */
  readonly scopes: readonly string[] | undefined;
}

const answerSchema = z.object({
  /** For an organisation's token none, or any of its workspaces. */
  team_id: z.string().nullish(),
  team: z.string().exactOptional(),
  is_enterprise_install: z.boolean().default(false),
  enterprise_id: z.string().nullish(),
  user_id: z.string(),
  bot_id: z.string(),
  response_metadata: z.object({ scopes: z.array(z.string()).exactOptional() }).exactOptional(),
});

/** Throws as {@link SlackApi.call} does: a `SetupError` if the token is no longer valid. */
export async function readIdentity(api: SlackApi, team: string): Promise<SlackIdentity> {
  const answer = answerSchema.parse(await api.call(team, 'auth.test', {}));
  const { is_enterprise_install: isEnterpriseInstall, enterprise_id: organisation } = answer;
  const id = z.string().parse((isEnterpriseInstall && organisation) || answer.team_id);
  return {
    team: id,
    teamName: answer.team ?? id,
    isEnterpriseInstall,
    organisation: organisation ?? undefined,
    botUserId: answer.user_id,
    botId: answer.bot_id,
    scopes: answer.response_metadata?.scopes,
  };
}

/** As {@link readIdentity}; `undefined` if the token was revoked because the app was removed. */
export async function identityUnlessRemoved(
  api: SlackApi,
  team: string,
): Promise<SlackIdentity | undefined> {
  return readIdentity(api, team).catch((error: unknown) => {
    if (error instanceof SlackTokenWithdrawn) return undefined;
    throw error;
  });
}

/** How long a newly granted scope may stay unused. */
const keptMs = 600_000;
/** Workspaces. */
const maxCached = 5000;

/**
 * Caches the app's identity in each workspace, so that turns do not ask Slack each time.
 *
 * @param api - Retries unanswered calls: a turn can't be shown without an identity.
 */
export function cachedIdentities(
  api: SlackApi,
  now: () => number,
): LRUCache<string, SlackIdentity> {
  return new LRUCache({
    max: maxCached,
    ttl: keptMs,
    perf: { now },
    ttlResolution: 0,
    ignoreFetchAbort: true,
    fetchMethod: (team) => readIdentity(api, team),
  });
}

/** Every scope that the app asks for, with what is lost without it; the manifest lists the same. */
export const scopes = {
  'app_mentions:read': 'it receives no mentions',
  'assistant:write':
    'its agent pane shows no suggestions or titles, and no status line shows what the council is doing',
  'channels:history':
    'it receives no follow-ups in threads of public channels, and may post answers twice there after a crash',
  'channels:read':
    'creators of public channels don’t count as managers, questions asked there count as private, and deleted public channels are not forgotten',
  'chat:write': 'it can answer no one',
  'chat:write.customize':
    'the sages speak through the bot, without names and pictures of their own',
  commands: '/council and the shortcut “Ask the council” are missing',
  'files:read': 'files and pictures that people attach are not read',
  'files:write': 'exports and minutes are shown as text in messages, and not as files',
  'groups:history':
    'it receives no follow-ups in threads of private channels, and may post answers twice there after a crash',
  'groups:read':
    'creators of private channels don’t count as managers, deleted private channels are not forgotten, and one that gets a new id when it is shared counts as a new channel',
  'im:history': 'it receives no direct messages, including those in its agent pane',
  'im:read': 'it does not look for direct messages that it missed while disconnected',
  'im:write':
    'private files, e.g. exports, are shown as text as far as that fits, and people get no private message when nothing can be shown where they asked',
  'mpim:history':
    'it receives nothing in group messages, and may post answers twice there after a crash',
  'mpim:read': 'people who start a group message don’t count as its managers',
  'users:read': 'people have no names, and neither admins nor creators count as managers',
} as const;

export type Scope = keyof typeof scopes;

/** A scope that the app lacks in a workspace. */
export interface ScopeGap {
  /** Its name. */
  readonly workspace: string;
  readonly scope: string;
  /** What does not work without it. */
  readonly lost: string;
}

/** @param granted - Slack's names of the granted scopes; `undefined` where Slack does not say: then none is missing. */
export function scopeGaps(
  workspace: string,
  granted: readonly string[] = scopeNames,
): readonly ScopeGap[] {
  return Object.entries(scopes)
    .filter(([scope]) => !granted.includes(scope))
    .map(([scope, lost]) => ({ workspace, scope, lost }));
}

/** The scopes requested when the app is installed. */
export const scopeNames: readonly string[] = Object.keys(scopes);

/** The slash command; the manifest defines it. */
export const slashName = '/council';
/** Callback id of “Ask the council” in a message's menu. */
export const askShortcut = 'ask_council';
