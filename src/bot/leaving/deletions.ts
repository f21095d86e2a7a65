/** What is deleted on a platform: it is forgotten where its channel has it so, and else not answered any more. */

import { readPastTurn } from '../../council/past-turn.ts';
import { channelOf, isSameChannel, workspaceOf } from '../../domain/thread-id.ts';
import type { ForgetSubject } from '../../memory/forgetting/forget.ts';
import type { DeletedPost, Deletion } from '../../platforms/platform.ts';
import { mostForgotten, type Store } from '../../store/store.ts';
import type { BotParts } from '../parts.ts';
import { readChannel } from '../places/channels.ts';
import { storedEventId } from '../places/turns-of-place.ts';

/** What is older has become a question by now, or never will. */
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
  // Before anything is looked for: a question that is stored by then is found.
  await bury(deletion.posts, parts);
  for (const post of deletion.posts) {
    const turn = await turnOf(post, parts.store);
    if (turn) {
      const { turnId, threadId, status } = turn;
      const isAsked = readPastTurn(turn).request.eventId === post.eventId;
      const subject = { kind: 'turn', turnId, threadId, isTakenBack: true } as const;
      const isForgotten = await forgetIfSet(subject, threadId, parts);
      // Whoever takes a question back wants no answer to it; who deletes an answer may want the others.
      if (!isForgotten && isAsked && status !== 'ended') await parts.stops.request(turnId);
    }
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

/** Of what is deleted before its question is stored, no turn is made. */
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

/** The turn that a post is a part of, or that it asked, or whose thread opened on it. */
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
 * A question that was asked by command is seen on the council's own first post alone, which its thread
 * hangs on. A thread that hangs on anything else was there before it was asked in.
 */
async function turnOpenedOn({ threadId, postedAt }: DeletedPost, turns: Store['turns']) {
  const first = (await turns.list(threadId, { limit: mostTurns })).at(-1);
  const record = first && (await turns.read(first));
  return record && readPastTurn(record).request.askedAt <= postedAt ? record : undefined;
}
