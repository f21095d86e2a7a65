/** Imports an export into a store, leaving existing records as they are. */

import { z } from 'zod';
import { workspaceOf } from '../../domain/thread-id.ts';
import { turnRequestSchema } from '../../domain/turn.ts';
import type { Message, Store } from '../../store/store.ts';
import { inBatches, messagePages } from '../pages.ts';
import {
  type ExportedMessage,
  type ExportedThread,
  type ExportedTurn,
  storedMessage,
} from './export.ts';

/** Messages stored at once. */
const batchSize = 200;
const eventSchema = turnRequestSchema.pick({ eventId: true });
const askerSchema = z.object({ author: turnRequestSchema.shape.author.pick({ id: true }) });

/** The result, in turns and in messages that belong to no turn. */
export interface ImportCounts {
  readonly added: number;
  /** In the store already. */
  readonly known: number;
  /** Older than the retention: not stored, since they could never be read. */
  readonly expired: number;
  /** Forgotten less than a day ago: their events can't start a turn yet. Absent: none. */
  readonly forgotten?: number;
}

export interface ImportOptions {
  /** Called with the number of turns and messages processed since the last call. */
  readonly onProgress: (count: number) => void;
  /** Awaited once for each thread with new records, before the first of them is stored. */
  readonly onNew: (threadId: string) => Promise<void>;
}

/** The progress steps of an import: its turns and messages. */
export function sizeOf({ threads }: { readonly threads: readonly ExportedThread[] }): number {
  return threads.reduce((sum, { turns, messages }) => sum + turns.length + messages.length, 0);
}

/** The thread being imported. */
interface ThreadImport {
  readonly threadId: string;
  /** Milliseconds since 1970; older records are not stored. */
  readonly keptSince: number;
  /** Ids alone, because the messages of a long thread would not fit into memory. */
  existingIds?: ReadonlySet<string>;
  /** @see ImportOptions.onNew */
  readonly announce: () => Promise<void>;
}

/**
 * Imports threads under their original ids. Importing twice changes nothing; an interrupted import
 * continues when it is repeated.
 *
 * @param exported.threads - A long thread may come in several consecutive parts.
 */
export async function importThreads(
  store: Pick<Store, 'turns' | 'messages' | 'memories'>,
  { threads }: { readonly threads: Iterable<ExportedThread> | AsyncIterable<ExportedThread> },
  { onNew, onProgress }: ImportOptions,
): Promise<ImportCounts> {
  const counts = { added: 0, known: 0, expired: 0, forgotten: 0 };
  const announced = new Set<string>();
  let current: ThreadImport | undefined;
  for await (const { threadId, turns, messages } of threads) {
    if (current?.threadId !== threadId) {
      const { keptSince } = await store.memories.read({ threadId, reach: 'thread' }, { limit: 1 });
      const announce = async () => {
        if (announced.has(threadId)) return;
        announced.add(threadId);
        await onNew(threadId);
      };
      current = { threadId, keptSince, announce };
    }
    for (const batch of inBatches(messages, batchSize)) {
      const { kept, added } = await importMessages(store, batch, current);
      counts.added += added;
      counts.known += kept - added;
      counts.expired += batch.length - kept;
      onProgress(batch.length);
    }
    for (const turn of turns) {
      counts[await importTurn(store, turn, current)] += 1;
      onProgress(1);
    }
  }
  const { forgotten, ...others } = counts;
  return { ...others, ...(forgotten > 0 && { forgotten }) };
}

/** @returns How many messages have not expired, and how many of these were not in the store yet. */
async function importMessages(
  store: Pick<Store, 'messages'>,
  messages: readonly ExportedMessage[],
  current: ThreadImport,
) {
  const { threadId, keptSince, announce } = current;
  const pages = messagePages(store.messages, threadId);
  const idsOf = (page: readonly Message[]) => page.map(({ id }) => id);
  current.existingIds ??= new Set((await Array.fromAsync(pages, idsOf)).flat());
  const { existingIds } = current;
  const kept = messages.filter(({ createdAt }) => createdAt >= keptSince);
  const missing = kept.filter(({ id }) => !existingIds.has(id));
  if (missing.length > 0) {
    await announce();
    await store.messages.append(missing.map((message) => storedMessage(threadId, message)));
  }
  return { kept: kept.length, added: missing.length };
}

async function importTurn(
  { turns }: Pick<Store, 'turns'>,
  turn: ExportedTurn,
  { threadId, keptSince, announce }: ThreadImport,
): Promise<keyof ImportCounts> {
  if (turn.createdAt < keptSince) return 'expired';
  const { turnId, createdAt, request, outcome, endedAt, steps } = turn;
  const [question, ...answers] = turn.messages.map((one) => storedMessage(threadId, one));
  const existing = await turns.read({ turnId, threadId });
  if (existing?.status === 'ended' || question === undefined) return 'known';
  await announce();
  if (!existing) {
    const eventId = eventOf(threadId, turn);
    const askedBy = askerSchema.safeParse(request).data?.author.id;
    const asker = askedBy !== undefined && { askedBy };
    const asked = { turnId, threadId, eventId, ...asker, request, question, createdAt };
    const begun = await turns.begin(asked);
    if (!begun.isNew) return begun.turnId === turnId ? 'forgotten' : 'known';
  }
  // An existing turn without an end was left by an interrupted import.
  const taken = await turns.take({ turnId, threadId });
  if (!taken) return 'known';
  const { attempt } = taken;
  const end = { outcome, endedAt };
  await turns.checkpoint({ turnId, threadId, attempt, messages: answers, steps, end });
  return 'added';
}

/** The store's key for the event that asked, by which the platform finds the turn. */
function eventOf(threadId: string, { turnId, request }: ExportedTurn): string {
  const event = eventSchema.safeParse(request);
  return `${workspaceOf(threadId)}:${event.success ? event.data.eventId : `archived:${turnId}`}`;
}
