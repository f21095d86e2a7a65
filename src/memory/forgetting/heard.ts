/**
 * Where the words of people are that turns have heard: noted beside the turns by ids alone, so that a post
 * or a person can be taken out of all of them without reading every turn.
 */

import { z } from 'zod';
import { type Heard, type HeardMessage, heardSchema, heardWithout } from '../../domain/heard.ts';
import { channelOf, partsOf } from '../../domain/thread-id.ts';
import { type TurnRequest, turnRequestSchema } from '../../domain/turn.ts';
import { dayOf } from '../../domain/words.ts';
import { Notes, type Store, type TurnKey, type TurnRecord } from '../../store/store.ts';
import type { ForgetSubject } from './notes.ts';

type SettingsOf = Pick<Store, 'settings'>;

/** A post in which people talk to each other. */
export interface PeoplesPost {
  /** `platform:workspace:channel` that it stands in. */
  readonly place: string;
  readonly postId: string;
  /** Milliseconds since 1970. */
  readonly postedAt: number;
}

const askedSchema = turnRequestSchema.pick({ eventId: true, askedAt: true });

/** Of one turn: its thread, and which posts of that day it has heard. */
const noteSchema = z.object({ threadId: z.string(), ids: z.array(z.string()) });

/** A scope holds the turns that have heard posts of one day in one place. */
function postsScope(place: string, at: number): string {
  return `heard:${place}:${dayOf(at)}`;
}

/** A scope holds the turns that have heard one person. */
function personScope(place: string, personId: string): string {
  const { platform, workspace } = partsOf(place);
  return `heard-of:${platform}:${workspace}:${personId}`;
}

/** Which scopes name a turn, and of which posts. */
function scopesOf({ place, messages }: Heard): ReadonlyMap<string, readonly string[]> {
  const byDay = Map.groupBy(messages, ({ at }) => postsScope(place, at));
  const people = new Set(messages.map(({ author }) => personScope(place, author.id)));
  return new Map<string, readonly string[]>([
    ...Array.from(byDay, ([scope, some]) => [scope, some.map(({ id }) => id)] as const),
    ...Array.from(people, (scope) => [scope, []] as const),
  ]);
}

const dayMs = 86_400_000;

export interface NotingOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The operator's: a workspace may keep turns for less, and for longer again. */
  readonly retentionDays: number | 'unlimited';
}

/** To be noted before the turn is given the words: what is not noted can't be taken out of it. */
export async function noteHeard(
  { settings }: SettingsOf,
  { turnId, threadId }: TurnKey,
  heard: Heard,
  { now, retentionDays }: NotingOptions,
): Promise<void> {
  const expires = retentionDays !== 'unlimited' && { keptMs: retentionDays * dayMs };
  await Promise.all(
    Array.from(scopesOf(heard), ([scope, ids]) =>
      new Notes(settings, scope, { now, ...expires }).put({
        [turnId]: { threadId, ids: [...ids] },
      }),
    ),
  );
}

/** Whose words a subject takes out of what turns have heard; absent: no one's. */
export function heardGone(
  subject: ForgetSubject,
): ((message: Pick<HeardMessage, 'id' | 'author'>, place: string) => boolean) | undefined {
  if (subject.kind === 'post') {
    return ({ id }, place) => place === subject.place && id === subject.postId;
  }
  if (subject.kind !== 'person') return undefined;
  return ({ author }, place) => {
    const { platform, workspace } = partsOf(place);
    return author.id === subject.personId && `${platform}:${workspace}` === subject.workspace;
  };
}

/** The turns that have heard any of these posts. Asks the store once. */
export async function turnsThatHeard(
  { settings }: SettingsOf,
  posts: readonly PeoplesPost[],
): Promise<readonly TurnKey[]> {
  const scopes = [...new Set(posts.map(({ place, postedAt }) => postsScope(place, postedAt)))];
  const ids = new Set(posts.map(({ postId }) => postId));
  const kept = scopes.length === 0 ? [] : await settings.read(scopes);
  return kept.flatMap((scope) =>
    Object.entries(scope).flatMap(([turnId, { value }]) => {
      const note = noteSchema.parse(value);
      return note.ids.some((id) => ids.has(id)) ? [{ turnId, threadId: note.threadId }] : [];
    }),
  );
}

