/** What was said to the council while nothing came in: looked for once the connection is back. */

import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { readIdentity } from '../connection/identity.ts';
import { type Scope, scopeNames } from '../permissions.ts';
import { SlackRefusal } from '../slack-error.ts';
import type { Hearer } from './messages.ts';
import { mentions } from './question-text.ts';
import { isDirect, ownWorkspace } from './scene.ts';

export interface MissedOptions {
  /** One that waits for nothing: what Slack refuses now is not read. */
  readonly api: SlackApi;
  /** Hears a message as if an event told of it; what was heard before is not heard again. Never throws. */
  readonly hear: (event: object, hearer: Hearer) => Promise<void>;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What is older is not answered any more. */
  readonly answerWithinMs: number;
}

/** Each is a call, and Slack grants some fifty a minute, or one to an app from outside its Marketplace. */
const mostConversations = 40;
/** The newest of a conversation; such an app is told fewer. */
const mostMessages = 100;
/** Slack's clock and this one differ. */
const clocksDifferByMs = 60_000;

/** What Slack calls a kind of conversation, and what it wants for a list of those that the app is in. */
const kinds: Readonly<Record<string, Scope>> = {
  im: 'im:read',
  mpim: 'mpim:read',
  private_channel: 'groups:read',
  public_channel: 'channels:read',
};

const listSchema = z.object({ channels: z.array(z.object({ id: z.string() })) });
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
 * Looks for mentions and direct messages at the top level of the conversations that the app is in, and
 * hears them. Never throws.
 *
 * @param since - When anything last came in, in milliseconds since 1970.
 */
export async function hearMissed(
  team: string,
  since: number,
  { api, hear, log, now, answerWithinMs }: MissedOptions,
): Promise<void> {
  const oldest = Math.max(since - clocksDifferByMs, now() - answerWithinMs);
  let looked = 0;
  try {
    const { scopes = scopeNames, botUserId, botId } = await readIdentity(api, team);
    const types = Object.keys(kinds).filter((kind) =>
      scopes.some((scope) => scope === kinds[kind]),
    );
    const args = { types: types.join(','), exclude_archived: true, limit: 200 };
    const { channels } = listSchema.parse(await api.call(team, 'users.conversations', args));
    // Who writes to the app alone waits for nobody else.
    const isLater = ({ id }: { readonly id: string }) => Number(!isDirect(id));
    const sorted = channels.toSorted((one, other) => isLater(one) - isLater(other));
    for (const { id: channel } of sorted.slice(0, mostConversations)) {
      for (const event of await readSince(api, team, channel, oldest)) {
        if (!isDirect(channel) && !mentions(event.text, botUserId)) continue;
        await hear(event, { team, botUserId, botId, ...ownWorkspace({ event }, team) });
      }
      looked += 1;
    }
    log.info(
      { team, looked, of: channels.length },
      'conversations were looked through for what was missed',
    );
  } catch (error) {
    log.warn({ team, looked, error }, 'what was missed can’t be looked for any further');
  }
}

/** Top-level messages as events tell of them, oldest first; none of a conversation that the app may not read. */
async function readSince(api: SlackApi, team: string, channel: string, oldestMs: number) {
  const args = { channel, oldest: (oldestMs / 1000).toFixed(6), limit: mostMessages };
  try {
    const { messages } = historySchema.parse(await api.call(team, 'conversations.history', args));
    return messages.reverse().map(({ thread_ts: thread, ...message }) => ({
      ...{ ...message, type: 'message', channel },
      // History names a message that was answered as the first of its own thread; events did not.
      ...(thread === message.ts || thread === undefined ? {} : { thread_ts: thread }),
    }));
  } catch (error) {
    if (error instanceof SlackRefusal) return [];
    throw error;
  }
}
