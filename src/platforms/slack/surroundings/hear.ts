/** Reads the conversation around a question in Slack, and opens attached files. */

import { z } from 'zod';
import type { Heard, HeardMessage, HearingLimits } from '../../../domain/heard.ts';
import type { OpenedFile } from '../../../domain/source.ts';
import { channelOf } from '../../../domain/thread-id.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import { RateLimitedError, UnansweredError } from '../../chat/pacing/platform-error.ts';
import { openFile, originOf, withinLimits } from '../../chat/surroundings.ts';
import type { Question } from '../../platform.ts';
import { readPages } from '../api/messages.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { SlackIdentity } from '../connection/identity.ts';
import type { People } from '../ingress/people.ts';
import { eventIdOf, momentOf, readThreadId, type SlackPlace } from '../place.ts';
import { postedPart } from '../presenter/turn-poster.ts';
import { isRefusal, SlackRefusal } from '../slack-error.ts';
import type { RecentThreads } from './recent-threads.ts';
import {
  fileById,
  filesIn,
  type Said,
  saidSchema,
  spokenSubtypes,
  wordsOf,
} from './said-message.ts';

export interface SlackHearingOptions {
  /** Does not retry: a refusal becomes a note to people. */
  readonly api: SlackApi;
  readonly people: People;
  readonly recent: RecentThreads;
  /** As `SlackOptions.sharesEvents`: a thread may then have messages that `recent` never got. */
  readonly sharesEvents: boolean;
  readonly identityOf: (team: string) => Promise<Pick<SlackIdentity, 'botId'>>;
}

/** As `Platform.hear`. Slack's refusals become a gap in what was heard; other errors are thrown. */
export async function hearInSlack(
  request: TurnRequest,
  known: Heard | undefined,
  limits: HearingLimits,
  options: SlackHearingOptions,
  signal: AbortSignal,
): Promise<Heard> {
  const { api, recent, sharesEvents } = options;
  const place = readThreadId(request.threadId);
  const { team, channel, thread } = place;
  const before = recent.of(team, channel, thread);
  const isKnown = before.isWhole && !sharesEvents;
  const { said: read, gap }: ReadThread = isKnown ? before : await readThread(api, place, signal);
  // A whole thread lacks what was deleted; that event may have gone to another process.
  const all = gap === undefined ? read : [...read, ...before.said];
  const came = (known?.messages ?? []).filter(({ isMeant }) => gap !== undefined || isMeant);
  const { botId } = await options.identityOf(team);
  const heard = await heardAround(all, request, came, { ...options, botId, limits });
  return gap === undefined ? heard : { ...heard, gap };
}

/** What this process knows of a question's thread by its events. Never throws. */
export async function heardByEvents(
  question: Question,
  botId: string | undefined,
  limits: HearingLimits,
  { people, recent }: Pick<SlackHearingOptions, 'people' | 'recent'>,
): Promise<Heard> {
  const { team, channel, thread } = readThreadId(question.threadId);
  const { said } = recent.of(team, channel, thread);
  return heardAround(said, question, question.heard?.messages ?? [], { people, botId, limits });
}

interface AroundOptions extends Pick<SlackHearingOptions, 'people'> {
  readonly botId: string | undefined;
  readonly limits: HearingLimits;
}

/**
 * The messages of a thread before a question, without those of the council that the thread remembers.
 *
 * @param known - What came with the question.
 */
async function heardAround(
  all: readonly Said[],
  { threadId, eventId, repliesTo }: Question,
  known: readonly HeardMessage[],
  { people, botId, limits }: AroundOptions,
): Promise<Heard> {
  const place = readThreadId(threadId);
  const { channel, thread } = place;
  const byTs = new Map(all.map((said) => [said.ts, said]));
  // Of an edited question that is asked again, the words are the question.
  const isAskedAgain = ({ ts }: Said) => eventId.startsWith(`${eventIdOf(channel, ts)}:`);
  const said = [...byTs.values()]
    .filter(
      ({ ts, bot_id, subtype, metadata: mark }) =>
        // A verdict that was posted to the channel begins a thread that does not remember it.
        (bot_id === undefined || bot_id !== botId || mark?.part === postedPart) &&
        spokenSubtypes.has(subtype) &&
        eventIdOf(channel, ts) !== eventId &&
        !isAfter(ts, eventId, channel),
    )
    .map((one) => (isAskedAgain(one) ? { ...one, text: '', blocks: undefined } : one))
    .filter((one) => wordsOf(one) !== '' || one.files.length > 0);
  const newest = new Set(
    said
      .map(({ ts }) => ts)
      .toSorted()
      .slice(-limits.contextMessages),
  );
  const isMeant = ({ ts }: Said) => eventIdOf(channel, ts) === repliesTo;
  // Only those, because each may take calls for the names in it.
  const near = said.filter((one) => newest.has(one.ts) || one.ts === thread || isMeant(one));
  const found = await Promise.all(
    near.map(async (one) => ({
      ...(await toHeardMessage(one, place, { people, botId })),
      ...(isMeant(one) && { isMeant: true as const }),
    })),
  );
  const heard = { place: channelOf(threadId), of: 'thread' } as const;
  const first = eventIdOf(channel, thread);
  const kept = withinLimits(heard, [...known, ...found], limits, first);
  return { ...kept, leftOut: kept.leftOut + said.length - near.length };
}

