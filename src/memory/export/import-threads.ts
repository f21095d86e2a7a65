/** Imports an export into a store, leaving existing records as they are. */

import { workspaceOf } from '../../domain/thread-id.ts';
import { turnRequestSchema } from '../../domain/turn.ts';
import type { Store } from '../../store/store.ts';
import { inBatches, messagePages } from '../pages.ts';
import {
  type ExportedMessage,
  type ExportedThread,
  type ExportedTurn,
  storedMessage,
} from './export.ts';

/** Messages stored at once. */
const batchSize = 200;
const askedSchema = turnRequestSchema.pick({ eventId: true });

/** The result, in turns and in messages that belong to no turn. */
export interface ImportCounts {
  readonly added: number;
  /** In the store already. */
  readonly known: number;
  /** Older than the retention: not stored, since they could never be read. */
  readonly expired: number;
}

export interface ImportOptions {
  /** Called with the number of turns and messages processed since the last call. */
  readonly onProgress: (count: number) => void;
  /** Awaited once for each thread with new records, before the first of them is stored. */
  readonly onNew: (threadId: string) => Promise<void>;
}

const nothing: ImportCounts = { added: 0, known: 0, expired: 0 };

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
  let sum = nothing;
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
      sum = plus(sum, await importMessages(store, batch, current));
      onProgress(batch.length);
    }
    for (const turn of turns) {
      sum = plus(sum, await importTurn(store, turn, current));
      onProgress(1);
    }
  }
  return sum;
}

async function idsIn(
  store: Pick<Store, 'messages'>,
  threadId: string,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const page of messagePages(store.messages, threadId)) {
    for (const { id } of page) ids.add(id);
  }
  return ids;
}

async function importMessages(
  store: Pick<Store, 'messages'>,
  messages: readonly ExportedMessage[],
  current: ThreadImport,
): Promise<ImportCounts> {
  const { threadId, keptSince, announce } = current;
  current.existingIds ??= await idsIn(store, threadId);
  const { existingIds } = current;
  const kept = messages.filter(({ createdAt }) => createdAt >= keptSince);
  const missing = kept.filter(({ id }) => !existingIds.has(id));
  if (missing.length > 0) {
    await announce();
    await store.messages.append(missing.map((message) => storedMessage(threadId, message)));
  }
  return {
    added: missing.length,
    known: kept.length - missing.length,
    expired: messages.length - kept.length,
  };
}

async function importTurn(
  { turns }: Pick<Store, 'turns'>,
  turn: ExportedTurn,
  { threadId, keptSince, announce }: ThreadImport,
): Promise<ImportCounts> {
  if (turn.createdAt < keptSince) return { ...nothing, expired: 1 };
  const { turnId, createdAt, request, outcome, endedAt, steps } = turn;
  const [question, ...answers] = turn.messages.map((one) => storedMessage(threadId, one));
  const existing = await turns.read({ turnId, threadId });
  if (existing?.status === 'ended' || question === undefined) return { ...nothing, known: 1 };
  await announce();
  if (!existing) {
    const eventId = eventOf(threadId, turn);
    const begun = await turns.begin({ turnId, threadId, eventId, request, question, createdAt });
    if (!begun.isNew) return { ...nothing, known: 1 };
  }
  // An existing turn without an end was left by an interrupted import.
  const taken = await turns.take({ turnId, threadId });
  if (!taken) return { ...nothing, known: 1 };
  const { attempt } = taken;
  const end = { outcome, endedAt };
  await turns.checkpoint({ turnId, threadId, attempt, messages: answers, steps, end });
  return { ...nothing, added: 1 };
}

/** The store's key for the event that asked, by which the platform finds the turn. */
function eventOf(threadId: string, { turnId, request }: ExportedTurn): string {
  const event = askedSchema.safeParse(request);
  return `${workspaceOf(threadId)}:${event.success ? event.data.eventId : `archived:${turnId}`}`;
}

function plus(one: ImportCounts, other: ImportCounts): ImportCounts {
  return {
    added: one.added + other.added,
    known: one.known + other.known,
    expired: one.expired + other.expired,
  };
}
