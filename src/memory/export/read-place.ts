/** Reads what was said in a thread, or in all threads of a channel, out of a store of any kind. */

import { channelOf } from '../../domain/thread-id.ts';
import { compareTexts } from '../../domain/words.ts';
import {
  type MemoryStore,
  mostRemembered,
  type Step,
  type Store,
  type TurnRecord,
} from '../../store/store.ts';
import { threadsOf } from '../forgetting/portions.ts';
import { changesOf, inPortions, messagePages, oldestFirst, turnPages } from '../pages.ts';
import {
  type Archive,
  type ArchivedMessage,
  type ArchivedThread,
  type ArchivedTurn,
  archivedMessage,
  archiveOf,
} from './archive.ts';

/** How many messages of a channel are read at once. */
const pageSize = 500;
/** Turns that are read at once. */
const mostAtOnce = 10;

export interface ReadThread {
  readonly thread: ArchivedThread;
  /** Turns that have not ended: they are not in it. */
  readonly unfinished: number;
}

/** Reads everything in a thread that is complete and belongs to a turn that has ended, or to none. */
export async function readThread(
  { turns, messages }: Pick<Store, 'turns' | 'messages'>,
  threadId: string,
  keep: KeepStep,
): Promise<ReadThread> {
  const headers = await oldestFirst(turnPages(turns, threadId));
  const archived: ArchivedTurn[] = [];
  for (const some of inPortions(headers, mostAtOnce)) {
    const records = await Promise.all(some.map((header) => turns.read(header)));
    archived.push(...records.flatMap((record) => (record ? archivedTurn(record, keep) : [])));
  }
  const ofTurns = new Set(headers.map(({ turnId }) => turnId));
  const all = await oldestFirst(messagePages(messages, threadId));
  const ofNone = all.filter(
    ({ turnId, status }) => status === 'complete' && !(turnId !== undefined && ofTurns.has(turnId)),
  );
  return {
    thread: { threadId, turns: archived, messages: ofNone.map(archivedMessage) },
    unfinished: headers.filter(({ status }) => status !== 'ended').length,
  };
}

/** Gives what an archive holds of one of a turn's steps; none leaves the step out. */
export type KeepStep = (step: Step) => readonly Step[];

/** The archive of a place, and what it lacks. */
export interface ReadPlace {
  readonly archive: Archive;
  /** Turns that have not ended. */
  readonly unfinished: number;
  /** Older threads may be missing: only those of the newest messages are known. */
  readonly isPart: boolean;
  /** Threads that are private, seen from a channel that is not. */
  readonly hidden: number;
}

/** What is read: a thread, or the channel that it is in. */
export interface PlaceToRead {
  readonly threadId: string;
  readonly reach: 'thread' | 'channel';
}

/**
 * Reads a thread, or every thread of its channel, one after another in the order of an archive, for the
 * operator. No more than one is held at a time.
 */
export async function* eachThread(
  store: Pick<Store, 'turns' | 'messages'>,
  { threadId, reach }: PlaceToRead,
  keep: KeepStep,
): AsyncGenerator<ReadThread> {
  const threadIds = new Set([threadId]);
  if (reach === 'channel') {
    for await (const id of threadsOf(store, channelOf(threadId))) threadIds.add(id);
  }
  for (const id of [...threadIds].sort(compareTexts)) yield await readThread(store, id, keep);
}

/**
 * Reads a thread, or the threads of its channel's newest messages, for people in chat, where a file
 * may not be long. All of it is held at once.
 *
 * @param seenFrom - Whether it is read from a private place.
 */
export async function readPlace(
  store: Pick<Store, 'turns' | 'messages' | 'memories'>,
  { threadId, reach }: PlaceToRead,
  seenFrom: 'private' | 'public',
  keep: KeepStep,
): Promise<ReadPlace> {
  const own = await readThread(store, threadId, keep);
  if (reach === 'thread') {
    const archive = archiveOf(threadId, [own.thread]);
    return { archive, unfinished: own.unfinished, isPart: false, hidden: 0 };
  }
  const { threadIds, isPart } = await threadsOfChannel(store.memories, threadId);
  const others: ReadThread[] = [];
  for (const id of threadIds) {
    if (id !== threadId) others.push(await readThread(store, id, keep));
  }
  // Where anything is public the channel is: what is private in it is a private thread, and whoever
  // manages the channel need not be in that.
  const isPublic =
    seenFrom === 'public' || [own, ...others].some(({ thread }) => hasPublic(thread));
  const seen = isPublic ? others.filter(({ thread }) => isAllPublic(thread)) : others;
  const read = [own, ...seen];
  return {
    archive: archiveOf(
      channelOf(threadId),
      read.map(({ thread }) => thread),
    ),
    unfinished: read.reduce((sum, one) => sum + one.unfinished, 0),
    isPart,
    hidden: others.length - seen.length,
  };
}

function hasPublic(thread: ArchivedThread): boolean {
  return saidIn(thread).some(({ isPrivate }) => isPrivate === false);
}

function isAllPublic(thread: ArchivedThread): boolean {
  return saidIn(thread).every(({ isPrivate }) => isPrivate === false);
}

function saidIn({ turns, messages }: ArchivedThread): readonly ArchivedMessage[] {
  return [...messages, ...turns.flatMap((turn) => turn.messages)];
}

interface ChannelThreads {
  readonly threadIds: readonly string[];
  /** Older threads may be missing: only those of the newest messages are known. */
  readonly isPart: boolean;
}

/** The threads of a channel in which something was said lately: those of its newest 2,000 messages. */
async function threadsOfChannel(memories: MemoryStore, threadId: string): Promise<ChannelThreads> {
  const scope = { threadId, reach: 'channel' } as const;
  const found = new Set<string>();
  let count = 0;
  for await (const changes of changesOf(memories, scope, pageSize)) {
    if (changes.isAnew) {
      found.clear();
      count = 0;
    }
    for (const { message } of changes.messages) found.add(message.threadId);
    count += changes.messages.length;
  }
  const here = channelOf(threadId);
  return {
    threadIds: [...found].filter((id) => channelOf(id) === here),
    isPart: count >= mostRemembered,
  };
}

function archivedTurn(record: TurnRecord, keep: KeepStep): readonly ArchivedTurn[] {
  const { turnId, createdAt, endedAt, outcome, request, messages, steps } = record;
  if (endedAt === undefined || outcome === undefined) return [];
  const said = messages.filter(({ status }) => status === 'complete').map(archivedMessage);
  const question = said.find(({ role }) => role === 'human');
  if (!question) return [];
  return [
    {
      ...{ turnId, createdAt, endedAt, outcome, request },
      messages: [question, ...said.filter((message) => message !== question)],
      steps: steps.flatMap(keep),
    },
  ];
}
