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

/**
 * Opens a thread: its ended turns, and its complete messages without a turn. Memory holds its turn headers and a
 * few turns at a time. `unfinished` turns are left out.
 *
 * @param isWanted - Whether a turn, or a message without one, is read. Default: all are.
 */
export async function openThread(
  { turns, messages }: Pick<Store, 'turns' | 'messages'>,
  threadId: string,
  keep: KeepStep,
  isWanted: (threadId: string, id: string) => boolean = () => true,
): Promise<{ readonly thread: ReadableThread; readonly unfinished: number }> {
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

/**
 * Reads a thread, or the threads of its channel.
 *
 * @param seenFrom - A private or public place in a chat; or the shell, where the operator gets private threads, too.
 */
export async function readPlace(
  store: Pick<Store, 'turns' | 'messages'>,
  { threadId: own, reach }: { readonly threadId: string; readonly reach: 'thread' | 'channel' },
  seenFrom: 'private' | 'public' | 'shell',
  keep: KeepStep,
): Promise<ReadPlace> {
  const all = new Set([own]);
  if (reach === 'channel') {
    for await (const id of threadsOf(store, channelOf(own))) all.add(id);
  }
  const isHidden = seenFrom === 'shell' ? () => false : await hiddenAmong(store, all, seenFrom);
  const ids = [...all].filter((id) => id === own || !isHidden(id));
  const place = reach === 'channel' ? channelOf(own) : own;
  return { ...(await readThreads(store, place, ids, keep)), hidden: all.size - ids.length };
}

/** Tells which of these threads people in chat don't get. */
async function hiddenAmong(
  store: Pick<Store, 'messages'>,
  threadIds: Iterable<string>,
  seenFrom: 'private' | 'public',
): Promise<(threadId: string) => boolean> {
  let isPublic = seenFrom === 'public';
  const hidden = new Set<string>();
  for (const id of threadIds) {
    for await (const page of messagePages(store.messages, id)) {
      const complete = page.filter(({ status }) => status === 'complete');
      isPublic ||= complete.some(({ isPrivate }) => isPrivate === false);
      if (complete.some(({ isPrivate }) => isPrivate !== false)) hidden.add(id);
    }
  }
  // A channel with anything public is public, so private messages in it come from private threads,
  // which the channel's managers may not be allowed to read.
  return (id) => isPublic && hidden.has(id);
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
  const isWanted = (threadId: string, id: string) => threads.get(threadId)?.has(id) === true;
  const place = `${workspace}:${personId}`;
  const read = await readThreads(store, place, threads.keys(), keep, isWanted);
  const heardIn = (await turnsThatHeardSubject(store, subject)).length;
  return { ...read, hidden: 0, heardIn };
}

async function readThreads(
  store: Pick<Store, 'turns' | 'messages'>,
  place: string,
  threadIds: Iterable<string>,
  keep: KeepStep,
  isWanted?: (threadId: string, id: string) => boolean,
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
