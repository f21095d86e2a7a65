/**
 * Indexes which turns overheard which posts and people, by ids alone, so that forgetting a post or a
 * person doesn't read every turn.
 */

import { z } from 'zod';
import { type Heard, type HeardMessage, heardSchema, heardWithout } from '../../domain/heard.ts';
import { channelOf, partsOf, workspaceOf } from '../../domain/thread-id.ts';
import { type TurnRequest, turnRequestSchema } from '../../domain/turn.ts';
import { dayOf } from '../../domain/words.ts';
import {
  Notes,
  type NotesOptions,
  type Store,
  type TurnKey,
  type TurnRecord,
} from '../../store/store.ts';
import { inBatches } from '../pages.ts';
import type { ForgetSubject } from './notes.ts';

type SettingsOf = Pick<Store, 'settings'>;

/** A post between people, not to the council. */
export type HeardPost = Omit<Extract<ForgetSubject, { kind: 'post' }>, 'kind'>;

const askedSchema = turnRequestSchema.pick({ eventId: true, askedAt: true });

/** A turn's thread, and the posts of the scope's day that it overheard. */
const noteSchema = z.object({ threadId: z.string(), ids: z.array(z.string()) });

/** The scope of the turns that overheard posts of one day in one place. */
function postsScope(place: string, at: number): string {
  return `heard:${place}:${dayOf(at)}`;
}

/** The scope of the turns that overheard what the council posted on one day in one place. */
function councilScope(place: string, at: number): string {
  return `heard-council:${place}:${dayOf(at)}`;
}

/** The scope of the turns that overheard one person. */
function personScope(place: string, personId: string): string {
  const { platform, workspace } = partsOf(place);
  return `heard-of:${platform}:${workspace}:${personId}`;
}

/** The scopes to index a turn under, each with the ids of its posts. */
function scopesOf({ place, messages }: Heard): ReadonlyMap<string, readonly string[]> {
  const byDay = Map.groupBy(messages, ({ at }) => postsScope(place, at));
  const people = new Set(messages.map(({ author }) => personScope(place, author.id)));
  const own = messages.flatMap(({ at, isCouncils }) => (isCouncils ? councilScope(place, at) : []));
  return new Map<string, readonly string[]>([
    ...Array.from(byDay, ([scope, some]) => [scope, some.map(({ id }) => id)] as const),
    ...Array.from([...people, ...own], (scope) => [scope, []] as const),
  ]);
}

/** Indexes what a turn overheard. Call this before the turn stores it, or forgetting won't find it. */
export async function noteHeard(
  { settings }: SettingsOf,
  { turnId, threadId }: TurnKey,
  heard: Heard,
  options: NotesOptions,
): Promise<void> {
  await Promise.all(
    Array.from(scopesOf(heard), ([scope, ids]) =>
      new Notes(settings, scope, options).put({ [turnId]: { threadId, ids: [...ids] } }),
    ),
  );
}

/** Matches overheard messages of a place. */
type HeardMatcher = (message: Pick<HeardMessage, 'id' | 'author'>, place: string) => boolean;

/** A predicate for the overheard messages that a subject covers; `undefined` if it covers none. */
export function heardMatcher(subject: ForgetSubject): HeardMatcher | undefined {
  if (subject.kind === 'post') {
    return ({ id }, place) => place === subject.place && id === subject.postId;
  }
  if (subject.kind !== 'person') return undefined;
  return ({ author }, place) =>
    author.id === subject.personId && workspaceOf(`${place}:`) === subject.workspace;
}

/** The turns that overheard any of these posts. Reads the store once. */
export async function turnsThatHeard(
  { settings }: SettingsOf,
  posts: readonly HeardPost[],
): Promise<readonly TurnKey[]> {
  const scopes = [...new Set(posts.map(({ place, postedAt }) => postsScope(place, postedAt)))];
  const ids = new Set(posts.map(({ postId }) => postId));
  const notes = await notesIn(settings, scopes);
  return notes.filter((note) => note.ids.some((id) => ids.has(id)));
}

async function notesIn(settings: Store['settings'], scopes: readonly string[]) {
  const kept = scopes.length === 0 ? [] : await settings.read(scopes);
  return kept.flatMap((scope) =>
    Object.entries(scope).map(([turnId, { value }]) => ({ turnId, ...noteSchema.parse(value) })),
  );
}