/** Whether a message was posted after the question. */
function isAfter(ts: string, eventId: string, channel: string): boolean {
  return eventId.startsWith(`${channel}:`) && ts > eventId.slice(channel.length + 1);
}

/** Converts a message to plain text with its author's name. */
export async function toHeardMessage(
  said: Said,
  { team, channel }: Pick<SlackPlace, 'team' | 'channel'>,
  { people, botId }: Pick<AroundOptions, 'people' | 'botId'>,
): Promise<HeardMessage> {
  const { ts, user, bot_id, username, bot_profile, files, edited } = said;
  const [text, name] = await Promise.all([
    people.plain(team, wordsOf(said), undefined),
    user === undefined || bot_id !== undefined
      ? (username ?? bot_profile?.name ?? 'an app')
      : people.nameOf(team, user),
  ]);
  return {
    id: eventIdOf(channel, ts),
    author: { id: user ?? bot_id ?? 'unknown', name },
    at: momentOf(ts),
    text,
    ...(files.length > 0 && { sources: filesIn(files) }),
    ...(edited && { isEdited: true as const }),
    ...(bot_id !== undefined && bot_id === botId && { isCouncils: true as const }),
  };
}

const threadSchema = z.object({ messages: z.array(saidSchema) });

interface ReadThread {
  readonly said: readonly Said[];
  /** A sentence for people: why messages may be missing. */
  readonly gap?: string;
}

async function readThread(
  api: SlackApi,
  { team, channel, thread }: SlackPlace,
  signal: AbortSignal,
): Promise<ReadThread> {
  const said: Said[] = [];
  try {
    const args = { channel, ts: thread, include_all_metadata: true };
    const pages = readPages('thread', (page) =>
      api.call(team, 'conversations.replies', { ...args, ...page }, signal),
    );
    for await (const { answer, isLast } of pages) {
      said.push(...threadSchema.parse(answer).messages);
      if (isLast) return { said };
    }
    return { said, gap: 'This thread is too long to be read whole.' };
  } catch (error) {
    const gap = gapOf(error);
    if (gap === undefined) throw error;
    return { said, gap };
  }
}

function gapOf(error: unknown): string | undefined {
  if (error instanceof RateLimitedError) {
    return 'Slack lets me read threads only once in a while, so I may have missed some of this one.';
  }
  if (error instanceof UnansweredError) return 'Slack did not let me read this thread in time.';
  if (!(error instanceof SlackRefusal)) return undefined;
  if (error.code === 'missing_scope') {
    const scope = error.neededScope ?? 'channels:history';
    return `I lack the permission ${scope}, so I could not read this thread.`;
  }
  if (['not_in_channel', 'channel_not_found'].includes(error.code)) {
    return 'I am not in this channel, so I could not read this thread. Invite me with /invite.';
  }
  return `Slack did not let me read this thread (${error.code}).`;
}

const fileInfoSchema = z.object({ file: z.object({ url_private: z.string() }) });

/**
 * Looks up the address of a file of which only the id is known; returns any other address as it is, and without the
 * scope `files:read` also the id.
 */
export async function addressOfFile(
  api: SlackApi,
  team: string,
  address: string,
  signal: AbortSignal,
): Promise<string> {
  if (!address.startsWith(fileById)) return address;
  const file = address.slice(fileById.length);
  try {
    const answer = await api.call(team, 'files.info', { file }, signal);
    return fileInfoSchema.parse(answer).file.url_private;
  } catch (error) {
    if (isRefusal(error, 'missing_scope')) return address;
    throw error;
  }
}

/** Slack's file servers, which require the token. */
const fileOrigins = ['https://files.slack.com', 'https://files.slack-gov.com'];

/** As `Platform.openFile`. */
export async function openAttachment(
  address: string,
  { token, apiUrl }: { readonly token: string; readonly apiUrl: string },
  signal: AbortSignal,
): Promise<OpenedFile> {
  const origins = [...fileOrigins, originOf(apiUrl)];
  // E.g. a Google document.
  const isElsewhere = !address.startsWith(fileById) && !origins.includes(originOf(address));
  if (isElsewhere) return { status: 'withheld', why: 'it is kept outside of Slack' };
  return openFile(
    address,
    {
      origins,
      headers: { authorization: `Bearer ${token}` },
      whyElsewhere: 'I lack the permission files:read in this workspace',
      // Without the permission Slack answers with its sign-in page.
      isPage: (headers) =>
        /html/i.test(headers.get('content-type') ?? '') && !headers.has('content-disposition'),
    },
    signal,
  );
}
