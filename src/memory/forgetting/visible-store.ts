/**
 * A store without what is being forgotten, as all readers see it except the code that forgets: something is
 * hidden as soon as it is noted, because a crash may leave some of it behind.
 */

import type { HeardMessage } from '../../domain/heard.ts';
import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import type { Interaction, Message, Store, TurnHeader, TurnRecord } from '../../store/store.ts';
import { pagesOf } from '../pages.ts';
import { heardGone, recordWithout } from './heard.ts';
import { dueScope, type ForgetNote, ForgetNotes, type ForgetSubject } from './notes.ts';
import { portionsOf } from './portions.ts';

/**
 * Wraps a store of any backend. Nothing is asked for besides most of the time, and as long as nothing is
 * being forgotten all is given as it is. `memories` are as they are: they are held in process, and what
 * is hidden of them is left out where they are looked into, see `Recollection`.
 */
export function visibleStore(store: Store, pending: PendingForgetting): Store {
  const { turns, messages, settings } = store;

  /** Asks for both at the same time. */
  async function visible<Result>(
    read: Promise<Result>,
    without: (result: Result, hidden: Hidden) => Result | Promise<Result>,
  ): Promise<Result> {
    const [result, hidden] = await Promise.all([read, pending.read()]);
    return hidden ? without(result, hidden) : result;
  }

  const turnUnless = (turn: TurnRecord | undefined, hidden: Hidden) =>
    turn && !hidden.isTurn(turn)
      ? recordWithout(turn, (message, place) => hidden.isHeardGone(message, place))
      : undefined;

  return {
    ...store,
    turns: {
      ...turns,
      take: (key) => visible(turns.take(key), turnUnless),
      read: (key) => visible(turns.read(key), turnUnless),
      list: (threadId, options) =>
        visible(turns.list(threadId, options), (_, hidden) =>
          page(
            options,
            (one) => turns.list(threadId, one),
            ({ turnId }) => turnId,
            (turn) => !hidden.isTurn(turn),
          ),
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
          found.flatMap((one) => interactionUnless(one, hidden)),
        ),
      page: (threadId, options) =>
        visible(messages.page(threadId, options), (_, hidden) =>
          page(
            options,
            (one) => messages.page(threadId, one),
            ({ id }) => id,
            (message) => !hidden.isMessage(message),
          ),
        ),
    },
    settings: {
      ...settings,
      async write(scope, changes, by) {
        pending.changed(scope);
        try {
          await settings.write(scope, changes, by);
        } finally {
          pending.changed(scope);
        }
      },
    },
  };
}

interface PageOptions {
  readonly limit: number;
  readonly before?: number;
}

