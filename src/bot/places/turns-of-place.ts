/**
 * Reads the turns that people in a place may see: those of their channel, and those of a private thread only
 * in that thread.
 */

import { setImmediate as breathe } from 'node:timers/promises';
import type { Place } from '../../../commands/command.ts';
import { type CommandContext, noSuchTurn } from '../../../commands/context.ts';
import { mostTurnsCounted, type ScoredTurn } from '../../council/leaderboard.ts';
import { type PastTurn, readPastTurn } from '../../council/past-turn.ts';
import type { RecentQuestion } from '../../domain/overview.ts';
import { stepSchemas } from '../../domain/stored-turn.ts';
import { channelOf, isSameChannel, workspaceOf } from '../../domain/thread-id.ts';
import type { Sage, TurnRequest } from '../../domain/turn.ts';
import type {
  JsonObject,
  StoredSettings,
  TurnKey,
  TurnRecord,
  TurnSteps,
  TurnStore,
} from '../../store/store.ts';

/** A turn of this channel. Without an id, the last one of this thread. */
export async function turnIn(
  turns: TurnStore,
  { threadId }: Pick<Place, 'threadId'>,
  turnId: string | undefined,
): Promise<TurnRecord | undefined> {
  const [last] = turnId ? [] : await turns.list(threadId, { limit: 1 });
  const wanted = turnId ? { turnId, threadId } : last;
  const record = wanted && (await turns.read(wanted));
  return record && isVisibleIn(threadId, record) ? record : undefined;
}

/** Like {@link turnIn}. Throws `UnknownIdError` if there is none. */
export async function existingTurn(...wanted: Parameters<typeof turnIn>): Promise<TurnRecord> {
  const record = await turnIn(...wanted);
  if (!record) throw noSuchTurn(wanted[2]);
  return record;
}

/** The turn of this channel that an event started. */
export async function turnAskedBy(
  turns: TurnStore,
  eventId: string,
  { threadId }: Pick<Place, 'threadId'>,
): Promise<TurnRecord | undefined> {
  const record = await turns.read({ eventId: storedEventId(threadId, eventId), threadId });
  return record && isVisibleIn(threadId, record) ? record : undefined;
}

/** A stored turn with what it says; one that goes deeper has the answers, and until it begins the reviews, of the first. */
export async function withPast(turns: Pick<TurnStore, 'read'>, record: TurnRecord) {
  const past = readPastTurn(record);
  const { threadId, deepens } = past.request;
  const first = deepens === undefined ? undefined : await turns.read({ turnId: deepens, threadId });
  if (!first) return { ...record, past };
  const earlier = readPastTurn(first);
  const reviews = past.reviews.length > 0 ? past.reviews : earlier.reviews;
  return { ...record, past: { ...past, answers: earlier.answers, reviews } };
}

function isVisibleIn(here: string, { threadId, request }: TurnRecord): boolean {
  if (threadId === here) return true;
  return isSameChannel(threadId, here) && request.isPrivateThread !== true;
}

/** Makes an event's id unique in the store. Platforms' ids are unique in their workspace. */
export function storedEventId(threadId: string, eventId: string): string {
  return `${workspaceOf(threadId)}:${eventId}`;
}

/** How many turns of a thread are read. */
const maxTurns = 10;

/** The last turns of a thread, newest first. */
export async function lastTurns(
  turns: Pick<TurnStore, 'list' | 'read'>,
  threadId: string,
): Promise<readonly PastTurn[]> {
  const headers = await turns.list(threadId, { limit: maxTurns });
  const records = await Promise.all(headers.map((header) => turns.read(header)));
  return records.flatMap((record) => (record ? [readPastTurn(record)] : []));
}

/**
 * The sages that sat in turns of a thread, each as in its newest turn. Those that the moderator invented can be
 * asked again there.
 *
 * @param turns - Newest first.
 */
export function satIn(turns: readonly PastTurn[]): readonly Sage[] {
  const seats = turns.toReversed().flatMap(({ seated }) => seated?.seats ?? []);
  return [...new Map(seats.map(({ sage }) => [sage.key, sage])).values()];
}

/** When a turn was asked, in milliseconds since 1970. The earlier of two times, because clocks differ. */
export function firstAskedAt({ createdAt }: Pick<TurnRecord, 'createdAt'>, past: PastTurn): number {
  return Math.min(past.request.askedAt, createdAt);
}

/**
 * The place of a turn that is visible in the current place. Who can read its channel may have changed since, so
 * the current place tells, unless it is a private thread.
 */
