/** Finds messages that were missed during an outage. */

import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import { briefWaitsMs } from '../../chat/pacing/back-off.ts';
import { RateLimitedError } from '../../chat/pacing/platform-error.ts';
import { bareWord } from '../../chat/text/spoken-line.ts';
import { readPages } from '../api/messages.ts';
import { withRetries, withRetryAfter } from '../api/patience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import {
  readIdentity,
  type Scope,
  type SlackIdentity,
  scopeNames,
} from '../connection/identity.ts';
import { homeWorkspace, isDirect } from '../place.ts';
import { SlackRefusal } from '../slack-error.ts';
import { mentions, withoutMentionOf } from '../slack-text.ts';
import type { EventContext } from './messages.ts';

export interface MissedOptions {
  /** Does not retry: rate limits are handled here. */
  readonly api: SlackApi;
  /** Handles a message like an event; known messages are ignored. Never throws. */
  readonly handle: (event: object, context: EventContext) => Promise<void>;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Older messages are not answered. */
  readonly answerWithinMs: number;
  /** Aborted when the app stops. */
  readonly signal: AbortSignal;
  /** Waits until Slack allows more calls; absent: a minute. */
  readonly pause?: (signal: AbortSignal) => Promise<unknown>;
}

/** Each takes a call; Slack allows about 50 a minute, or one for distributed apps outside its Marketplace. */
const conversationsAMinute = 40;
const aMinute = (signal: AbortSignal) => wait(60_000, undefined, { signal, ref: false });
/** An app that may read one a minute is refused sooner, and is not waited for. */
const mayReadFrom = 10;
/** The newest of a conversation, as many as Slack sends at once; apps outside the Marketplace get fewer. */
const maxMessages = 999;
/** Allows for a difference between Slack's clock and this one. */
const clocksDifferByMs = 60_000;

/** Slack's conversation types, and the scope needed to list them. */
const kinds: Readonly<Record<string, Scope>> = {
  im: 'im:read',
  mpim: 'mpim:read',
  private_channel: 'groups:read',
  public_channel: 'channels:read',
};

const listSchema = z.object({ channels: z.array(z.object({ id: z.string() })) });
const workspacesSchema = z.object({ teams: z.array(z.object({ id: z.string() })) });
const historySchema = z.object({
  messages: z.array(
    z.looseObject({
      ts: z.string(),
      text: z.string().default(''),
      thread_ts: z.string().optional(),
    }),
  ),
});

/**
 * Finds and handles missed mentions and direct messages at the top level of the app's conversations.
 * Never throws.
 *
 * @param team - The workspace or organisation whose token is used.
 * @param since - When events last arrived, in milliseconds since 1970.
 */
export async function answerMissed(
  team: string,
  since: number,
  { handle, log, now, answerWithinMs, signal, pause = aMinute, ...options }: MissedOptions,
): Promise<void> {
  // Just after an outage, single calls still fail.
  const api = withRetries(options.api, briefWaitsMs, signal);
  let looked = 0;
  try {
    const identity = await readIdentity(api, team);
    const { botUserId, botId, organisation } = identity;
    const authorizations = [{ enterprise_id: organisation }];
    const found = await conversationsOf(withRetryAfter(api), team, identity, signal);
    // Direct messages first: only the app can answer them.
    const isLater = ({ id }: Conversation) => Number(!isDirect(id));
    const sorted = found.toSorted((one, other) => isLater(one) - isLater(other));
    for (const { id: channel, workspace } of sorted) {
      if (looked > 0 && looked % conversationsAMinute === 0) await pause(signal);
      signal.throwIfAborted();
      const oldest = Math.max(since - clocksDifferByMs, now() - answerWithinMs);
      const read = () => readSince(api, team, channel, oldest);
      const messages = await read().catch(async (error: unknown) => {
        // Other processes may be looking, too.
        if (!(error instanceof RateLimitedError) || looked < mayReadFrom) throw error;
        await pause(signal);
        return read();
      });
      for (const event of messages) {
        if (!isDirect(channel) && !mentions(event.text, botUserId)) continue;
        // The turn that it meant has ended, or was asked later.
        if (bareWord(withoutMentionOf(event.text, botUserId).trim()) === 'stop') continue;
        const person = homeWorkspace({ event, team_id: workspace, authorizations }, team);
        await handle(event, { team, botUserId, botId, ...person });
      }
      looked += 1;
    }
    log.info({ team, looked, of: found.length }, 'conversations were checked for missed messages');
  } catch (error) {
    log.warn({ team, looked, error }, 'missed messages can’t be looked for any further');
  }
}

interface Conversation {
  readonly id: string;
  /** Absent unless the app is installed in a whole organisation. */
  readonly workspace?: string;
}

/**
 * Lists the conversations that the app is in. For an organisation's token, Slack lists them per workspace.
 *
 * @param api - Waits out rate limits: an organisation may have more workspaces than Slack allows calls a minute.
 */
async function conversationsOf(
  api: SlackApi,
  team: string,
  { scopes = scopeNames, isEnterpriseInstall }: SlackIdentity,
  signal: AbortSignal,
): Promise<readonly Conversation[]> {
  const types = Object.keys(kinds).filter((kind) => scopes.some((scope) => scope === kinds[kind]));
  const list = async (of: { readonly team_id?: string }) => {
    const args = { types: types.join(','), exclude_archived: true, ...of };
    const listed: Conversation[] = [];
    const pages = readPages('list', (page) =>
      api.call(team, 'users.conversations', { ...args, ...page }, signal),
    );
    for await (const { answer } of pages) {
      listed.push(...listSchema.parse(answer).channels);
    }
    return listed;
  };
  if (!isEnterpriseInstall) return list({});
  const found = new Map<string, Conversation>();
  const teams = readPages('list', (page) => api.call(team, 'auth.teams.list', page, signal));
  for await (const { answer } of teams) {
    for (const { id: workspace } of workspacesSchema.parse(answer).teams) {
      // A shared conversation is listed in each of its workspaces.
      for (const { id } of await list({ team_id: workspace })) found.set(id, { id, workspace });
    }
  }
  return [...found.values()];
}

/** Reads top-level messages in the shape of events, oldest first; none if Slack refuses to show the conversation. */
async function readSince(api: SlackApi, team: string, channel: string, oldestMs: number) {
  const args = { channel, oldest: (oldestMs / 1000).toFixed(6), limit: maxMessages };
  try {
    const { messages } = historySchema.parse(await api.call(team, 'conversations.history', args));
    // Without the time of an edit: a message that was edited while it was missed is still new.
    return messages.reverse().map(({ thread_ts: thread, edited: _, ...message }) => ({
      ...message,
      type: 'message',
      channel,
      // In the history, a message with replies has its own `ts` as thread; in its event it had none.
      ...(thread === message.ts || thread === undefined ? {} : { thread_ts: thread }),
    }));
  } catch (error) {
    if (error instanceof SlackRefusal) return [];
    throw error;
  }
}