/** The turns that overheard a post or person. */
export async function turnsThatHeardSubject({ settings }: SettingsOf, subject: ForgetSubject) {
  if (subject.kind === 'post') return turnsThatHeard({ settings }, [subject]);
  if (subject.kind !== 'person') return [];
  return notesIn(settings, [personScope(subject.workspace, subject.personId)]);
}

/** The store may be far away, and a turn may be large. */
const turnsAtOnce = 10;

/** Removes a subject's words from every turn that overheard them. Idempotent. Throws what the store throws. */
export async function removeHeard(
  store: Pick<Store, 'settings' | 'turns'>,
  subject: ForgetSubject,
  now: () => number,
): Promise<void> {
  const matches = heardMatcher(subject);
  if (!matches) return;
  const turns = await turnsThatHeardSubject(store, subject);
  await removeFromTurns(store, turns, matches);
  if (subject.kind !== 'person') return;
  const scope = personScope(subject.workspace, subject.personId);
  await new Notes(store.settings, scope, { now }).drop(turns.map(({ turnId }) => turnId));
}

async function removeFromTurns(
  store: Pick<Store, 'turns'>,
  turns: readonly TurnKey[],
  matches: Parameters<typeof heardWithout>[1],
): Promise<void> {
  const removeFrom = async (turn: TurnKey) => {
    const heard = heardOf(await store.turns.read(turn));
    const left = heard && heardWithout(heard, matches);
    if (left && left !== heard)
      await store.turns.remark(turn, { kind: 'heard', key: '', data: left });
  };
  for (const some of inBatches(turns, turnsAtOnce)) await Promise.all(some.map(removeFrom));
}

/** By how much the clocks of a platform and of this process may differ, in milliseconds. */
const clocksDifferByMs = 60_000;

/** Before a turn is deleted: removes its index entries, and its posts from the turns that overheard them. */
export async function removeHeardOf(
  store: Pick<Store, 'settings' | 'turns'>,
  turn: TurnKey,
  now: () => number,
): Promise<void> {
  const record = await store.turns.read(turn);
  if (!record) return;
  const heard = heardOf(record);
  const scopes = heard ? [...scopesOf(heard).keys()] : [];
  await Promise.all(
    scopes.map((scope) => new Notes(store.settings, scope, { now }).drop([record.turnId])),
  );
  const asked = askedSchema.safeParse(record.request).data;
  if (!asked) return;
  const { eventId, askedAt } = asked;
  const { threadId } = record;
  const { platform, workspace, thread } = partsOf(threadId);
  // On some platforms a thread is a channel itself.
  const places = [channelOf(threadId), `${platform}:${workspace}:${thread}`];
  const posts = places.map((place) => ({ place, postId: eventId, postedAt: askedAt }));
  // Of the council's own posts, only the time is known.
  const from = askedAt - clocksDifferByMs;
  const until = (record.endedAt ?? now()) + clocksDifferByMs;
  const days = places.flatMap((place) => [from, until].map((at) => councilScope(place, at)));
  const turns = [
    ...(await turnsThatHeard(store, posts)),
    ...(await notesIn(store.settings, [...new Set(days)])),
  ];
  await removeFromTurns(store, turns, ({ id, at, isCouncils }, place) => {
    const isOfTurn = id === eventId || (isCouncils === true && from <= at && at <= until);
    return isOfTurn && places.includes(place);
  });
}

/** A question without a subject's words; the same object if it overheard none. */
export function requestWithout(request: TurnRequest, subject: ForgetSubject): TurnRequest {
  const { heard } = request;
  const matches = heardMatcher(subject);
  if (!heard || !matches) return request;
  const left = heardWithout(heard, matches);
  return left === heard ? request : { ...request, heard: left };
}

/** A turn without the matching overheard messages. */
export function recordWithout(record: TurnRecord, matches: HeardMatcher): TurnRecord {
  const heard = heardOf(record);
  if (!heard) return record;
  const data = heardWithout(heard, matches);
  const steps = record.steps.map((step) => (step.kind === 'heard' ? { ...step, data } : step));
  return { ...record, steps };
}

function heardOf(record: TurnRecord | undefined): Heard | undefined {
  const step = record?.steps.find(({ kind }) => kind === 'heard');
  return step && heardSchema.parse(step.data);
}
