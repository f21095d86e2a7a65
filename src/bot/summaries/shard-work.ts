/** Makes shards of due threads in the background, one process per thread, within the budgets. */

import { planCall } from '../../council/estimate.ts';
import type { Log } from '../../domain/log.ts';
import {
  asSaid,
  type Compress,
  compressWindow,
  keepWindows,
} from '../../memory/shards/keep-windows.ts';
import { type ShardNote, ShardNotes } from '../../memory/shards/notes.ts';
import {
  readShardThread,
  type ShardThread,
  shardMarks,
  windowsAsSaid,
  windowsOf,
  windowsToCompress,
} from '../../memory/shards/windows.ts';
import type { Embedder } from '../../models/embeddings.ts';
import type { QueuedTurn } from '../../queue/queue.ts';
import { type MemoryScope, type Store, StoreError } from '../../store/store.ts';
import { linkSignals } from '../../waiting.ts';
import { RefusedError, workInBackground } from '../money/budgets.ts';
import type { Estimate, Money } from '../money/money.ts';
import { type Channel, type ChannelsOptions, readChannel } from '../places/channels.ts';

/** When shards are made. */
export interface ShardPace {
  /** How long messages wait for further ones, in milliseconds. */
  readonly everyMs: number;
  /** The number of new messages of a thread that don't wait, 1 to 100. */
  readonly enoughMessages: number;
}

/** How many messages to read per wanted one, because some are newer and some belong to no turn. */
const readPerMessage = 5;
/** After this many failures in a row, a thread's messages are kept uncompressed. */
const maxFailures = 5;
/** How many of a thread's newest turns are checked. Only these can still be running. */
const maxTurns = 100;

/** Locks the shards of a thread across processes. Resolves with a function that unlocks them. */
export type ShardLock = (threadId: string, signal: AbortSignal) => Promise<() => void>;

export interface ShardWorkOptions extends ChannelsOptions {
  readonly store: Store;
  readonly pace: ShardPace;
  /** Absent: messages are kept uncompressed, a few per shard. */
  readonly compressor: ShardCompressor | undefined;
  /** Embeds new shards in the background. */
  readonly embed: (scope: MemoryScope) => void;
  /** Starts background work for a thread. */
  readonly request: (threadId: string) => void;
  readonly lock: ShardLock;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How many threads a process works on at once. */
const laneCount = 8;

export class ShardWork {
  readonly #options: ShardWorkOptions;
  readonly #notes: ShardNotes;
  /** The work of this process. Each lane runs one thread after another. */
  readonly #lanes = Array.from({ length: laneCount }, (): Promise<void> => Promise.resolve());
  #asked = 0;
  /** By thread: its notes as read by the search that requested it, because each read is of the notes of all threads. */
  readonly #due = new Map<string, readonly ShardNote[]>();

  constructor(options: ShardWorkOptions) {
    this.#options = options;
    this.#notes = new ShardNotes(options.store.settings, options.now);
  }

  /** Notes a turn in advance, so that a crash does not lose it. Never throws. */
  async begun(turn: QueuedTurn): Promise<void> {
    try {
      await this.#notes.add(turn);
    } catch (error) {
      this.#options.log.warn({ error }, 'turn was not noted for summaries');
    }
  }

  ended({ threadId }: QueuedTurn): void {
    this.#options.request(threadId);
  }

