/**
 * Hides records that are being forgotten from all readers except the forgetting itself. They disappear as
 * soon as the subject is noted, because a crash may delay their deletion.
 */

import type { HeardMessage } from '../../domain/heard.ts';
import {
  type Interaction,
  type Message,
  type Store,
  StoreError,
  type TurnHeader,
  type TurnRecord,
} from '../../store/store.ts';
import { pagesOf } from '../pages.ts';
import { batchesOf, type ReadStore } from './batches.ts';
import { heardMatcher, recordWithout } from './heard.ts';
import {
  coversThread,
  dueScope,
  type ForgetNote,
  ForgetNotes,
  type ForgetSubject,
  isPartial,
  workspaceOfSubject,
} from './notes.ts';

/**
 * Wraps a store. While nothing is being forgotten, reads pass through unchanged and mostly cost nothing
 * extra. `memories` are not filtered here: `Recollection`, which keeps them in process, filters on each use.
 */
export function visibleStore(store: Store, pending: PendingForgetting): Store {
  const { turns, messages, settings } = store;

  /** Filters the result of a read that runs concurrently with the read of pending notes. */
  async function visible<Result>(
    read: Promise<Result>,
    without: (result: Result, hidden: Hidden) => Result | Promise<Result>,
  ): Promise<Result> {
    const [result, hidden] = await Promise.all([read, pending.read()]);
    return hidden ? without(result, hidden) : result;
  }

  /** A full page of visible items if there are enough: readers take a short page for the last one. */
  const visiblePage = <Item extends { readonly createdAt: number }>(
    read: (options: PageOptions) => Promise<readonly Item[]>,
    options: PageOptions,
    keyOf: (item: Item) => string,
    isVisible: (item: Item, hidden: Hidden) => boolean,
  ): Promise<readonly Item[]> =>
    visible(read(options), async (_, hidden) => {
      const { limit } = options;
      const found: Item[] = [];
      for await (const fresh of pagesOf(limit, (next) => read({ ...options, ...next }), keyOf)) {
        found.push(...fresh.filter((item) => isVisible(item, hidden)));
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    });

  const visibleTurn = (turn: TurnRecord | undefined, hidden: Hidden) =>
    turn && !hidden.isTurn(turn)
      ? recordWithout(turn, (message, place) => hidden.isHeardHidden(message, place))
      : undefined;

  return {
    ...store,
    turns: {
      ...turns,
      take: (key) => visible(turns.take(key), visibleTurn),
      read: (key) => visible(turns.read(key), visibleTurn),
      list: (threadId, options) =>
        visiblePage(
          (one) => turns.list(threadId, one),
          options,
          ({ turnId }) => turnId,
          (turn, hidden) => !hidden.isTurn(turn),
        ),
      steps: (place, options) =>
        visible(turns.steps(place, options), (page, hidden) => ({
          ...page,
          turns: page.turns.filter((turn) => !hidden.isTurn(turn)),
        })),
    },
    messages: {
      ...messages,
      recent: (threadId, options) =>
        visible(messages.recent(threadId, options), (found, hidden) =>
          found.flatMap((one) => visibleInteraction(one, hidden)),
        ),
      page: (threadId, options) =>
        visiblePage(
          (one) => messages.page(threadId, one),
          options,
          ({ id }) => id,
          (message, hidden) => !hidden.isMessage(message),
        ),
    },
    settings: {
      ...settings,
      async write(...change) {
        const [scope] = change;
        try {
          return await settings.write(...change);
        } finally {
          pending.invalidate(scope);
        }
      },
    },
  };
}

interface PageOptions {
  readonly limit: number;
  readonly before?: number;
}

function visibleInteraction(one: Interaction, hidden: Hidden): readonly Interaction[] {
  if (hidden.isMessage(one.question)) return [];
  return [{ ...one, answers: one.answers.filter((answer) => !hidden.isMessage(answer)) }];
}

/** Predicates for what must no longer be shown. */
interface Hidden {
  isTurn(turn: Pick<TurnHeader, 'turnId' | 'threadId' | 'createdAt'>): boolean;
  isMessage(message: Pick<Message, 'id' | 'threadId' | 'turnId' | 'createdAt'>): boolean;
  /** Whether any part of a thread is hidden: then its shards may contain that part. */
  isTouched(threadId: string): boolean;
  /** Whether turns must no longer show this overheard message; `place` is its `platform:workspace:channel`. */
  isHeardHidden(message: Pick<HeardMessage, 'id' | 'author'>, place: string): boolean;
}

/** How long another process's note may go unnoticed; this process's own take effect at once. */
const cacheMs = 1000;

export class PendingForgetting {
  readonly #store: ReadStore;
  readonly #notes: ForgetNotes;
  /** By note id. */
  readonly #parts = new Map<string, Promise<Parts>>();
  #cached: { readonly hidden: Promise<Hidden | undefined>; readonly readAt: number } | undefined;

  /** @param store - The unfiltered store. */
  constructor(store: ReadStore & Pick<Store, 'settings'>) {
    this.#store = store;
    this.#notes = new ForgetNotes(store.settings, Date.now);
  }

  /** @returns `undefined` if nothing is hidden, which is nearly always. Throws what the store throws. */
  read(): Promise<Hidden | undefined> {
    const cached = this.#cached;
    if (cached && performance.now() - cached.readAt < cacheMs) return cached.hidden;
    const hidden = this.#read();
    this.#cached = { hidden, readAt: performance.now() };
    hidden.catch(() => this.invalidate());
    return hidden;
  }

  /** Call after each write to a scope of settings. */
  invalidate(scope = dueScope): void {
    if (scope === dueScope) this.#cached = undefined;
  }

  async #read(): Promise<Hidden | undefined> {
    // A workspace that removed the bot stays visible while the bot may still be added back.
    const notes = (await this.#notes.read()).filter(({ dueAt }) => dueAt === undefined);
    for (const id of this.#parts.keys()) {
      if (!notes.some((note) => note.id === id)) this.#parts.delete(id);
    }
    if (notes.length === 0) return undefined;
    const hidden = await Promise.all(
      notes.map(async (note) => ({ ...note, ...(await this.#partsOf(note)) })),
    );
    const isPart = (key: string) => hidden.some(({ keys }) => keys.has(key));
    // Messages written after the note stay.
    const isWithin = (threadId: string, createdAt: number) =>
      hidden.some((note) => createdAt <= note.notedAt && coversThread(note.within, threadId));
    return {
      isTurn: ({ turnId, threadId, createdAt }) =>
        isWithin(threadId, createdAt) || isPart(`turn ${turnId}`),
      isMessage: ({ id, threadId, turnId, createdAt }) =>
        isWithin(threadId, createdAt) ||
        isPart(`message ${threadId} ${id}`) ||
        isPart(`turn ${turnId}`),
      isTouched: (threadId) =>
        hidden.some(({ within }) => coversThread(within, threadId)) || isPart(`thread ${threadId}`),
      isHeardHidden: (message, place) =>
        notes.some(({ subject }) => heardMatcher(subject)?.(message, place) === true),
    };
  }

  #partsOf({ id, subject }: ForgetNote): Promise<Parts> {
    const known = this.#parts.get(id);
    if (known) return known;
    const parts = partsOf(this.#store, subject);
    this.#parts.set(id, parts);
    parts.catch(() => this.#parts.delete(id));
    return parts;
  }
}

/** What a subject hides. */
interface Parts {
  /** All threads that this covers. */
  readonly within: ForgetSubject;
  /** The keys of its threads, turns and messages, if it is smaller than a thread. */
  readonly keys: ReadonlySet<string>;
}

async function partsOf(store: ReadStore, subject: ForgetSubject): Promise<Parts> {
  const keys = new Set<string>();
  if (!isPartial(subject)) return { within: subject, keys };
  try {
    for await (const { threadId, turns, messageIds } of batchesOf(store, subject)) {
      keys.add(`thread ${threadId}`);
      for (const { turnId } of turns) keys.add(`turn ${turnId}`);
      for (const id of messageIds) keys.add(`message ${threadId} ${id}`);
    }
    return { within: subject, keys };
  } catch (error) {
    if (!(error instanceof StoreError && error.reason === 'corrupt')) throw error;
    // Hide too much there rather than have all reads fail everywhere.
    return { within: around(subject), keys };
  }
}

/** The thread or workspace of a subject. */
function around(subject: ForgetSubject): ForgetSubject {
  return 'threadId' in subject
    ? { kind: 'thread', threadId: subject.threadId }
    : { kind: 'workspace', workspace: workspaceOfSubject(subject) };
}