/** As many as were asked for, even if some between them are hidden: readers take a short page for the last. */
async function page<Item extends { readonly createdAt: number }>(
  { limit, ...options }: PageOptions,
  read: (options: PageOptions) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
  isVisible: (item: Item) => boolean,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const fresh of pagesOf(limit, (next) => read({ ...options, ...next }), keyOf)) {
    found.push(...fresh.filter(isVisible));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

function interactionUnless(one: Interaction, hidden: Hidden): readonly Interaction[] {
  if (hidden.isMessage(one.question)) return [];
  return [{ ...one, answers: one.answers.filter((answer) => !hidden.isMessage(answer)) }];
}

/** What must no longer be shown. */
interface Hidden {
  isTurn(turn: Pick<TurnHeader, 'turnId' | 'threadId' | 'createdAt'>): boolean;
  isMessage(message: Pick<Message, 'id' | 'threadId' | 'turnId' | 'createdAt'>): boolean;
  /** Whether anything of a thread is: then a shard may be made of it. */
  isTouched(threadId: string): boolean;
  /** Whether a turn must no longer show that it has heard this; `place` is the `platform:workspace:channel` of it. */
  isHeardGone(message: Pick<HeardMessage, 'id' | 'author'>, place: string): boolean;
}

/** How long a note of another process may go unnoticed, in milliseconds; one of this process never does. */
const knownForMs = 1000;

/** What one subject is made of, as far as it is not whole threads. */
interface Parts {
  readonly threads: ReadonlySet<string>;
  readonly turns: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
}

export class PendingForgetting {
  readonly #store: Pick<Store, 'turns' | 'messages' | 'memories' | 'settings'>;
  readonly #notes: ForgetNotes;
  readonly #now: () => number;
  /** By the ids of their notes. */
  readonly #parts = new Map<string, Promise<Parts>>();
  #known: { readonly hidden: Promise<Hidden | undefined>; readonly readAt: number } | undefined;

  /**
   * @param store - That hides nothing.
   * @param now - Milliseconds that never go back.
   */
  constructor(
    store: Pick<Store, 'turns' | 'messages' | 'memories' | 'settings'>,
    now: () => number = () => performance.now(),
  ) {
    this.#store = store;
    this.#notes = new ForgetNotes(store.settings, Date.now);
    this.#now = now;
  }

  /** @returns Nothing when nothing is hidden, as nearly always. Throws what the store throws. */
  read(): Promise<Hidden | undefined> {
    const known = this.#known;
    if (known && this.#now() - known.readAt < knownForMs) return known.hidden;
    const hidden = this.#read();
    this.#known = { hidden, readAt: this.#now() };
    hidden.catch(() => this.changed());
    return hidden;
  }

  /** Told of what was written to a scope of settings, before and after it is. */
  changed(scope = dueScope): void {
    if (scope === dueScope) this.#known = undefined;
  }

  async #read(): Promise<Hidden | undefined> {
    // A workspace that the bot was taken out of is not hidden while it may be put back in.
    const notes = (await this.#notes.read()).filter(({ dueAt }) => dueAt === undefined);
    for (const id of this.#parts.keys()) {
      if (!notes.some((note) => note.id === id)) this.#parts.delete(id);
    }
    if (notes.length === 0) return undefined;
    const parts = await Promise.all(notes.map((note) => this.#partsOf(note)));
    // What is said in a place since then is none of it.
    const isWithin = (threadId: string, createdAt: number) =>
      notes.some((note) => createdAt <= note.notedAt && isWhole(note.subject, threadId));
    return {
      isTurn: ({ turnId, threadId, createdAt }) =>
        isWithin(threadId, createdAt) || parts.some(({ turns }) => turns.has(turnId)),
      isMessage: ({ id, threadId, turnId, createdAt }) =>
        isWithin(threadId, createdAt) ||
        parts.some(
          ({ messages, turns }) =>
            messages.has(`${threadId} ${id}`) || (turnId !== undefined && turns.has(turnId)),
        ),
      isTouched: (threadId) =>
        notes.some(({ subject }) => isWhole(subject, threadId)) ||
        parts.some(({ threads }) => threads.has(threadId)),
      isHeardGone: (message, place) =>
        notes.some(({ subject }) => heardGone(subject)?.(message, place) === true),
    };
  }

  #partsOf({ id, subject }: ForgetNote): Promise<Parts> {
    const known = this.#parts.get(id);
    if (known) return known;
    const parts = collect(this.#store, subject);
    this.#parts.set(id, parts);
    parts.catch(() => this.#parts.delete(id));
    return parts;
  }
}

function isWhole(subject: ForgetSubject, threadId: string): boolean {
  switch (subject.kind) {
    case 'thread':
      return subject.threadId === threadId;
    case 'channel':
      return subject.channel === channelOf(threadId);
    case 'workspace':
      return subject.workspace === workspaceOf(threadId);
    default:
      return false;
  }
}

async function collect(
  store: Pick<Store, 'turns' | 'messages' | 'memories'>,
  subject: ForgetSubject,
): Promise<Parts> {
  const threads = new Set<string>();
  const turns = new Set<string>();
  const messages = new Set<string>();
  const isInParts = !['thread', 'channel', 'workspace'].includes(subject.kind);
  if (isInParts) {
    for await (const portion of portionsOf(store, subject)) {
      threads.add(portion.threadId);
      for (const { turnId } of portion.turns) turns.add(turnId);
      for (const id of portion.messageIds) messages.add(`${portion.threadId} ${id}`);
    }
  }
  return { threads, turns, messages };
}