  /**
   * Does the background work.
   *
   * @param subject - A thread's id. Empty: requests work for every due thread, whichever process noted it.
   * @throws What the store throws: the queue retries then. Errors of models are logged and retried later.
   */
  async run(subject: string, signal: AbortSignal): Promise<void> {
    if (subject === '') return this.#requestDue();
    const lane = this.#asked % laneCount;
    this.#asked += 1;
    const made = (this.#lanes[lane] ?? Promise.resolve()).then(() => this.#make(subject, signal));
    this.#lanes[lane] = made.catch(() => undefined);
    return made;
  }

  async #requestDue(): Promise<void> {
    const notes = await this.#notes.read();
    for (const [threadId, own] of Map.groupBy(notes, (note) => note.threadId)) {
      if (!this.#isDue(own)) continue;
      this.#due.set(threadId, own);
      this.#options.request(threadId);
    }
  }

  #isDue(notes: readonly ShardNote[]): boolean {
    return notes.every(({ notBefore }) => notBefore <= this.#options.now());
  }

  /** The notes of a thread. They may be as old as the last search: what is done meanwhile is not done again. */
  async #notesOf(threadId: string): Promise<readonly ShardNote[]> {
    const known = this.#due.get(threadId);
    this.#due.delete(threadId);
    return known ?? (await this.#notes.read()).filter((note) => note.threadId === threadId);
  }

  async #make(threadId: string, signal: AbortSignal): Promise<void> {
    using locked = new DisposableStack();
    locked.defer(await this.#options.lock(threadId, signal));
    const notes = await this.#notesOf(threadId);
    if (notes.length === 0 || !this.#isDue(notes)) return;
    const { channel } = await readChannel(this.#options, threadId);
    if (!channel.settings.memory) return this.#notes.remove(notes);
    const { store, pace, now } = this.#options;
    // Read before the messages: a turn that ends in between waits for the next run.
    const turns = await store.turns.list(threadId, { limit: maxTurns });
    const underWay = new Set(turns.flatMap((turn) => (turn.status === 'ended' ? [] : turn.turnId)));
    const isLeftOut = (turnId: string) => underWay.has(turnId);
    const ended = notes.filter(({ turnId }) => !isLeftOut(turnId));
    const hasWaited = ended.some(({ notedAt }) => notedAt <= now() - pace.everyMs);
    if (!hasWaited && !(await this.#hasEnough(threadId, ended))) return;
    const thread = await readShardThread(store.memories, threadId, isLeftOut);
    const isDone = await this.#keep(threadId, channel, { thread, notes }, signal);
    if (isDone) await this.#notes.remove(ended);
  }

  /** Whether these turns have enough new messages, without reading the whole thread. */
  async #hasEnough(threadId: string, ended: readonly ShardNote[]): Promise<boolean> {
    const turnIds = new Set(ended.map(({ turnId }) => turnId));
    const { store, pace } = this.#options;
    const limit = readPerMessage * pace.enoughMessages;
    const newest = await store.messages.page(threadId, { limit });
    const fresh = newest.filter(({ turnId }) => turnId !== undefined && turnIds.has(turnId));
    return fresh.length >= pace.enoughMessages;
  }

  /** @returns Whether all of it is done. */
  async #keep(
    threadId: string,
    channel: Channel,
    { thread, notes }: { readonly thread: ShardThread; readonly notes: readonly ShardNote[] },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { store, pace, compressor, embed, log } = this.#options;
    const isGivenUp = notes.some(({ failures }) => failures >= maxFailures);
    const compress = isGivenUp ? undefined : compressor?.(threadId, channel);
    const size = compress ? windowsToCompress : windowsAsSaid;
    const windows = windowsOf(thread, size);
    try {
      return await keepWindows(store.memories, threadId, windows, compress ?? keepAsSaid, signal);
    } catch (error) {
      signal.throwIfAborted();
      // They wait for the budget; the reason is logged with the refusal.
      if (error instanceof RefusedError) return false;
      if (error instanceof StoreError) throw error;
      log.warn({ threadId, error }, 'summaries are retried later');
      await this.#notes.postpone(notes, pace.everyMs);
      return false;
    } finally {
      // Also after a failure, for the shards kept before it.
      if (windows.length > 0) embed({ threadId, reach: channel.settings.memoryReach });
    }
  }
}

const keepAsSaid: Compress = async (sources) => ({
  text: asSaid(sources),
  mark: shardMarks.asSaid,
});

/**
 * Returns the embedder of a thread, which throws `RefusedError` or what the model or the store throws.
 *
 * @param options.model - `provider:model` of the embedding model.
 */
export function placeEmbedder(
  options: ChannelsOptions & { readonly money: Money; readonly model: string },
): (threadId: string) => Embedder {
  const { model, money } = options;
  return (threadId) => ({
    id: model,
    embed: async (texts, signal) => {
      const { settings } = (await readChannel(options, threadId)).channel;
      const calls = () => [planCall('embedding', model, lengthOf(texts))];
      const estimate = { what: workInBackground, calls };
      return money.pay({ threadId, settings }, estimate, async ({ embedder }) => {
        if (!embedder) throw new TypeError(`${model} is not among the models that were opened.`);
        return embedder.embed(texts, signal);
      });
    },
  });
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** Returns a compressor for a thread, which throws `RefusedError` or what the model or the store throws. */
type ShardCompressor = (threadId: string, channel: Channel) => Compress;

/** The time limit for compressing one window, in milliseconds. */
const compressingMs = 120_000;

export function shardCompressor(money: Money): ShardCompressor {
  return (threadId, { settings }) =>
    async (sources, signal) => {
      const chars = lengthOf(sources.map(({ text, verdict = '' }) => text + verdict));
      const calls: Estimate['calls'] = ({ compactor }) => [planCall('shard', compactor.id, chars)];
      const estimate = { what: workInBackground, calls };
      return money.pay({ threadId, settings }, estimate, async ({ compactor: model }) => {
        const compress = compressWindow(model, settings.language, settings.timeZone);
        using ended = linkSignals(signal, AbortSignal.timeout(compressingMs));
        return await compress(sources, ended.signal);
      });
    };
}
