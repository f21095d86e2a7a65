/**
 * Recalls memories relevant to a question. Scopes in use are cached in process, so a question costs one
 * round trip and a search; memories get their vectors in the background.
 */

import { getHeapStatistics } from 'node:v8';
import { LRUCache } from 'lru-cache';
import { channelOf, isSameChannel, workspaceOf } from '../../domain/thread-id.ts';
import type { Embedder } from '../../models/embeddings.ts';
import type { MemoryScope, MemoryStore, MessageStore } from '../../store/store.ts';
import { linkSignals, timeoutSignal, within } from '../../waiting.ts';
import type { PendingForgetting } from '../forgetting/visible-store.ts';
import { hiddenFrom, type Memory, type MemoryPlace } from '../memories.ts';
import { type Pin, pinnedAmong, readPinned } from '../pins.ts';
import { embedScope, loadKnownVectors, textToEmbed } from './embed-scope.ts';
import { languageOfSetting, loadLanguage } from './retrieval/language.ts';
import { type Vector, vectorOf } from './retrieval/memory-index.ts';
import { ScopeIndex } from './scope-index.ts';

export interface RecollectionOptions {
  readonly store: MemoryStore;
  /** Hides what is being forgotten; absent: nothing is hidden. */
  readonly pending?: Pick<PendingForgetting, 'read'>;
  /** Returns the embedder that bills a thread's channel and workspace. Absent: search by words alone. */
  readonly embedderOf?: ((threadId: string) => Embedder) | undefined;
  /** Memory for cached scopes; others are read again on demand. Default: an eighth of the heap limit. */
  readonly maxBytes?: number;
  /** Called for failures that don't stop the question. Must not throw. */
  readonly onTrouble: (error: unknown, what: string) => void;
}

export interface RecallQuestion extends MemoryPlace {
  readonly text: string;
  /** The channel's setting, e.g. `German`; for an unknown word, the language is detected. */
  readonly language: string;
  /** Embeds and bills the question. Default: the place's embedder. */
  readonly embedder?: Embedder | undefined;
}

/**
 * Returns the memories nearest to a question, nearest first.
 *
 * @param limit - At least 1.
 * @param isLeftOut - Excludes memories, which then don't count as neighbours of others either.
 */
export type SearchMemories = (
  limit: number,
  isLeftOut: (memory: Memory) => boolean,
) => readonly Memory[];

/** How long a question waits for its vector before it is searched by words alone. */
const vectorWaitMs = 400;
/**
 * The default share of the heap for cached scopes. A channel of 2,000 messages takes about 17 MB at 500
 * characters each, 20 MB with vectors, and up to 350 MB at 2,000 Chinese characters each.
 */
const shareOfHeap = 0.125;

export class Recollection {
  readonly #options: RecollectionOptions;
  /** Wrapped, so that setting an entry again measures its size again. */
  readonly #scopes: LRUCache<string, { readonly index: ScopeIndex }>;
  /** The last background embedding of each workspace. */
  readonly #embedding = new Map<string, Promise<void>>();
  /** Scopes whose embedding has not begun, so it will include what is saved until then. */
  readonly #waiting = new Set<ScopeIndex>();
  readonly #closing = new AbortController();