export function placeOfTurn(request: TurnRequest, place: Place): Place {
  const { threadId } = request;
  if (threadId === place.threadId) return place;
  const { platform, workspace, channel } = place;
  const { isPrivate, isOpenOutside } = place.isPrivateThread ? request : place;
  return {
    platform,
    workspace,
    channel,
    threadId,
    ...(isPrivate === undefined ? {} : { isPrivate }),
    ...(isOpenOutside === undefined ? {} : { isOpenOutside }),
  };
}

/** How many turns are read per page. */
const pageSize = 500;

/**
 * Reads the scores of turns in the place's channel, without other private threads. With reach `workspace`, also
 * of turns in channels of the workspace that were public then and still are.
 *
 * @returns Oldest first, at most {@link mostTurnsCounted}. Throws what the store throws.
 */
export async function scoredTurnsIn(
  turns: Pick<TurnStore, 'steps'>,
  { threadId: here }: Pick<Place, 'threadId'>,
  { reach, since }: Parameters<CommandContext['scoredTurns']>[0],
): Promise<readonly ScoredTurn[]> {
  const place = reach === 'channel' ? channelOf(here) : workspaceOf(here);
  const found: (ScoredTurn & Pick<TurnSteps, 'threadId' | 'createdAt'>)[] = [];
  let after: string | undefined;
  do {
    const page = await turns.steps(place, {
      kinds: ['scored', 'feedback'],
      since,
      limit: pageSize,
      ...(after !== undefined && { after }),
    });
    found.push(...page.turns.flatMap(readScore));
    after = page.next;
    // A file answers at once: nothing else would run before the last page.
    await breathe();
  } while (after !== undefined && found.length < mostTurnsCounted);
  const all = found
    .slice(0, mostTurnsCounted)
    .toSorted((one, other) => one.createdAt - other.createdAt);
  const newest = new Map(all.map((turn) => [channelOf(turn.threadId), turn.score]));
  return all.filter(({ threadId, score }) => {
    if (threadId === here) return true;
    if (score.isPrivateThread) return false;
    if (isSameChannel(threadId, here)) return true;
    return [score, newest.get(channelOf(threadId))].every((one) => one?.isPrivate === false);
  });
}

/** Leaves out invalid scores, because an imported file can contain anything. */
function readScore({ threadId, createdAt, steps }: TurnSteps) {
  const dataOf = (wanted: string) =>
    steps.flatMap(({ kind, data }) => (kind === wanted ? [data] : []));
  const [score] = dataOf('scored').flatMap((data) => stepSchemas.scored.safeParse(data).data ?? []);
  const feedback = dataOf('feedback').flatMap(
    (data) => stepSchemas.feedback.safeParse(data).data?.rating ?? [],
  );
  return score ? [{ threadId, createdAt, score, feedback }] : [];
}

// A person's latest questions in a workspace. Only the turns' ids are stored, so that a question is gone once
// its turn is.

const maxRecent = 10;

/** The scope of a person's latest questions in the store. */
export function recentScope(
  { platform, workspace }: Pick<Place, 'platform' | 'workspace'>,
  personId: string,
): string {
  return `recent:${platform}:${workspace}:${personId}`;
}

/** The changes that add a question to the scope and drop the oldest. */
export function withQuestion(kept: StoredSettings, { turnId, threadId }: TurnRequest): JsonObject {
  const gone = newestFirst(kept).slice(maxRecent - 1);
  return { ...Object.fromEntries(gone.map((old) => [old.turnId, null])), [turnId]: threadId };
}

/** @returns The questions whose turns still exist, newest first. */
export async function readQuestions(
  kept: StoredSettings,
  turns: TurnStore,
): Promise<readonly RecentQuestion[]> {
  const wanted = newestFirst(kept).slice(0, maxRecent);
  const records = await Promise.all(wanted.map((turn) => turns.read(turn)));
  return records.flatMap((record) => {
    if (!record) return [];
    const { turnId, threadId, outcome } = record;
    const { question, askedAt } = readPastTurn(record).request;
    return [{ turnId, threadId, question, askedAt, ...(outcome ? { outcome } : {}) }];
  });
}

function newestFirst(kept: StoredSettings): readonly TurnKey[] {
  return Object.entries(kept)
    .toSorted(([, one], [, other]) => other.setAt - one.setAt)
    .flatMap(([turnId, { value }]) => {
      // Some have the question's language behind the thread.
      const [threadId] = [value].flat();
      return typeof threadId === 'string' ? [{ turnId, threadId }] : [];
    });
}
