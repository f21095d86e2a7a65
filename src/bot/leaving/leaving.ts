/** Handles deleted posts, threads and channels, and servers or workspaces that remove the bot. */

import type { Place } from '../../../commands/command.ts';
import { readPastTurn } from '../../council/past-turn.ts';
import { channelOf, isSameChannel, partsOf } from '../../domain/thread-id.ts';
import { turnsThatHeard } from '../../memory/forgetting/heard.ts';
import { coversThread, type ForgetSubject } from '../../memory/forgetting/notes.ts';
import { inBatches, turnPages } from '../../memory/pages.ts';
import type { DeletedPost, Deletion, Memberships } from '../../platforms/platform.ts';
import { mostForgotten, Notes, type Store } from '../../store/store.ts';
import type { BotParts } from '../parts.ts';
import { readChannel } from '../places/channels.ts';
import { storedEventId } from '../places/turns-of-place.ts';
import { requestStop } from '../running/running.ts';

/** An older post is already a question or never will be one. */
const mayBecomeQuestionMs = 15 * 60_000;

/** Forgets what was deleted, as set. Throws what the store throws. */
export async function forgetDeleted(deletion: Deletion, parts: BotParts): Promise<void> {
  if (deletion.kind !== 'posts') {
    const { kind, threadId } = deletion;
    const subject =
      kind === 'thread'
        ? ({ kind, threadId, isTakenBack: true } as const)
        : { kind, channel: channelOf(threadId) };
    if (!(await forgetIfSet(subject, threadId, parts))) await stopTurnsOf(subject, parts);
    return;
  }
  // Before the search, so that a question stored in between is found.
  await blockTurnsOf(deletion.posts, parts);
  await forgetHeard(deletion.posts, parts);
  for (const post of deletion.posts) {
    for (const turn of await turnsOf(post, parts.store)) {
      const { turnId, threadId, status } = turn;
      const { eventId, editOf } = readPastTurn(turn).request;
      const isAsked = eventId === post.eventId || editOf === post.eventId;
      const subject = { kind: 'turn', turnId, threadId, isTakenBack: true } as const;
      const isForgotten = await forgetIfSet(subject, threadId, parts);
      // Deleting a question means that no answer is wanted. Deleting an answer does not.
      if (!isForgotten && isAsked && status !== 'ended') await requestStop(turn, parts);
    }
  }
}

/** Forgets people's own messages regardless of the settings, which only apply to the council's turns. */
async function forgetHeard(deleted: readonly DeletedPost[], { store, memory }: BotParts) {
  const posts = deleted.map(({ eventId: postId, threadId, postedAt }) => {
    return { place: channelOf(threadId), postId, postedAt };
  });
  if ((await turnsThatHeard(store, posts)).length === 0) return;
  for (const post of posts) {
    const subject = { kind: 'post', ...post } as const;
    await memory.forgetting.forget(subject, new AbortController().signal);
  }
}

/** @returns Whether the channel's settings have it forgotten. */
async function forgetIfSet(
  subject: ForgetSubject,
  threadId: string,
  parts: BotParts,
): Promise<boolean> {
  const { channel } = await readChannel(parts, threadId);
  const { forgetDeleted } = channel.settings;
  if (forgetDeleted) await parts.memory.forgetting.forget(subject, new AbortController().signal);
  return forgetDeleted;
}

/** Keeps recently deleted posts of a channel from becoming turns, in case their question is not stored yet. */
async function blockTurnsOf(posts: readonly DeletedPost[], { store, now }: BotParts) {
  const recent = posts.filter(({ postedAt }) => now() - postedAt < mayBecomeQuestionMs);
  for (const some of inBatches(recent, mostForgotten)) {
    const [{ threadId } = { threadId: '' }] = some;
    const eventIds = some.map((post) => storedEventId(threadId, post.eventId));
    await store.forget({ threadId, turnIds: [], messageIds: [], eventIds });
  }
}

/** The turn of a post, and the turns that repeated it after an edit. */
async function turnsOf(post: DeletedPost, store: Pick<Store, 'turns'>) {
  const turn = await turnOf(post, store);
  if (!turn) return [];
  const found = [turn];
  for await (const page of turnPages(store.turns, turn.threadId)) {
    const later = page.filter(
      ({ turnId, createdAt }) => turnId !== turn.turnId && createdAt >= turn.createdAt,
    );
    for (const record of await Promise.all(later.map((key) => store.turns.read(key)))) {
      if (record && readPastTurn(record).request.editOf === post.eventId) found.push(record);
    }
    if (later.length < page.length) break;
  }
  return found;
}

