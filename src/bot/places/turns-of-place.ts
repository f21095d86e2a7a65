/**
 * Turns in the store, as far as people in a place may know of them: those of their channel, and those of a
 * private thread only in that thread.
 */

import type { Place } from '../../../commands/command.ts';
import { mostTurnsCounted, type ScoredTurn } from '../../council/leaderboard.ts';
import { type PastTurn, readPastTurn } from '../../council/past-turn.ts';
import type { RecentQuestion } from '../../domain/overview.ts';
import { type Score, stepSchemas } from '../../domain/stored-turn.ts';
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

/** A turn of this channel; without an id, the last one of this thread. */
export async function turnIn(
  turns: TurnStore,
  { threadId }: Pick<Place, 'threadId'>,
  turnId: string | undefined,
): Promise<TurnRecord | undefined> {
  const [last] = turnId ? [] : await turns.list(threadId, { limit: 1 });
  const wanted = turnId ? { turnId, threadId } : last;
  const record = wanted && (await turns.read(wanted));
  return record && isKnownIn(threadId, record) ? record : undefined;
}

/** The turn of this channel that an event made. */
export async function turnAskedBy(
  turns: TurnStore,
  eventId: string,
  { threadId }: Pick<Place, 'threadId'>,
): Promise<TurnRecord | undefined> {
  const record = await turns.read({ eventId: storedEventId(threadId, eventId), threadId });
  return record && isKnownIn(threadId, record) ? record : undefined;
}

function isKnownIn(here: string, { threadId, request }: TurnRecord): boolean {
  if (threadId === here) return true;
  return isSameChannel(threadId, here) && request.isPrivateThread !== true;
}

/** Makes an event's id, which is unique in its workspace, unique in the store. */
export function storedEventId(threadId: string, eventId: string): string {
  return `${workspaceOf(threadId)}:${eventId}`;
}

/** How many turns of a thread are searched. */
const mostTurns = 10;

/** The last turns of a thread, newest first. */
export async function lastTurns(
  turns: Pick<TurnStore, 'list' | 'read'>,
  threadId: string,
): Promise<readonly PastTurn[]> {
  const headers = await turns.list(threadId, { limit: mostTurns });
  const records = await Promise.all(headers.map((header) => turns.read(header)));
  return records.flatMap((record) => (record ? [readPastTurn(record)] : []));
}

/**
 * The sages that the moderator invented for earlier turns of a thread; they can be asked again there.
 *
 * @param turns - Newest first.
 * @returns Those of the newest turn first, each once, as in the last turn that invented them.
 */
export function guestsIn(turns: readonly PastTurn[]): readonly Sage[] {
  const guests = new Map<string, Sage>();
  for (const { seated } of turns) {
    for (const { sage } of seated?.seats ?? []) {
      if (sage.source === 'dynamic' && !guests.has(sage.key)) guests.set(sage.key, sage);
    }
  }
  return [...guests.values()];
}

/** When a turn was asked, in milliseconds since 1970: nothing of it was said before. Clocks may differ. */
export function firstAskedAt({ createdAt }: Pick<TurnRecord, 'createdAt'>, past: PastTurn): number {
  return Math.min(past.request.askedAt, createdAt);
}

/** Where a turn was asked; what its platform tells of the place at this moment comes first. */
export function placeOfTurn(request: TurnRequest, place: Place): Place {
  const { threadId, isPrivate, isPrivateThread, isOpenOutside } = request;
  if (threadId === place.threadId) return place;
  const { platform, workspace, channel } = place;
  return {
    ...{ platform, workspace, channel, threadId },
    ...(isPrivate === undefined ? {} : { isPrivate }),
    ...(isPrivateThread === undefined ? {} : { isPrivateThread }),
    ...(isOpenOutside === undefined ? {} : { isOpenOutside }),
  };
}

/** How many turns are read at once. */
const pageSize = 500;

export interface ScoresWanted {
  readonly reach: 'channel' | 'workspace';
  /** Milliseconds since 1970. */
  readonly since: number;
}

interface ReadScore extends ScoredTurn {
  readonly threadId: string;
  readonly createdAt: number;
}

/**
 * Of the place's own channel, but of private threads only in the thread itself. Of the rest of the
 * workspace what was asked where everybody in it may read, unless the channel has become private since.
 * Never of another workspace.
 *
 * @returns The oldest first, at most {@link mostTurnsCounted}. Throws what the store throws.
 */
export async function scoredTurnsIn(
  turns: Pick<TurnStore, 'steps'>,
  { threadId: here }: Pick<Place, 'threadId'>,
  { reach, since }: ScoresWanted,
): Promise<readonly ScoredTurn[]> {
  const place = reach === 'channel' ? channelOf(here) : workspaceOf(here);
  const found: ReadScore[] = [];
  let after: string | undefined;
  do {
    const page = await turns.steps(place, {
      ...{ kinds: ['scored', 'feedback'], since, limit: pageSize },
      ...(after !== undefined && { after }),
    });
    found.push(...page.turns.flatMap(readScore));
    after = page.next;
  } while (after !== undefined && found.length < mostTurnsCounted);
  const all = found
    .slice(0, mostTurnsCounted)
    .toSorted((one, other) => one.createdAt - other.createdAt);
  const newest = new Map(all.map((turn) => [channelOf(turn.threadId), turn.score]));
  return all.filter(({ threadId, score }) => {
    if (threadId === here) return true;
    if (score.isPrivateThread) return false;
    return isSameChannel(threadId, here) || [score, newest.get(channelOf(threadId))].every(isOpen);
  });
}

function isOpen(score: Score | undefined): boolean {
  return score?.isPrivate === false;
}

/** Anything that is no score is left out: an imported file can hold anything. */
function readScore({ threadId, createdAt, steps }: TurnSteps): readonly ReadScore[] {
  const dataOf = (wanted: string) =>
    steps.flatMap(({ kind, data }) => (kind === wanted ? [data] : []));
  const [score] = dataOf('scored').flatMap((data) => stepSchemas.scored.safeParse(data).data ?? []);
  const feedback = dataOf('feedback').flatMap(
    (data) => stepSchemas.feedback.safeParse(data).data?.rating ?? [],
  );
  return score ? [{ threadId, createdAt, score, feedback }] : [];
}

// Which questions a person asked last in a workspace. Kept are the turns' ids alone: what was asked
// is in the turns, and goes when they go.

const mostKept = 10;

/** Name of the store's scope that holds them. */
export function recentScope(
  { platform, workspace }: Pick<Place, 'platform' | 'workspace'>,
  personId: string,
): string {
  return `recent:${platform}:${workspace}:${personId}`;
}

/** What has to be written to the scope when one more is asked. */
export function withQuestion(kept: StoredSettings, turnId: string, threadId: string): JsonObject {
  const gone = newestFirst(kept).slice(mostKept - 1);
  return { ...Object.fromEntries(gone.map((old) => [old.turnId, null])), [turnId]: threadId };
}

/** @returns Those that are still kept, newest first. */
export async function readQuestions(
  kept: StoredSettings,
  turns: TurnStore,
): Promise<readonly RecentQuestion[]> {
  const wanted = newestFirst(kept).slice(0, mostKept);
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
    .flatMap(([turnId, { value }]) =>
      typeof value === 'string' ? [{ turnId, threadId: value }] : [],
    );
}
