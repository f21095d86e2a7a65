/** Limits that all processes share, on a server: semaphores and quotas. */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Log } from '../../domain/log.ts';
import {
  type QuotaClaim,
  type Quotas,
  roundingError,
  type SemaphoreRequest,
  type Semaphores,
  type Taken,
} from '../coordination.ts';
import { LastingTrouble } from '../trouble-log.ts';
import { type Commands, queueScripts } from './commands.ts';
import { prefix } from './settings.ts';

const script = queueScripts('limits');
const admittedSchema = z.array(z.string());

/** All that a process holds and waits for is told again so many times in a lease. */
const refreshesPerLease = 5;
/** A process that waits asks in growing pauses whose turn it is. */
const firstPauseMs = 20;
const longestPauseMs = 200;

/** Semaphores of all processes on a server, by the server's clock. */
export class RedisSemaphores implements Semaphores {
  readonly #commands: Commands;
  readonly #log: Log;
  readonly #process = randomUUID();
  /** By name; dropped once it is neither held nor waited for here. */
  readonly #semaphores = new Map<string, Semaphore>();

  constructor(commands: Commands, log: Log) {
    this.#commands = commands;
    this.#log = log;
  }

  acquire(wanted: SemaphoreRequest, signal: AbortSignal): Promise<() => void> {
    const { name, leaseMs, share } = wanted;
    const semaphore =
      this.#semaphores.get(name) ??
      new Semaphore({
        exchange: (told) => this.#exchange(wanted, told),
        refreshEveryMs: leaseMs / refreshesPerLease,
        trouble: new LastingTrouble(this.#log, `requests for semaphore ${name}`),
        newCaller: () => `${this.#process}:${randomUUID()}`,
        onIdle: () => this.#semaphores.delete(name),
      });
    this.#semaphores.set(name, semaphore);
    return semaphore.acquire(share, signal);
  }

  async #exchange(
    { name, limit, leaseMs }: SemaphoreRequest,
    { gone, held, waiting }: Told,
  ): Promise<readonly string[]> {
    const counts = [gone.length, held.length, waiting.length];
    const values = [limit, leaseMs, ...counts].map(String);
    return admittedSchema.parse(
      await this.#commands.run(
        script('exchange'),
        [`${prefix}:permits:${name}`],
        [this.#process, ...values, ...gone, ...held, ...waiting.flat()],
      ),
    );
  }
}

/** What a process tells the server. */
interface Told {
  readonly gone: readonly string[];
  readonly held: readonly string[];
  /** Caller and share. */
  readonly waiting: readonly (readonly [string, string])[];
}

interface SemaphoreOptions {
  /** @returns The callers that have got a permit. */
  readonly exchange: (told: Told) => Promise<readonly string[]>;
  readonly refreshEveryMs: number;
  readonly trouble: LastingTrouble;
  readonly newCaller: () => string;
  readonly onIdle: () => void;
}

/** This process's callers of one thing. */
class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #waiting = new Map<string, { readonly share: string; readonly admit: () => void }>();
  readonly #held = new Set<string>();
  /** Not told yet. */
  #fresh: (readonly [string, string])[] = [];
  #gone: string[] = [];
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #pauseMs = firstPauseMs;
  #timer: NodeJS.Timeout | undefined;
  #isTelling = false;
  #hasNews = false;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  async acquire(share: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const caller = this.#options.newCaller();
    const { promise, resolve: admit, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting.delete(caller);
      this.#give(caller);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.set(caller, { share, admit });
    this.#fresh.push([caller, share]);
    void this.#tell();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
    return () => this.#give(caller);
  }

  #give(caller: string): void {
    this.#held.delete(caller);
    this.#gone.push(caller);
    void this.#tell();
  }

  /** Tells what is new, until nothing is, and then from time to time while any is waited for or held. */
  async #tell(): Promise<void> {
    this.#hasNews = true;
    if (this.#isTelling) return;
    this.#isTelling = true;
    clearTimeout(this.#timer);
    while (this.#hasNews) {
      this.#hasNews = false;
      await this.#exchange();
    }
    this.#isTelling = false;
    if (this.#waiting.size > 0) {
      this.#timer = setTimeout(() => void this.#tell(), this.#pauseMs);
      this.#pauseMs = Math.min(longestPauseMs, 2 * this.#pauseMs);
    } else if (this.#held.size > 0) {
      this.#timer = setTimeout(() => void this.#tell(), this.#options.refreshEveryMs);
      this.#timer.unref();
    } else {
      this.#options.onIdle();
    }
  }

  async #exchange(): Promise<void> {
    const { exchange, refreshEveryMs, trouble } = this.#options;
    const [fresh, gone] = [this.#fresh, this.#gone];
    this.#fresh = [];
    this.#gone = [];
    const isDue = performance.now() - this.#refreshedAt >= refreshEveryMs;
    if (isDue) this.#refreshedAt = performance.now();
    const held = isDue ? [...this.#held] : [];
    const waiting = isDue
      ? [...this.#waiting].map(([caller, { share }]) => [caller, share] as const)
      : fresh.filter(([caller]) => this.#waiting.has(caller));
    try {
      const admitted = await exchange({ gone, held, waiting });
      trouble.worked();
      for (const caller of admitted) this.#admit(caller);
    } catch (error) {
      // What is gone is free when its lease ends; the rest is told again.
      this.#refreshedAt = Number.NEGATIVE_INFINITY;
      trouble.failed(error);
    }
  }

  #admit(caller: string): void {
    const waiter = this.#waiting.get(caller);
    // One that has left meanwhile is told to be gone next.
    if (waiter === undefined) return;
    this.#waiting.delete(caller);
    this.#held.add(caller);
    this.#pauseMs = firstPauseMs;
    waiter.admit();
  }
}

const takenSchema = z.union([z.literal('taken'), z.tuple([z.string(), z.coerce.number()])]);

const thingPrefix = `${prefix}:quota:`;
const holdingPrefix = `${prefix}:holding:`;

/** Quotas of all processes on a server, by the server's clock. */
export class RedisQuotas implements Quotas {
  readonly #commands: Commands;

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  async take(holder: string, claims: readonly QuotaClaim[], leaseMs: number): Promise<Taken> {
    const values = claims.flatMap(({ name, amount, limit }) => [
      name,
      String(amount),
      String(limit),
    ]);
    const reply = takenSchema.parse(
      await this.#commands.run(
        script('take'),
        [holdingPrefix + holder],
        [thingPrefix, holder, String(Math.ceil(leaseMs)), String(roundingError), ...values],
      ),
    );
    if (reply === 'taken') return { status: 'taken' };
    const [name, held] = reply;
    return { status: 'refused', name, held };
  }

  async keep(holder: string, leaseMs: number): Promise<void> {
    await this.#keep(holder, Math.ceil(leaseMs));
  }

  async release(holder: string): Promise<void> {
    await this.#keep(holder, 0);
  }

  async #keep(holder: string, leaseMs: number): Promise<void> {
    const values = [thingPrefix, holder, String(leaseMs)];
    await this.#commands.run(script('keep'), [holdingPrefix + holder], values);
  }
}