/** The turn that a post belongs to, started, or opened the thread of. */
async function turnOf(post: DeletedPost, { turns }: Pick<Store, 'turns'>) {
  const { eventId, threadId, turnId } = post;
  if (turnId !== undefined) {
    const turn = await turns.read({ turnId, threadId });
    return turn && isSameChannel(turn.threadId, threadId) ? turn : undefined;
  }
  const asked = await turns.read({ eventId: storedEventId(threadId, eventId), threadId });
  return asked ?? (await turnOpenedOn(post, turns));
}

/**
 * A question asked by command is shown only in the council's own first post, which its thread is attached to and
 * named after. If the thread is attached to another post, it existed before the question.
 */
async function turnOpenedOn({ eventId, threadId, postedAt }: DeletedPost, turns: Store['turns']) {
  if (!eventId.endsWith(partsOf(threadId).thread)) return undefined;
  const first = (await Array.fromAsync(turnPages(turns, threadId))).at(-1)?.at(-1);
  const record = first && (await turns.read(first));
  return record && readPastTurn(record).request.askedAt <= postedAt ? record : undefined;
}

/** How long everything is kept after the bot was removed, possibly by mistake, in milliseconds. */
export const keptAfterDepartureMs = 24 * 60 * 60 * 1000;
/** How many unfinished turns are checked. */
const maxUnfinished = 1000;

/** The workspaces in which the bot was on a platform, with its account in each. */
function membershipNotes(platform: string, { store, now }: BotParts): Notes {
  return new Notes(store.settings, `seen:${platform}`, { now });
}

/** Stops the turns of a place that is gone, in which nothing more can be shown. */
async function stopTurnsOf(place: ForgetSubject, parts: BotParts): Promise<void> {
  const unfinished = await parts.store.turns.unfinished(maxUnfinished);
  const theirs = unfinished.filter(({ threadId }) => coversThread(place, threadId));
  await Promise.all(theirs.map((turn) => requestStop(turn, parts)));
}

/**
 * Stops the turns of a workspace that the bot was removed from, which can't be shown anymore. Everything there is
 * forgotten in a day unless the bot is added again. Throws what the store throws.
 */
export async function noteDeparture(
  { platform, workspace }: Pick<Place, 'platform' | 'workspace'>,
  parts: BotParts,
): Promise<void> {
  const { memory, log, now } = parts;
  const left = `${platform}:${workspace}`;
  await memory.forgetting.forgetLater(left, now() + keptAfterDepartureMs);
  // Once scheduled, a later start must not restart the day.
  await membershipNotes(platform, parts).drop([workspace]);
  await stopTurnsOf({ kind: 'workspace', workspace: left }, parts);
  log.info({ platform, workspace }, 'removed from a workspace; it will be forgotten in a day');
}

/**
 * Notes which workspaces the bot is in, and calls {@link noteDeparture} for those that removed it while it was not
 * running. Ignores workspaces of other accounts: to a test's bot, all of them would seem to have removed it.
 * Throws what the store throws.
 */
export async function noteMemberships(
  { platform, as, workspaces, wouldName }: Memberships,
  parts: BotParts,
): Promise<void> {
  const notes = membershipNotes(platform, parts);
  const seen = await notes.list();
  const isSeenAsNow = (workspace: string) => seen.get(workspace) === as;
  const arrived = workspaces.filter((workspace) => !isSeenAsNow(workspace));
  if (arrived.length > 0) {
    await notes.put(Object.fromEntries(arrived.map((workspace) => [workspace, as])));
  }
  const named = new Set(workspaces);
  const missing = [...seen.keys()].filter((known) => !named.has(known) && wouldName(known));
  const departed = missing.filter(isSeenAsNow);
  for (const workspace of departed) await noteDeparture({ platform, workspace }, parts);
  const kept = missing.length - departed.length;
  if (kept > 0) {
    parts.log.warn(
      { platform, workspaces: kept },
      'only another bot was in some workspaces; nothing of theirs is forgotten',
    );
  }
}
