/**
 * Recalls what was said that fits a question, from a store of any kind. The scopes in use are held in
 * process, so a question costs one round trip and a search; memories get their vectors in the background.
 */

import { getHeapStatistics } from 'node:v8';
import { LRUCache } from 'lru-cache';
import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import type { Embedder } from '../../models/embeddings.ts';
import type { MemoryScope, MemoryStore } from '../../store/store.ts';
import { linkSignals, within } from '../../waiting.ts';
import type { PendingForgetting } from '../forgetting/visible-store.ts';
import { hiddenFrom, type Memory, type MemoryPlace } from '../memories.ts';
import { type Pin, pinnedAmong } from '../pins.ts';
import { embedScope, takeKnownVectors, textToEmbed } from './embed-scope.ts';
import { languageOfSetting, loadLanguage } from './retrieval/language.ts';
import { type Vector, vectorOf } from './retrieval/memory-index.ts';
import { ScopeIndex } from './scope-index.ts';

export interface RecollectionOptions {
  readonly store: MemoryStore;
  /** What is being forgotten; absent: nothing is. */
  readonly pending?: Pick<PendingForgetting, 'read'>;
  /**
   * Gives what embeds at the cost of a thread's channel and workspace. Absent: words alone decide.
   */
  readonly embedderOf?: ((threadId: string) => Embedder) | undefined;
  /** How long a question waits for its vector, in milliseconds; without it, words alone decide. Default 400. */
  readonly vectorWaitMs?: number;
  /** How much of what is remembered is held in the process, in bytes; the rest is read anew when it is asked for. Default: an eighth of the heap's limit. */
  readonly maxBytes?: number;
  /** Told what failed beside a question: the question itself goes on. Must not throw. */
  readonly onTrouble: (error: unknown, what: string) => void;
}

export interface RecallQuestion extends MemoryPlace {
  readonly text: string;
  /** A channel's setting, e.g. `German`; any other word: the language is told from what was said. */
  readonly language: string;
  /** What embeds the question, at whose cost; absent: that of where it is asked. */
  readonly embedder?: Embedder | undefined;
}

/**
 * The memories nearest to a question, nearest first.
 *
 * @param limit - How many are wanted; at least 1.
 * @param isLeftOut - What is as good as not there.
 */
export type SearchMemories = (
  limit: number,
  isLeftOut: (memory: Memory) => boolean,
) => readonly Memory[];

const defaultVectorWaitMs = 400;
/**
 * Share of the heap that what is held may take, where nothing else is said. Of a channel of 2,000 messages
 * of 500 characters it is about 17 MB, 20 with vectors, and of 2,000 characters in Chinese up to 350.
 */
const shareOfHeap = 0.125;

export class Recollection {
  readonly #options: RecollectionOptions;
  /** Each in a holder: putting it in again weighs it again. */
  readonly #scopes: LRUCache<string, { readonly index: ScopeIndex }>;
  readonly #embedding = new Map<ScopeIndex, Promise<void>>();
  /** Of those that are being embedded, the ones in which more was saved since. */
  readonly #grown = new Set<ScopeIndex>();
  readonly #closing = new AbortController();

