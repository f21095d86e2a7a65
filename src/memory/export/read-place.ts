/** Reads a thread, all threads of a channel, or what one person asked, for an export. */

import { setImmediate as breathe } from 'node:timers/promises';
import { channelOf } from '../../domain/thread-id.ts';
import { compareTexts } from '../../domain/words.ts';
import type { Step, Store, TurnRecord } from '../../store/store.ts';
import { batchesOf, threadsOf } from '../forgetting/batches.ts';
import { turnsThatHeardSubject } from '../forgetting/heard.ts';
import { inBatches, messagePages, messagesOldestFirst, turnPages } from '../pages.ts';
import { type ExportedTurn, exportedMessage, hasContent, type ReadableThread } from './export.ts';

/** Turns that are read at once. */
const batchSize = 10;

/** A thread in a store: its ended turns, and its complete messages without a turn. */
export interface OpenedThread {
  readonly thread: ReadableThread;
  /** The number of unfinished turns, which are left out. */
  readonly unfinished: number;
}

/**
 * Opens a thread. Memory holds its turn headers and a few turns at a time.
 *
 * @param isWanted - Whether a turn, or a message without one, is read. Default: all are.
 */
export async function openThread(
  { turns, messages }: Pick<Store, 'turns' | 'messages'>,
  threadId: string,
  keep: KeepStep,
  isWanted: IsWanted = () => true,
): Promise<OpenedThread> {
  const all = (await Array.fromAsync(turnPages(turns, threadId))).flat().reverse();
  const ofTurns = new Set(all.map(({ turnId }) => turnId));
  const headers = all.filter(({ turnId }) => isWanted(threadId, turnId));
  return {
    thread: {
      threadId,
      turns: rereadable(async function* () {
        for (const some of inBatches(headers, batchSize)) {
          const records = await Promise.all(some.map((header) => turns.read(header)));
          yield* records.flatMap((record) => (record ? exportedTurn(record, keep) : []));
          await breathe();
        }
      }),
      messages: rereadable(async function* () {
        for await (const message of messagesOldestFirst(messages, threadId)) {
          const { id, turnId = '', status } = message;
          const isMeant = !ofTurns.has(turnId) && isWanted(threadId, id);
          if (status === 'complete' && isMeant) yield exportedMessage(message);
        }
      }),
    },
    unfinished: headers.filter(({ status }) => status !== 'ended').length,
  };
}

function rereadable<Item>(read: () => AsyncGenerator<Item>): AsyncIterable<Item> {
  return { [Symbol.asyncIterator]: read };
}

/** Maps a step of a turn to the steps that its export contains; an empty list leaves the step out. */
export type KeepStep = (step: Step) => readonly Step[];

type IsWanted = (threadId: string, id: string) => boolean;

/** What an export of a place contains and lacks. */
export interface ReadPlace {
  /** `platform:workspace:channel:thread` for a thread, `platform:workspace:` and a channel, or a person. */
  readonly place: string;
  /** The threads with content, in export order; each is opened when it is read. */
  readonly threads: AsyncIterable<ReadableThread>;
  readonly isEmpty: boolean;
  /** The number of turns left out because they have not ended. */
  readonly unfinished: number;
  /** The number of private threads left out of a public channel's export. */
  readonly hidden: number;
  /** The number of turns that overheard the person, whose words in them are left out. */
  readonly heardIn?: number;
}

/** A thread, or the channel that it is in. */
export interface PlaceToRead {
  readonly threadId: string;
  readonly reach: 'thread' | 'channel';
}

/** Reads a thread, or every thread of its channel. For the operator: private threads included. */
export async function readWholePlace(
  store: Pick<Store, 'turns' | 'messages'>,
  place: PlaceToRead,
  keep: KeepStep,
): Promise<ReadPlace> {
  const ids = await threadIdsIn(store, place);
  return { ...(await readThreads(store, placeOf(place), ids, keep)), hidden: 0 };
}

async function threadIdsIn(store: Pick<Store, 'messages'>, { threadId, reach }: PlaceToRead) {
  const ids = new Set([threadId]);
  if (reach === 'channel') {
    for await (const id of threadsOf(store, channelOf(threadId))) ids.add(id);
  }
  return ids;
}

/**
 * Reads what a person asked in a workspace (`platform:workspace`), wherever in it, with what came of it; without
 * what others asked about it later, perhaps where the person can't read any more.
 */
