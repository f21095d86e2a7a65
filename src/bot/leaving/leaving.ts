/** What goes away on a platform: posts that people delete, and servers or workspaces that remove the bot. */

import type { Place } from '../../../commands/command.ts';
import { readPastTurn } from '../../council/past-turn.ts';
import { channelOf, isSameChannel, partsOf, workspaceOf } from '../../domain/thread-id.ts';
import type { ForgetSubject } from '../../memory/forgetting/forget.ts';
import { turnsThatHeard } from '../../memory/forgetting/heard.ts';
import type { DeletedPost, Deletion, Memberships } from '../../platforms/platform.ts';
import { mostForgotten, Notes, type Store } from '../../store/store.ts';
import type { BotParts } from '../parts.ts';
import { readChannel } from '../places/channels.ts';
import { storedEventId } from '../places/turns-of-place.ts';

/** A post that is older has already become a question, or never will. */
const mayBecomeQuestionMs = 15 * 60_000;

/** Resolves when what was deleted is forgotten. Throws what the store throws. */
export async function forgetDeleted(deletion: Deletion, parts: BotParts): Promise<void> {
  if (deletion.kind !== 'posts') {
    const { kind, threadId } = deletion;
    const subject =
      kind === 'thread'
        ? ({ kind, threadId, isTakenBack: true } as const)
        : { kind, channel: channelOf(threadId) };
    await forgetIfSet(subject, threadId, parts);
    return;
  }
  // Before the search, so that a question stored in between is found.
  await bury(deletion.posts, parts);
  await forgetHeard(deletion.posts, parts);
  for (const post of deletion.posts) {
    for (const turn of await turnsOf(post, parts.store)) {
      const { turnId, threadId, status } = turn;
      const { eventId, editOf } = readPastTurn(turn).request;
      const isAsked = eventId === post.eventId || editOf === post.eventId;
      const subject = { kind: 'turn', turnId, threadId, isTakenBack: true } as const;
      const isForgotten = await forgetIfSet(subject, threadId, parts);
      // People who take a question back want no answer; those who delete an answer may want the others.
      if (!isForgotten && isAsked && status !== 'ended') await parts.stops.request(turnId);
    }
  }
}

/** People's own words are not the council's to keep, whatever is set of questions. */
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

/** @returns Whether it is forgotten here. */
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

/** Keeps posts that are deleted before their question is stored from becoming turns. */
async function bury(posts: readonly DeletedPost[], { store, now }: BotParts): Promise<void> {
  const recent = posts.filter(({ postedAt }) => now() - postedAt < mayBecomeQuestionMs);
  for (const ofWorkspace of Map.groupBy(recent, ({ threadId }) => workspaceOf(threadId)).values()) {
    const [{ threadId } = { threadId: '' }] = ofWorkspace;
    const eventIds = ofWorkspace.map((post) => storedEventId(threadId, post.eventId));
    for (let at = 0; at < eventIds.length; at += mostForgotten) {
      const some = eventIds.slice(at, at + mostForgotten);
      await store.forget({ threadId, turnIds: [], messageIds: [], eventIds: some });
    }
  }
}

/** The turn of a post, and those that asked again what it said after an edit. */
async function turnsOf(post: DeletedPost, store: Pick<Store, 'turns'>) {
  const turn = await turnOf(post, store);
  if (!turn) return [];
  const others = await store.turns.list(turn.threadId, { limit: mostTurns });
  const later = others.filter(({ turnId }) => turnId !== turn.turnId);
  const records = await Promise.all(later.map((key) => store.turns.read(key)));
  const again = records.filter((one) => one !== undefined);
  return [turn, ...again.filter((one) => readPastTurn(one).request.editOf === post.eventId)];
}

/** The turn that a post belongs to, asked, or opened the thread of. */
async function turnOf(post: DeletedPost, { turns }: Pick<Store, 'turns'>) {
  const { eventId, threadId, turnId } = post;
  if (turnId !== undefined) {
    const turn = await turns.read({ turnId, threadId });
    return turn && isSameChannel(turn.threadId, threadId) ? turn : undefined;
  }
  const asked = await turns.read({ eventId: storedEventId(threadId, eventId), threadId });
  return asked ?? (await turnOpenedOn(post, turns));
}

/** How far back the first turn of a thread is looked for. */
const mostTurns = 100;

/**
 * A question asked by command is shown only in the council's own first post, which its thread hangs on and is
 * named after; other posts of the thread are no question. A thread that hangs on another post existed before a
 * question was asked in it.
 */
async function turnOpenedOn({ eventId, threadId, postedAt }: DeletedPost, turns: Store['turns']) {
  if (!eventId.endsWith(partsOf(threadId).thread)) return undefined;
  const first = (await turns.list(threadId, { limit: mostTurns })).at(-1);
  const record = first && (await turns.read(first));
  return record && readPastTurn(record).request.askedAt <= postedAt ? record : undefined;
}

/** How long a bot that was removed by mistake can be put back, in milliseconds. */
export const keptAfterDepartureMs = 24 * 60 * 60 * 1000;
/** How many unfinished turns are looked at. */
const mostUnfinished = 1000;

/** Where the bot was on a platform, and under which account, by workspace. */
function seenOn(platform: string, { store, now }: BotParts): Notes {
  return new Notes(store.settings, `seen:${platform}`, { now });
}

/**
 * Stops the turns that run there, which can't be shown any more, and has everything forgotten in a day
 * unless the bot is back by then. Throws what the store throws.
 */
export async function noteDeparture(
  { platform, workspace }: Pick<Place, 'platform' | 'workspace'>,
  parts: BotParts,
): Promise<void> {
  const { store, stops, memory, log, now } = parts;
  const left = `${platform}:${workspace}`;
  await memory.forgetting.forgetLater(left, now() + keptAfterDepartureMs);
  // The note knows it now; a later start must not begin the day again.
  await seenOn(platform, parts).drop([workspace]);
  const unfinished = await store.turns.unfinished(mostUnfinished);
  const theirs = unfinished.filter(({ threadId }) => workspaceOf(threadId) === left);
  await Promise.all(theirs.map(({ turnId }) => stops.request(turnId)));
  log.info({ platform, workspace }, 'removed from a workspace; it will be forgotten in a day');
}

/**
 * Notes where the bot is, and begins the day for each place that it was removed from while it was not
 * running. Places of another or unknown bot are left alone: to a test's bot, all of them would seem to be
 * left. Throws what the store throws.
 */
export async function noteMemberships(
  { platform, as, workspaces, wouldName }: Memberships,
  parts: BotParts,
): Promise<void> {
  const notes = seenOn(platform, parts);
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
      'the bot of another token was in workspaces that this one is not in; nothing of theirs is forgotten',
    );
  }
}