  constructor(options: RecollectionOptions) {
    this.#options = options;
    const { maxBytes = Math.floor(shareOfHeap * getHeapStatistics().heap_size_limit) } = options;
    this.#scopes = new LRUCache({
      maxSize: maxBytes,
      // A scope that is too large on its own is cached all the same.
      sizeCalculation: ({ index }) => Math.min(Math.max(1, Math.ceil(index.bytes)), maxBytes),
    });
  }

  /** Brings a scope up to date and returns its search for a question. Throws what the store throws. */
  async open({ text, language, embedder, ...place }: RecallQuestion): Promise<SearchMemories> {
    const { store, embedderOf } = this.#options;
    const { signal } = this.#closing;
    const asking = embedder ?? embedderOf?.(place.scope.threadId);
    const asked = this.#vectorOf(text, asking);
    const { index, isVisible } = await this.#read(place);
    // Vectors made by other processes then count for this question, not only for the next one.
    if (asking && !signal.aborted) await loadKnownVectors(index, asking.id, { store, signal });
    this.#embedLater(index, true);
    const vector = index.hasVectors ? await asked : undefined;
    const spoken = await loadLanguage(languageOfSetting(language) ?? index.language);
    return (limit, isNone) => {
      const isLeftOut = (memory: Memory) => !isVisible(memory) || isNone(memory);
      return index.search({ text, language: spoken, vector, limit, isLeftOut });
    };
  }

  /** All memories visible from a place, in no order. Throws what the store throws. */
  async all(place: MemoryPlace): Promise<readonly Memory[]> {
    const { index, isVisible } = await this.#read(place);
    this.#embedLater(index, true);
    return index.all().filter(isVisible);
  }

  /** Brings the scope of a place up to date, and tells which of its memories the place may see. */
  async #read(place: MemoryPlace) {
    const index = this.#scope(place.scope);
    const [pending] = await Promise.all([this.#options.pending?.read(), this.#update(index)]);
    const isHidden = hiddenFrom(place, () => index.all());
    // While any part of a thread is being forgotten, all its shards are hidden: they may contain that part.
    const isForgotten = (memory: Memory) =>
      memory.kind === 'shard' ? pending?.isTouched(memory.threadId) : pending?.isMessage(memory);
    return { index, isVisible: (memory: Memory) => !isHidden(memory) && !isForgotten(memory) };
  }

  /**
   * The memories that pins refer to, in the pins' order; without pins that are out of scope, hidden from the
   * place, or gone.
   */
  async pinned(
    place: MemoryPlace,
    pins: readonly Pin[],
    messages: Pick<MessageStore, 'recent'>,
  ): Promise<ReadonlyMap<Pin, Memory>> {
    const found = new Map<Pin, Memory>();
    if (pins.length === 0) return found;
    const ofScope = await this.all(place);
    const { threadId, reach } = place.scope;
    for (const pin of pins) {
      const isOwn =
        reach === 'thread' ? pin.threadId === threadId : isSameChannel(pin.threadId, threadId);
      const memory =
        pinnedAmong(pin, ofScope) ?? (isOwn ? await this.#older(pin, place, messages) : undefined);
      if (memory) found.set(pin, memory);
    }
    return found;
  }

  /** A memory that is too old for the index of its scope: from that of its thread, or from the store. */
  async #older(
    pin: Pin,
    place: MemoryPlace,
    messages: Pick<MessageStore, 'recent'>,
  ): Promise<Memory | undefined> {
    const ofThread = await this.all({ scope: { threadId: pin.threadId, reach: 'thread' } });
    const ofScope = this.#scope(place.scope);
    const isHidden = hiddenFrom(place, () => [...ofThread, ...ofScope.all()]);
    const memory = pinnedAmong(pin, ofThread) ?? (await readPinned(pin, messages));
    return memory && !isHidden(memory) ? memory : undefined;
  }

  /**
   * Embeds new memories of a scope in the background, if there is an embedder. Never throws; failures go to
   * `onTrouble`.
   */
  embedSoon(scope: MemoryScope): void {
    if (this.#options.embedderOf) this.#embedLater(this.#scope(scope), false);
  }

  /** Waits for all background embedding started so far. */
  async embedded(): Promise<void> {
    await Promise.all(this.#embedding.values());
  }

  /**
   * Waits for background work until the signal is aborted, which cancels it.
   *
   * @param signal - Default: cancels at once.
   */
  async close(signal: AbortSignal = AbortSignal.abort()): Promise<void> {
    await within(this.embedded(), { signal }).catch(() => undefined);
    this.#closing.abort();
    await this.embedded();
  }

  #scope(scope: MemoryScope): ScopeIndex {
    const key = cacheKey(scope);
    const cached = this.#scopes.get(key);
    if (cached) return cached.index;
    const index = new ScopeIndex(this.#options.store, scope);
    this.#scopes.set(key, { index });
    return index;
  }

  /** Reads what has changed, and measures the scope again. */
  async #update(index: ScopeIndex): Promise<void> {
    await index.update();
    const key = cacheKey(index.scope);
    const cached = this.#scopes.peek(key);
    if (!cached || cached.index === index) this.#scopes.set(key, { index });
  }

  async #vectorOf(text: string, embedder: Embedder | undefined): Promise<Vector | undefined> {
    const { onTrouble } = this.#options;
    if (!embedder) return undefined;
    const late = new Error(`${embedder.id} made no vector within ${vectorWaitMs} ms.`);
    using ended = linkSignals(this.#closing.signal, timeoutSignal(vectorWaitMs, late));
    const { signal } = ended;
    try {
      const embedding = embedder.embed([textToEmbed(text)], signal);
      // The embedder may react slowly to its signal, and with an error of its own.
      const [values] = (await within(embedding, { signal })).vectors;
      return values && vectorOf(embedder.id, values);
    } catch (error) {
      if (!this.#closing.signal.aborted) onTrouble(error, 'a question is searched by words alone');
      return undefined;
    }
  }

  /**
   * Scopes of a workspace share memories, so they are embedded one after another: no text is paid for twice.
   *
   * @param isCurrent - The scope was just read.
   */
  #embedLater(index: ScopeIndex, isCurrent: boolean): void {
    const { embedderOf, store, onTrouble } = this.#options;
    const { signal } = this.#closing;
    const embedder = embedderOf?.(index.scope.threadId);
    if (!embedder || signal.aborted || this.#waiting.has(index)) return;
    this.#waiting.add(index);
    const workspace = workspaceOf(index.scope.threadId);
    const previous = this.#embedding.get(workspace);
    const onRefused = (error: unknown) => onTrouble(error, 'a memory is found by its words alone');
    const embed = async () => {
      this.#waiting.delete(index);
      signal.throwIfAborted();
      if (previous || !isCurrent) await this.#update(index);
      await embedScope(index, { store, embedder, onRefused, signal });
    };
    const work = (previous?.then(embed) ?? embed())
      .catch((error: unknown) => {
        if (!signal.aborted) onTrouble(error, 'new memories are found by their words alone');
      })
      .finally(() => {
        if (this.#embedding.get(workspace) === work) this.#embedding.delete(workspace);
      });
    this.#embedding.set(workspace, work);
  }
}

/** Threads that see the same memories share one index. */
function cacheKey({ threadId, reach }: MemoryScope): string {
  return `${reach} ${reach === 'thread' ? threadId : channelOf(threadId)}`;
}