export async function readPerson(
  store: Pick<Store, 'turns' | 'messages' | 'memories' | 'settings'>,
  { workspace, personId }: { readonly workspace: string; readonly personId: string },
  keep: KeepStep,
): Promise<ReadPlace> {
  const subject = { kind: 'person', workspace, personId } as const;
  const threads = new Map<string, Set<string>>();
  for await (const { threadId, turns, messageIds } of batchesOf(store, subject)) {
    const own = turns.filter(({ askedBy }) => askedBy === personId).map(({ turnId }) => turnId);
    threads.set(threadId, new Set([...(threads.get(threadId) ?? []), ...own, ...messageIds]));
  }
  const isWanted: IsWanted = (threadId, id) => threads.get(threadId)?.has(id) === true;
  const place = `${workspace}:${personId}`;
  const read = await readThreads(store, place, threads.keys(), keep, isWanted);
  const heardIn = (await turnsThatHeardSubject(store, subject)).length;
  return { ...read, hidden: 0, heardIn };
}

/**
 * Reads a thread, or the threads of its channel, for people in chat.
 *
 * @param seenFrom - Whether the export is requested from a private place.
 */
export async function readPlace(
  store: Pick<Store, 'turns' | 'messages'>,
  place: PlaceToRead,
  seenFrom: 'private' | 'public',
  keep: KeepStep,
): Promise<ReadPlace> {
  const own = place.threadId;
  const found: Privacy[] = [];
  for (const id of await threadIdsIn(store, place)) found.push(await privacyOf(store, id));
  // A channel with anything public is public, so private messages in it come from private threads,
  // which the channel's managers may not be allowed to read.
  const isPublic = seenFrom === 'public' || found.some(({ hasPublic }) => hasPublic);
  const ids = found
    .filter(({ threadId, hasPrivate }) => threadId === own || !(isPublic && hasPrivate))
    .map(({ threadId }) => threadId);
  const hidden = found.length - ids.length;
  return { ...(await readThreads(store, placeOf(place), ids, keep)), hidden };
}

function placeOf({ threadId, reach }: PlaceToRead): string {
  return reach === 'channel' ? channelOf(threadId) : threadId;
}

async function readThreads(
  store: Pick<Store, 'turns' | 'messages'>,
  place: string,
  threadIds: Iterable<string>,
  keep: KeepStep,
  isWanted?: IsWanted,
) {
  const filled: string[] = [];
  let unfinished = 0;
  for (const id of [...threadIds].sort(compareTexts)) {
    const opened = await openThread(store, id, keep, isWanted);
    unfinished += opened.unfinished;
    if (await hasContent(opened.thread)) filled.push(id);
  }
  return {
    place,
    threads: rereadable(async function* () {
      for (const id of filled) yield (await openThread(store, id, keep, isWanted)).thread;
    }),
    isEmpty: filled.length === 0,
    unfinished,
  };
}

/** Whether a thread has messages for everyone in its channel, and whether it has private ones. */
type Privacy = Awaited<ReturnType<typeof privacyOf>>;

async function privacyOf({ messages }: Pick<Store, 'messages'>, threadId: string) {
  let [hasPublic, hasPrivate] = [false, false];
  for await (const page of messagePages(messages, threadId)) {
    const complete = page.filter(({ status }) => status === 'complete');
    hasPublic ||= complete.some(({ isPrivate }) => isPrivate === false);
    hasPrivate ||= complete.some(({ isPrivate }) => isPrivate !== false);
  }
  return { threadId, hasPublic, hasPrivate };
}

function exportedTurn(record: TurnRecord, keep: KeepStep): readonly ExportedTurn[] {
  const { turnId, createdAt, endedAt, outcome, messages, steps } = record;
  // How a remark was judged: seats with their prompts, and what the calls cost.
  const { convened: _, ...request } = record.request;
  if (endedAt === undefined || outcome === undefined) return [];
  const said = messages.filter(({ status }) => status === 'complete').map(exportedMessage);
  const question = said.find(({ role }) => role === 'human');
  if (!question) return [];
  return [
    {
      turnId,
      createdAt,
      endedAt,
      outcome,
      request,
      messages: [question, ...said.filter((message) => message !== question)],
      steps: steps.flatMap(keep),
    },
  ];
}