  constructor(options: RecollectionOptions) {
    this.#options = options;
    const { maxBytes = Math.floor(shareOfHeap * getHeapStatistics().heap_size_limit) } = options;
    this.#scopes = new LRUCache({
      maxSize: maxBytes,
      // One alone that is too large is held all the same.
      sizeCalculation: ({ index }) => Math.min(Math.max(1, Math.ceil(index.bytes)), maxBytes),
    });
  }

  /** Brings a scope up to date, to be searched for a question. Throws what the store throws. */
  async open({ text, language, embedder, ...place }: RecallQuestion): Promise<SearchMemories> {
    const index = this.#scope(place.scope);
    const asking = embedder ?? this.#options.embedderOf?.(place.scope.threadId);
    const asked = this.#vectorOf(text, asking);
    const [isForgotten] = await Promise.all([this.#isForgotten(), this.#update(index)]);
    // What other processes have embedded counts for this question, not only for the next one.
    if (asking) await this.#takeKnown(index, asking.id);
    this.#embedLater(index, false);
    const vector = index.hasVectors ? await asked : undefined;
    const spoken = await loadLanguage(languageOfSetting(language) ?? index.language);
    const isHidden = hiddenFrom(place, () => index.all());
    return (limit, isNone) => {
      const isLeftOut = (memory: Memory) =>
        isHidden(memory) || isForgotten(memory) || isNone(memory);
      return index.search({ text, language: spoken, vector, limit, isLeftOut });
    };
  }

  /** All that is remembered in a scope and not hidden from the place, in no order. Throws what the store throws. */
  async all(place: MemoryPlace): Promise<readonly Memory[]> {
    const index = this.#scope(place.scope);
    const [isForgotten] = await Promise.all([this.#isForgotten(), this.#update(index)]);
    this.#embedLater(index, false);
    const all = index.all();
    const isHidden = hiddenFrom(place, () => all);
    return all.filter((memory) => !isHidden(memory) && !isForgotten(memory));
  }

  /** An old message doesn't tell which summaries hold it: while anything of a thread is being forgotten, its summaries are left out. */
  async #isForgotten(): Promise<(memory: Memory) => boolean> {
    const hidden = await this.#options.pending?.read();
    if (!hidden) return () => false;
    return (memory) =>
      memory.kind === 'shard' ? hidden.isTouched(memory.threadId) : hidden.isMessage(memory);
  }

  /**
   * What pins stand for, in their order; without those that the scope does not reach, that are hidden
   * from the place, or gone. Also what is too old to be held with its scope, out of its thread.
   */
  async pinned(place: MemoryPlace, pins: readonly Pin[]): Promise<ReadonlyMap<Pin, Memory>> {
    if (pins.length === 0) return new Map();
    const found = pinnedIn(await this.all(place), pins);
    const { scope } = place;
    const isOwn = ({ threadId }: Pin) =>
      scope.reach !== 'thread' && channelOf(threadId) === channelOf(scope.threadId);
    const missing = pins.filter((pin) => !found.has(pin) && isOwn(pin));
    for (const threadId of new Set(missing.map((pin) => pin.threadId))) {
      const ofThread = await this.#ofThread(threadId, place);
      for (const [pin, memory] of pinnedIn(ofThread, missing)) found.set(pin, memory);
    }
    return new Map(
      [...found].toSorted(([one], [other]) => pins.indexOf(one) - pins.indexOf(other)),
    );
  }

  /** A thread of the place's channel by itself, without what is hidden from the place. */
  async #ofThread(threadId: string, place: MemoryPlace): Promise<readonly Memory[]> {
    const ofThread = await this.all({ scope: { threadId, reach: 'thread' } });
    const ofScope = this.#scope(place.scope);
    const isHidden = hiddenFrom(place, () => [...ofThread, ...ofScope.all()]);
    return ofThread.filter((memory) => !isHidden(memory));
  }

  /**
   * Gives what was just saved in a scope its vectors, in the background, where there is something that
   * embeds. What is saved meanwhile goes right after it. What fails is told; it never throws.
   */
  embedSoon(scope: MemoryScope): void {
    if (!this.#options.embedderOf) return;
    const index = this.#scope(scope);
    if (this.#embedding.has(index)) this.#grown.add(index);
    else this.#embedLater(index, true);
  }

  /** Waits until what was asked for so far has its vectors, or has failed to get them. */
  async embedded(): Promise<void> {
    await Promise.all(this.#embedding.values());
  }

  /**
   * Waits for what runs in the background, and gives it up when the signal is aborted.
   *
   * @param signal - Absent: it is given up at once.
   */
  async close(signal: AbortSignal = AbortSignal.abort()): Promise<void> {
    const giveUp = () => this.#closing.abort();
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    await this.embedded();
    signal.removeEventListener('abort', giveUp);
    giveUp();
  }

  #scope(scope: MemoryScope): ScopeIndex {
    const name = nameOf(scope);
    const held = this.#scopes.get(name);
    if (held) return held.index;
    const index = new ScopeIndex(this.#options.store, scope);
    this.#scopes.set(name, { index });
    return index;
  }

  /** Reads what has changed, and weighs what is held then. */
  async #update(index: ScopeIndex): Promise<void> {
    await index.update();
    const name = nameOf(index.scope);
    const other = this.#scopes.peek(name);
    if (!other || other.index === index) this.#scopes.set(name, { index });
  }

  async #vectorOf(text: string, embedder: Embedder | undefined): Promise<Vector | undefined> {
    const { vectorWaitMs = defaultVectorWaitMs, onTrouble } = this.#options;
    if (!embedder) return undefined;
    using ended = linkSignals(this.#closing.signal, AbortSignal.timeout(vectorWaitMs));
    try {
      const embedding = embedder.embed([textToEmbed(text)], ended.signal);
      // A server may be slow to notice.
      const embedded = await within(embedding, { ms: vectorWaitMs });
      const values = embedded?.vectors[0];
      return values && vectorOf(embedder.id, values);
    } catch (error) {
      if (!this.#closing.signal.aborted) onTrouble(error, 'question got no vector');
      return undefined;
    }
  }

  async #takeKnown(index: ScopeIndex, model: string): Promise<void> {
    const { store } = this.#options;
    const { signal } = this.#closing;
    if (!signal.aborted) await takeKnownVectors(index, { store, model, signal });
  }

  /** @param isToUpdate - What was saved since it was last read is read first. */
  #embedLater(index: ScopeIndex, isToUpdate: boolean): void {
    const { embedderOf, store, onTrouble } = this.#options;
    const { signal } = this.#closing;
    const embedder = embedderOf?.(index.scope.threadId);
    if (!embedder || signal.aborted || this.#embedding.has(index)) return;
    const onRefused = (error: unknown) => onTrouble(error, 'a memory got no vector');
    const embed = async () => {
      let isStale = isToUpdate;
      do {
        this.#grown.delete(index);
        if (isStale) await this.#update(index);
        await embedScope(index, { store, embedder, onRefused, signal });
        isStale = true;
      } while (this.#grown.has(index));
    };
    const work = this.#lastOfWorkspace(index)
      .then(embed)
      .catch((error: unknown) => {
        if (!signal.aborted) onTrouble(error, 'memories got no vectors');
      })
      .finally(() => {
        this.#embedding.delete(index);
        this.#grown.delete(index);
      });
    this.#embedding.set(index, work);
  }

  /** Scopes of a workspace share what they hold: one after the other, so that no text is paid for twice. */
  async #lastOfWorkspace({ scope }: ScopeIndex): Promise<void> {
    const workspace = workspaceOf(scope.threadId);
    const same = [...this.#embedding].filter(
      ([other]) => workspaceOf(other.scope.threadId) === workspace,
    );
    await same.at(-1)?.[1];
  }
}

function pinnedIn(memories: readonly Memory[], pins: readonly Pin[]): Map<Pin, Memory> {
  return new Map(
    pins.flatMap((pin) => {
      const memory = pinnedAmong(pin, memories);
      return memory ? [[pin, memory] as const] : [];
    }),
  );
}

/** Threads that see the same have one index. */
function nameOf({ threadId, reach }: MemoryScope): string {
  return `${reach} ${reach === 'thread' ? threadId : channelOf(threadId)}`;
}
