/** What was said to the council while nothing came in: until when events came in, and what is looked for once they come again. */

import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import { bareWord } from '../../chat/text/spoken-line.ts';
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
  /** One that waits for nothing: what Slack refuses now is not read. */
  readonly api: SlackApi;
  /** Hears a message as if an event told of it; what was heard before is not heard again. Never throws. */
  readonly hear: (event: object, hearer: EventContext) => Promise<void>;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What is older is not answered any more. */
  readonly answerWithinMs: number;
}

/** Each is a call, and Slack grants some fifty a minute, or one to an app from outside its Marketplace. */
const maxConversations = 40;
/** Of an organisation; the conversations of each are one more call. */
const maxWorkspaces = 10;
/** The newest of a conversation; such an app is told fewer. */
const maxMessages = 100;
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
 * Looks for mentions and direct messages at the top level of the conversations that the app is in, and
 * hears them. Never throws.
 *
 * @param team - The workspace, or the organisation, whose token is used.
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
    const identity = await readIdentity(api, team);
    const { botUserId, botId } = identity;
    const found = await conversationsOf(api, team, identity);
    // A person who writes to the app alone waits for no one else.
    const isLater = ({ id }: Conversation) => Number(!isDirect(id));
    const sorted = found.toSorted((one, other) => isLater(one) - isLater(other));
    for (const { id: channel, workspace } of sorted.slice(0, maxConversations)) {
      for (const event of await readSince(api, team, channel, oldest)) {
        if (!isDirect(channel) && !mentions(event.text, botUserId)) continue;
        // What was to be stopped then has ended, or was asked later.
        if (bareWord(withoutMentionOf(event.text, botUserId).trim()) === 'stop') continue;
        const person = homeWorkspace({ event, team_id: workspace }, team);
        await hear(event, { team, botUserId, botId, ...person });
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
  /** Absent where the app is not in a whole organisation. */
  readonly workspace?: string;
}

/** Those that the app is in. A token for an organisation is told them workspace by workspace. */
async function conversationsOf(
  api: SlackApi,
  team: string,
  { scopes = scopeNames, isEnterpriseInstall }: SlackIdentity,
): Promise<readonly Conversation[]> {
  const types = Object.keys(kinds).filter((kind) => scopes.some((scope) => scope === kinds[kind]));
  const args = { types: types.join(','), exclude_archived: true, limit: 200 };
  const list = async (of: Readonly<Record<string, string>>) =>
    listSchema.parse(await api.call(team, 'users.conversations', { ...args, ...of })).channels;
  if (!isEnterpriseInstall) return list({});
  const answer = await api.call(team, 'auth.teams.list', { limit: maxWorkspaces });
  const found = new Map<string, Conversation>();
  for (const { id: workspace } of workspacesSchema.parse(answer).teams) {
    // What workspaces share is listed in each of them.
    for (const { id } of await list({ team_id: workspace })) found.set(id, { id, workspace });
  }
  return [...found.values()];
}

/** Top-level messages as events tell of them, oldest first; none of a conversation that the app may not read. */
async function readSince(api: SlackApi, team: string, channel: string, oldestMs: number) {
  const args = { channel, oldest: (oldestMs / 1000).toFixed(6), limit: maxMessages };
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

/** Where that is kept, for each app by what it is known by. */
export interface WatermarkRecords {
  /** Milliseconds since 1970; `undefined` where nothing was kept. */
  read(app: string): Promise<number | undefined>;
  write(app: string, until: number): Promise<void>;
}

export interface WatermarkOptions {
  readonly records: WatermarkRecords;
  /** As `Workspaces.fingerprint`. */
  readonly app: string;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** After a crash, what came in for so long is looked at once more. */
const keptEveryMs = 60_000;

export class EventWatermark {
  readonly #options: WatermarkOptions;
  #timer: NodeJS.Timeout | undefined;
  #isListening = () => false;

  constructor(options: WatermarkOptions) {
    this.#options = options;
  }

  /** Never throws. `undefined`: this is the first start, or the store can't tell. */
  async until(): Promise<number | undefined> {
    const { records, app, log } = this.#options;
    return records.read(app).catch((error: unknown) => {
      log.warn({ error }, 'messages missed before the start can’t be looked for: the store failed');
      return undefined;
    });
  }

  /** Call it once all that was missed before was looked for: then it is missed no more. */
  async keep(isListening: () => boolean): Promise<void> {
    this.#isListening = isListening;
    this.#timer = setInterval(() => void this.#write(), keptEveryMs).unref();
    await this.#write();
  }

  /** Keeps it a last time; nothing where it was not kept before. Never throws. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#timer) await this.#write();
    this.#timer = undefined;
  }

  async #write(): Promise<void> {
    const { records, app, log, now } = this.#options;
    if (!this.#isListening()) return;
    await records.write(app, now()).catch((error: unknown) => {
      log.warn({ error }, 'the time of the last event can’t be stored: the store failed');
    });
  }
}
