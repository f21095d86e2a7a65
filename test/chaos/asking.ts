import { setTimeout as wait } from 'node:timers/promises';
import { openRedisStore } from '../../src/store/redis.ts';
import type { Store, TurnRecord } from '../../src/store/store.ts';
import { type AskedOnPlatform, questionText, type Seat } from './crowd.ts';
import type { Random } from './random.ts';
import type { Part, Question, StoredTurn } from './record.ts';
import { comesToHold } from './waiting.ts';

/** What passes between the taking of a question and the next one of its thread, in milliseconds. */
const pauseMs = [200, 5000] as const;
/** Someone with so many open questions waits with the next one. */
const mostOpen = 3;
const lookEveryMs = 200;

interface Asked {
  readonly number: number;
  readonly thread: string;
  readonly askedAt: number;
  readonly onPlatform: Promise<AskedOnPlatform>;
  seenAt?: number;
  turnId?: string;
}

/** People who ask one question after another, and what the store knows of their questions. */
export class Asking implements AsyncDisposable {
  readonly #store: Store;
  readonly #random: Random;
  readonly #deadline: AbortSignal;
  readonly #asked = new Map<number, Asked>();
  /** Turns that had not ended when the store was last looked into. */
  #unfinished: ReadonlySet<string> = new Set();
  readonly #closing = new AbortController();

  private constructor(store: Store, random: Random, deadline: AbortSignal) {
    this.#store = store;
    this.#random = random;
    this.#deadline = deadline;
    void this.#watch();
  }

  /** @param deadline - Ends all waiting. */
  static async open(url: string, random: Random, deadline: AbortSignal): Promise<Asking> {
    return new Asking(await openRedisStore({ url }), random, deadline);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#store.close();
  }

  /** How many questions were asked so far. */
  get count(): number {
    return this.#asked.size;
  }

  async #watch(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const open = await this.#store.turns.unfinished(100_000).catch(() => undefined);
      if (open) this.#unfinished = new Set(open.map(({ turnId }) => turnId));
      await wait(lookEveryMs, undefined, { ref: false });
    }
  }

  /** Everybody asks, each question as soon as the one before it is taken, until it is to be calm. */
  async keepAsking(seats: readonly Seat[], calm: AbortSignal, onAsked: () => void): Promise<void> {
    await Promise.all(
      seats.map(async (seat) => {
        while (!calm.aborted) {
          await this.#ask(seat, onAsked);
          await this.#wait(this.#random.between(...pauseMs));
          while (this.#openIn(seat.thread) >= mostOpen) await this.#wait(lookEveryMs);
        }
      }),
    );
  }

  async #ask(seat: Seat, onAsked: () => void): Promise<void> {
    const number = this.#asked.size + 1;
    const onPlatform = seat.ask(questionText(number));
    const asked: Asked = { number, thread: seat.thread, askedAt: Date.now(), onPlatform };
    this.#asked.set(number, asked);
    onAsked();
    const { patienceMs } = await onPlatform;
    await comesToHold(() => this.#isSeen(asked), patienceMs, this.#deadline);
  }

  async #isSeen(asked: Asked): Promise<boolean> {
    const record = await this.#read(asked);
    if (!record) return false;
    asked.seenAt = Date.now();
    asked.turnId = record.turnId;
    return true;
  }

  #openIn(thread: string): number {
    const ofThread = [...this.#asked.values()].filter((asked) => asked.thread === thread);
    return ofThread.filter(({ turnId = '' }) => this.#unfinished.has(turnId)).length;
  }

  #wait(ms: number): Promise<void> {
    return wait(ms, undefined, { signal: this.#deadline });
  }

  /** Resolves when no turn is open any more, at the latest after so long. */
  async allEnded(patienceMs: number): Promise<void> {
    const open = async () =>
      (await this.#store.turns.unfinished(1).catch(() => [undefined])).length;
    await comesToHold(async () => (await open()) === 0, patienceMs, this.#deadline);
  }

  /** Whether the store has what a model is asked for; `undefined` when it can't be asked. */
  async isStored(part: Part, question: number): Promise<boolean | undefined> {
    const asked = this.#asked.get(question);
    const record = asked && (await this.#read(asked));
    if (!record) return undefined;
    const kindOfStep = part === 'chair' ? 'verdict' : part;
    if (record.steps.some(({ kind }) => kind === kindOfStep)) return true;
    return record.messages.some(({ sage, status }) => sage === part && status === 'complete');
  }

  /**
   * All that were asked, with what the store has of them now.
   *
   * @throws {@link StoreError} when it can't be asked.
   */
  questions(): Promise<readonly Question[]> {
    return Promise.all(
      [...this.#asked.values()].map(async (asked): Promise<Question> => {
        const { number, thread, askedAt, seenAt } = asked;
        const onPlatform = await asked.onPlatform;
        const record = await this.#store.turns.read(onPlatform);
        return {
          number,
          thread,
          askedAt,
          tellings: onPlatform.tellings(),
          ...(seenAt === undefined ? {} : { seenAt }),
          ...(record ? { turn: turnOf(record) } : {}),
        };
      }),
    );
  }

  async #read({ onPlatform }: Asked): Promise<TurnRecord | undefined> {
    try {
      return await this.#store.turns.read(await onPlatform);
    } catch {
      return undefined;
    }
  }
}

function turnOf({ turnId, endedAt }: TurnRecord): StoredTurn {
  return { turnId, ...(endedAt === undefined ? {} : { endedAt }) };
}
