/** Imports an export into a store. What is already there stays as it is. */

import { workspaceOf } from '../../domain/thread-id.ts';
import { turnRequestSchema } from '../../domain/turn.ts';
import type { Store } from '../../store/store.ts';
import { inPortions, messagePages } from '../pages.ts';
import {
  type ExportedMessage,
  type ExportedThread,
  type ExportedTurn,
  storedMessage,
} from './export.ts';

/** How many messages are stored at once. */
const mostAtOnce = 200;
const asked = turnRequestSchema.pick({ eventId: true });

/** The outcome, in numbers of turns and of messages that belong to none. */
export interface BroughtBack {
  readonly added: number;
  /** They were there already. */
  readonly known: number;
  /** Older than what is kept: they are not stored, because they could not be found. */
  readonly expired: number;
}

export interface BringBackOptions {
  /** Told how many turns and messages were looked at since it was last called. */
  readonly onProgress: (count: number) => void;
  /** Waited for before anything of a thread is stored that was not there; once for each such thread. */
  readonly onNew: (threadId: string) => Promise<void>;
}

const nothing: BroughtBack = { added: 0, known: 0, expired: 0 };

/** How many steps of progress an import takes. */
export function sizeOf({ threads }: { readonly threads: readonly ExportedThread[] }): number {
  return threads.reduce((sum, { turns, messages }) => sum + turns.length + messages.length, 0);
}

/** The thread that is being brought back. */
interface Bringing {
  readonly threadId: string;
  /** Milliseconds since 1970; what is older is not stored. */
  readonly keptSince: number;
  /** The ids of what was there before any message came: what was said in a long thread would not fit. */
  there?: ReadonlySet<string>;
  /** @see BringBackOptions.onNew */
  readonly announce: () => Promise<void>;
}

/**
 * Imports threads to where they came from. A second import changes nothing; one that was interrupted
 * continues when it is started again.
 *
 * @param exported.threads - A long one may come in portions, one right after another.
 */
export async function bringBack(
  store: Pick<Store, 'turns' | 'messages' | 'memories'>,
  { threads }: { readonly threads: Iterable<ExportedThread> | AsyncIterable<ExportedThread> },
  { onNew, onProgress }: BringBackOptions,
): Promise<BroughtBack> {
  let sum = nothing;
  const announced = new Set<string>();
  let bringing: Bringing | undefined;
  for await (const { threadId, turns, messages } of threads) {
    if (bringing?.threadId !== threadId) {
      const { keptSince } = await store.memories.read({ threadId, reach: 'thread' }, { limit: 1 });
      const announce = async () => {
        if (announced.has(threadId)) return;
        announced.add(threadId);
        await onNew(threadId);
      };
      bringing = { threadId, keptSince, announce };
    }
    for (const some of inPortions(messages, mostAtOnce)) {
      sum = plus(sum, await bringMessages(store, some, bringing));
      onProgress(some.length);
    }
    for (const turn of turns) {
      sum = plus(sum, await bringTurn(store, turn, bringing));
      onProgress(1);
    }
  }
  return sum;
}

async function idsIn(
  store: Pick<Store, 'messages'>,
  threadId: string,
): Promise<ReadonlySet<string>> {
  const there = new Set<string>();
  for await (const page of messagePages(store.messages, threadId)) {
    for (const { id } of page) there.add(id);
  }
  return there;
}

async function bringMessages(
  store: Pick<Store, 'messages'>,
  messages: readonly ExportedMessage[],
  bringing: Bringing,
): Promise<BroughtBack> {
  const { threadId, keptSince, announce } = bringing;
  bringing.there ??= await idsIn(store, threadId);
  const { there } = bringing;
  const kept = messages.filter(({ createdAt }) => createdAt >= keptSince);
  const missing = kept.filter(({ id }) => !there.has(id));
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

async function bringTurn(
  { turns }: Pick<Store, 'turns'>,
  turn: ExportedTurn,
  { threadId, keptSince, announce }: Bringing,
): Promise<BroughtBack> {
  if (turn.createdAt < keptSince) return { ...nothing, expired: 1 };
  const { turnId, createdAt, request, outcome, endedAt, steps } = turn;
  const [question, ...answers] = turn.messages.map((one) => storedMessage(threadId, one));
  const there = await turns.read({ turnId, threadId });
  if (there?.status === 'ended' || question === undefined) return { ...nothing, known: 1 };
  await announce();
  if (!there) {
    const eventId = eventOf(threadId, turn);
    const begun = await turns.begin({ turnId, threadId, eventId, request, question, createdAt });
    if (!begun.isNew) return { ...nothing, known: 1 };
  }
  // One that is there without an end was left by an import that was broken off.
  const taken = await turns.take({ turnId, threadId });
  if (!taken) return { ...nothing, known: 1 };
  const { attempt } = taken;
  const end = { outcome, endedAt };
  await turns.checkpoint({ turnId, threadId, attempt, messages: answers, steps, end });
  return { ...nothing, added: 1 };
}

/** The event that asked, as the store was given it: so that its platform finds the turn again. */
function eventOf(threadId: string, { turnId, request }: ExportedTurn): string {
  const event = asked.safeParse(request);
  return `${workspaceOf(threadId)}:${event.success ? event.data.eventId : `archived:${turnId}`}`;
}

function plus(one: BroughtBack, other: BroughtBack): BroughtBack {
  return {
    added: one.added + other.added,
    known: one.known + other.known,
    expired: one.expired + other.expired,
  };
}
