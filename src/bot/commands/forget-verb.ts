/** What one person may have forgotten in a place, and what would go with it. */

import { CommandError, type Person, type Place } from '../../../commands/command.ts';
import type { ForgetTarget, ToForget } from '../../../commands/council-memory.ts';
import { readPastTurn } from '../../council/past-turn.ts';
import { channelOf, isSameChannel, partsOf, workspaceOf } from '../../domain/thread-id.ts';
import {
  type ForgetReport,
  type ForgetSubject,
  type Forgetting,
  workspaceOfSubject,
} from '../../memory/forgetting/forget.ts';
import type { Memory } from '../../memory/memories.ts';
import type { Store, TurnStore } from '../../store/store.ts';

export interface ForgetOptions {
  readonly place: Place;
  /** With all that they may do. */
  readonly person: Person;
  readonly store: { readonly turns: Pick<TurnStore, 'read'> } & Pick<Store, 'claim'>;
  readonly forgetting: Pick<Forgetting, 'preview' | 'forget'>;
  readonly linkTo: (threadId: string) => string | undefined;
  /** Throws `CommandError` for what may not be seen from here. */
  readonly find: (id: string) => Promise<Memory>;
  /** The messages of which a summary was made, as far as they are remembered. */
  readonly sourcesOf: (memory: Memory) => Promise<readonly Memory[]>;
  /** Throws `CommandError` for a thread of this channel of which nothing may be seen from here. */
  readonly threadOf: (lastPart: string) => Promise<string>;
}

/** Between two counts of all that somebody has asked, or of a channel: all of a workspace may be read for it. */
const pauseMs = 10_000;

/** Throws `CommandError` without the permission. */
export async function toForget(
  target: ForgetTarget,
  isConfirmed: boolean,
  options: ForgetOptions,
): Promise<Omit<ToForget, 'forget'> & { forget(): Promise<ForgetReport> }> {
  const { forgetting, linkTo, store, person } = options;
  const subject = await subjectOf(target, options);
  const isLarge = subject.kind === 'person' || subject.kind === 'channel';
  const count = ['forget', workspaceOfSubject(subject), person.id, subject.kind, isConfirmed];
  if (isLarge && !(await store.claim(count.join(':'), pauseMs))) {
    throw new CommandError('You have asked for that a moment ago. Try again in ten seconds.');
  }
  const preview = await forgetting.preview(subject);
  const link = subject.kind === 'thread' ? linkTo(subject.threadId) : undefined;
  return {
    ...preview,
    isSummary: subject.kind === 'shard',
    ...(link !== undefined && { link }),
    ...(subject.kind === 'thread' && { thread: partsOf(subject.threadId).thread }),
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
      return {
        kind: 'thread',
        threadId:
          target.thread === undefined ? place.threadId : await options.threadOf(target.thread),
      };
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

/** One's own, wherever one sees it; as a manager all that was said in this channel. */
async function assertMayForget(memory: Memory, options: ForgetOptions): Promise<void> {
  const { place, person, store, sourcesOf } = options;
  const isHere = isSameChannel(memory.threadId, place.threadId);
  if (isHere && person.isManager) return;
  const messages = memory.kind === 'shard' ? await sourcesOf(memory) : [memory];
  const turnIds = [...new Set(messages.map(({ turnId }) => turnId))];
  const { threadId } = memory;
  const records = await Promise.all(
    turnIds.map((turnId) => turnId && store.turns.read({ turnId, threadId })),
  );
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
