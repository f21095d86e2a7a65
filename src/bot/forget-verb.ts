/** What one person may have forgotten in a place, and what would go with it. */

import { CommandError, type Person, type Place } from '../../commands/command.ts';
import type { ForgetTarget, ToForget } from '../../commands/council-memory.ts';
import { readPastTurn } from '../council/past-turn.ts';
import type { ForgetSubject, Forgetting } from '../memory/forget.ts';
import type { Memory } from '../memory/memories.ts';
import { channelOf, type TurnStore, workspaceOf } from '../store/store.ts';
import { isOfChannel } from './turns-of-place.ts';

export interface ForgetOptions {
  readonly place: Place;
  /** With all that they may do. */
  readonly person: Person;
  readonly turns: Pick<TurnStore, 'read'>;
  readonly forgetting: Pick<Forgetting, 'preview' | 'forget'>;
  readonly linkTo: (threadId: string) => string | undefined;
  /** Throws `CommandError` for what may not be seen from here. */
  readonly find: (id: string) => Promise<Memory>;
  /** The messages of which a summary was made, as far as they are remembered. */
  readonly sourcesOf: (memory: Memory) => Promise<readonly Memory[]>;
  /** The threads of this channel of which something may be seen from here. */
  readonly threads: () => Promise<ReadonlySet<string>>;
}

/** Throws `CommandError` without the permission. */
export async function toForget(target: ForgetTarget, options: ForgetOptions): Promise<ToForget> {
  const { forgetting, linkTo } = options;
  const subject = await subjectOf(target, options);
  const preview = await forgetting.preview(subject);
  const link = subject.kind === 'thread' ? linkTo(subject.threadId) : undefined;
  return {
    ...preview,
    isSummary: subject.kind === 'shard',
    ...(link !== undefined && { link }),
    ...(subject.kind === 'thread' && { thread: lastPart(subject.threadId) }),
    // What was begun is finished in the background by whatever process comes next.
    forget: () => forgetting.forget(subject, new AbortController().signal),
  };
}

async function subjectOf(target: ForgetTarget, options: ForgetOptions): Promise<ForgetSubject> {
  const { place, person } = options;
  switch (target.kind) {
    case 'mine':
      return { kind: 'person', workspace: workspaceOf(place.threadId), personId: person.id };
    case 'thread':
      assertManager(person, 'have a whole thread forgotten');
      return { kind: 'thread', threadId: await threadMeant(target.thread, options) };
    case 'channel':
      assertManager(person, 'have all of it forgotten');
      return { kind: 'channel', channel: channelOf(place.threadId) };
    case 'one': {
      const found = await options.find(target.id);
      await assertMayForget(found, options);
      return subjectOfMemory(found);
    }
  }
}

function subjectOfMemory({ kind, threadId, id, turnId }: Memory): ForgetSubject {
  if (kind === 'shard') return { kind, threadId, shardId: id };
  return turnId === undefined
    ? { kind, threadId, messageId: id }
    : { kind: 'turn', threadId, turnId };
}

/** A thread of this channel by the last part of its id; without it, the one that this is. */
async function threadMeant(
  thread: string | undefined,
  { place, threads }: ForgetOptions,
): Promise<string> {
  const { threadId } = place;
  if (thread === undefined || thread === lastPart(threadId)) return threadId;
  const meant = `${channelOf(threadId)}:${thread}`;
  if (!(await threads()).has(meant)) {
    throw new CommandError('There is no such thread here, or nothing is remembered of it.');
  }
  return meant;
}

/** One's own, wherever one sees it; as a manager all that was said in this channel. */
async function assertMayForget(memory: Memory, options: ForgetOptions): Promise<void> {
  const { place, person, turns, sourcesOf } = options;
  const isHere = isOfChannel(memory.threadId, place);
  if (isHere && person.isManager) return;
  const messages = memory.kind === 'shard' ? await sourcesOf(memory) : [memory];
  const turnIds = [...new Set(messages.map(({ turnId }) => turnId))];
  const records = await Promise.all(turnIds.map((turnId) => turnId && turns.read(turnId)));
  const isTheirs = records.every(
    (record) => record && readPastTurn(record).request.author.id === person.id,
  );
  const isAllKnown = memory.kind === 'message' || messages.length === memory.sourceIds.length;
  if (isTheirs && isAllKnown) return;
  if (!isHere) {
    throw new CommandError('That was said in another channel. It can be forgotten there.');
  }
  throw new CommandError(
    'Only those who may manage this channel can have forgotten what others have asked. Your own questions go with memory forget mine.',
  );
}

function assertManager({ isManager }: Person, what: string): void {
  if (!isManager) throw new CommandError(`Only those who may manage this channel can ${what}.`);
}

function lastPart(threadId: string): string {
  return threadId.slice(channelOf(threadId).length + 1);
}