/** The turns that have heard what is meant by a subject. */
async function turnsWith({ settings }: SettingsOf, subject: ForgetSubject) {
  if (subject.kind === 'post') return turnsThatHeard({ settings }, [subject]);
  if (subject.kind !== 'person') return [];
  const [kept = {}] = await settings.read([personScope(subject.workspace, subject.personId)]);
  return Object.entries(kept).map(([turnId, { value }]) => {
    return { turnId, threadId: noteSchema.parse(value).threadId };
  });
}

/** How many turns have heard what is meant. */
export async function countHeard(store: SettingsOf, subject: ForgetSubject): Promise<number> {
  return (await turnsWith(store, subject)).length;
}

/** Takes words out of every turn that has heard them. May be repeated. Throws what the store throws. */
export async function emptyHeard(
  store: Pick<Store, 'settings' | 'turns'>,
  subject: ForgetSubject,
  now: () => number,
): Promise<void> {
  const isGone = heardGone(subject);
  if (!isGone) return;
  const turns = await turnsWith(store, subject);
  for (const turn of turns) {
    const heard = heardOf(await store.turns.read(turn));
    if (!heard) continue;
    const data = leftOf(heard, isGone);
    if (data !== heard)
      await store.turns.remark(turn, { kind: 'heard', key: '', data: heardAsJson(data) });
  }
  if (subject.kind !== 'person') return;
  const scope = personScope(subject.workspace, subject.personId);
  await new Notes(store.settings, scope, { now }).drop(turns.map(({ turnId }) => turnId));
}

/** Of a turn that is about to go: what notes what it has heard, and what others have heard of its question. */
export async function forgetHeardWith(
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
  // On some platforms a thread is a channel of its own.
  const places = [channelOf(threadId), `${platform}:${workspace}:${thread}`];
  const posts = places.map((place) => ({ place, postId: eventId, postedAt: askedAt }));
  if ((await turnsThatHeard(store, posts)).length === 0) return;
  for (const post of posts) await emptyHeard(store, { kind: 'post', ...post }, now);
}

type IsGone = (message: HeardMessage, place: string) => boolean;

/** The same object where none of it is gone. */
function leftOf(heard: Heard, isGone: IsGone): Heard {
  return heardWithout(heard, (message) => isGone(message, heard.place));
}

/** A question without the words that a subject takes; the same object where it has heard none of them. */
export function requestWithout(request: TurnRequest, subject: ForgetSubject): TurnRequest {
  const { heard } = request;
  const isGone = heardGone(subject);
  if (!heard || !isGone) return request;
  const left = leftOf(heard, isGone);
  return left === heard ? request : { ...request, heard: left };
}

/** A turn without the words that are meant; the same record where it has heard none of them. */
export function recordWithout(record: TurnRecord, isGone: IsGone): TurnRecord {
  const heard = heardOf(record);
  if (!heard) return record;
  const left = leftOf(heard, isGone);
  if (left === heard) return record;
  const steps = record.steps.map((step) =>
    step.kind === 'heard' ? { ...step, data: heardAsJson(left) } : step,
  );
  return { ...record, steps };
}

function heardOf(record: TurnRecord | undefined): Heard | undefined {
  const step = record?.steps.find(({ kind }) => kind === 'heard');
  return step && heardSchema.parse(step.data);
}

/** As a step of a turn is stored. */
export function heardAsJson(heard: Heard) {
  const messages = heard.messages.map(({ sources, ...message }) => ({
    ...message,
    ...(sources && { sources: sources.map((source) => ({ ...source })) }),
  }));
  return { ...heard, messages };
}
