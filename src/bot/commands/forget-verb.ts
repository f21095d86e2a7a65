/** What a person may have forgotten in a place, and what would go with it. */

import { CommandError } from '../../../commands/command.ts';
import type { ForgetTarget, ToForget } from '../../../commands/context.ts';
import { channelOf, isSameChannel, partsOf, workspaceOf } from '../../domain/thread-id.ts';
import {
  type ForgetReport,
  type ForgetSubject,
  workspaceOfSubject,
} from '../../memory/forgetting/forget.ts';
import type { Memory } from '../../memory/memories.ts';
import type { BotParts } from '../parts.ts';
import type { Here } from '../places/channels.ts';
import type { PlaceMemory } from './place-memory.ts';
import { assertManager } from './rights.ts';

/** The pause between two counts of all that a person asked, or of a channel: each may read a whole workspace. */
const pauseMs = 10_000;

/** Throws `CommandError` without the permission. */
export async function toForget(
  target: ForgetTarget,
  isConfirmed: boolean,
  here: Here,
  { store, memory }: Pick<BotParts, 'store' | 'memory'>,
  remembered: PlaceMemory,
): Promise<Omit<ToForget, 'forget'> & { forget(): Promise<ForgetReport> }> {
  const { forgetting } = memory;
  const subject = await subjectOf(target, here, remembered);
  const isLarge = subject.kind === 'person' || subject.kind === 'channel';
  const count = ['forget', workspaceOfSubject(subject), here.person.id, subject.kind, isConfirmed];
  if (isLarge && !(await store.claim(count.join(':'), pauseMs))) {
    throw new CommandError('You asked for that a moment ago. Try again in ten seconds.');
  }
  const preview = await forgetting.preview(subject);
  const link = subject.kind === 'thread' ? remembered.linkTo(subject.threadId) : undefined;
  return {
    ...preview,
    isSummary: subject.kind === 'shard',
    ...(link !== undefined && { link }),
    ...(subject.kind === 'thread' && { thread: partsOf(subject.threadId).thread }),
    // Once begun, it is finished in the background, if need be by another process.
    forget: () => forgetting.forget(subject, new AbortController().signal),
  };
}

async function subjectOf(
  target: ForgetTarget,
  here: Here,
  remembered: PlaceMemory,
): Promise<ForgetSubject> {
  const { place, person } = here;
  switch (target.kind) {
    case 'mine':
      return { kind: 'person', workspace: workspaceOf(place.threadId), personId: person.id };
    case 'thread':
      assertManager(person, 'have a whole thread forgotten');
      return {
        kind: 'thread',
        threadId:
          target.thread === undefined ? place.threadId : await remembered.threadOf(target.thread),
      };
    case 'channel':
      assertManager(person, 'have all of it forgotten');
      return { kind: 'channel', channel: channelOf(place.threadId) };
    case 'one': {
      const found = await remembered.find(target.id);
      await assertMayForget(found, here, remembered);
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

/** People may forget their own questions wherever they see them; managers all that was said in this channel. */
async function assertMayForget(
  memory: Memory,
  { place, person }: Here,
  remembered: PlaceMemory,
): Promise<void> {
  const isHere = isSameChannel(memory.threadId, place.threadId);
  if (isHere && person.isManager) return;
  const messages = await remembered.messagesOf(memory);
  const turns = await remembered.turnsOf(messages);
  const isTheirs = messages.every(
    ({ turnId = '' }) => turns.get(turnId)?.request.author.id === person.id,
  );
  const isAllKnown = memory.kind === 'message' || messages.length === memory.sourceIds.length;
  if (isTheirs && isAllKnown) return;
  if (!isHere) {
    throw new CommandError('That was said in another channel. It can be forgotten there.');
  }
  assertManager(
    person,
    'have forgotten what others have asked; your own go with memory forget mine',
  );
}
