/** Semaphores, quotas and stop requests that all processes share in Redis, by the server's clock. */

import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { z } from 'zod';
import type { Log } from '../../domain/log.ts';
import {
  epsilon,
  type QuotaClaim,
  type Quotas,
  releaseKnownMs,
  type SemaphoreRequest,
  type Semaphores,
  type StopRequests,
  stopTtlMs,
  type TakeResult,
} from '../coordination.ts';
import { FailureLog } from '../failure-log.ts';
import { type Commands, queueScripts } from './server.ts';
import { prefix } from './settings.ts';

const script = queueScripts('limits');
const admittedSchema = z.array(z.string());

/** How often per lease a process reports everything it holds and waits for. */
const refreshesPerLease = 5;
/** How often a waiting process polls. */
const waitingPollMs = 100;

export class RedisSemaphores implements Semaphores {
  readonly #commands: Commands;
  readonly #log: Log;
  readonly #process = randomUUID();
  /** By name; deleted when nothing here holds or waits for it. */
  readonly #semaphores = new Map<string, Semaphore>();

  constructor(commands: Commands, log: Log) {
    this.#commands = commands;
    this.#log = log;
  }

  acquire(wanted: SemaphoreRequest, signal: AbortSignal): Promise<() => void> {
    const { name, share } = wanted;
    const semaphore =
      this.#semaphores.get(name) ??
      new Semaphore({
        ...{ wanted, commands: this.#commands, process: this.#process },
        failures: new FailureLog(this.#log, `requests for semaphore ${name}`),
        onIdle: () => this.#semaphores.delete(name),
      });
    this.#semaphores.set(name, semaphore);
    return semaphore.acquire(share, signal);
  }
}

interface SemaphoreOptions {
  readonly wanted: Omit<SemaphoreRequest, 'share'>;
  readonly commands: Commands;
  /** Unique id of this process. */
  readonly process: string;
  readonly failures: FailureLog;
  readonly onIdle: () => void;
}

/** This process's callers of one semaphore. */
class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #waiting = new Map<string, { readonly share: string; readonly admit: () => void }>();
  readonly #held = new Set<string>();
  /** Callers and their shares, not reported yet. */
  #added: (readonly [string, string])[] = [];
  /** Callers that left, not reported yet. */
  #gone: string[] = [];
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isReporting = false;
  #hasNews = false;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  async acquire(share: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const caller = `${this.#options.process}:${randomUUID()}`;
    const { promise, resolve: admit, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting.delete(caller);
      this.#release(caller);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.set(caller, { share, admit });
    this.#added.push([caller, share]);
    void this.#report();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
    return () => this.#release(caller);
  }

  #release(caller: string): void {
    this.#held.delete(caller);
    this.#gone.push(caller);
    void this.#report();
  }

  /** Reports changes until there are none, then periodically while callers wait or hold permits. */
  async #report(): Promise<void> {
    this.#hasNews = true;
    if (this.#isReporting) return;
    this.#isReporting = true;
    clearTimeout(this.#timer);
    while (this.#hasNews) {
      this.#hasNews = false;
      await this.#exchange();
    }
    this.#isReporting = false;
    if (this.#waiting.size > 0) {
      this.#timer = setTimeout(() => void this.#report(), waitingPollMs);
    } else if (this.#held.size > 0) {
      this.#timer = setTimeout(() => void this.#report(), this.#refreshEveryMs);
      this.#timer.unref();
    } else {
      this.#options.onIdle();
    }
  }

  get #refreshEveryMs(): number {
    return this.#options.wanted.leaseMs / refreshesPerLease;
  }

  async #exchange(): Promise<void> {
    const { wanted, commands, process, failures } = this.#options;
    const [added, gone] = [this.#added, this.#gone];
    this.#added = [];
    this.#gone = [];
    const isDue = performance.now() - this.#refreshedAt >= this.#refreshEveryMs;
    if (isDue) this.#refreshedAt = performance.now();
    const held = isDue ? [...this.#held] : [];
    const waiting = isDue
      ? [...this.#waiting].map(([caller, { share }]) => [caller, share] as const)
      : added.filter(([caller]) => this.#waiting.has(caller));
    const { name, limit, leaseMs } = wanted;
    const numbers = [limit, leaseMs, gone.length, held.length, waiting.length].map(String);
    const values = [process, ...numbers, ...gone, ...held, ...waiting.flat()];
    try {
      const keys = [`${prefix}:permits:${name}`];
      const admitted = admittedSchema.parse(await commands.run(script('exchange'), keys, values));
      failures.worked();
      for (const caller of admitted) this.#admit(caller);
    } catch (error) {
      // Unreported releases take effect when their leases end; report the rest again.
      this.#refreshedAt = Number.NEGATIVE_INFINITY;
      failures.failed(error);
    }
  }

  #admit(caller: string): void {
    const waiter = this.#waiting.get(caller);
    // The caller left meanwhile; the next report says so.
    if (waiter === undefined) return;
    this.#waiting.delete(caller);
    this.#held.add(caller);
    waiter.admit();
  }
}

const takenSchema = z.union([z.number(), z.tuple([z.string(), z.coerce.number()])]);

const amountsPrefix = `${prefix}:quota:`;
const holdingPrefix = `${prefix}:holding:`;

export class RedisQuotas implements Quotas {
  readonly #commands: Commands;

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  async take(holder: string, claims: readonly QuotaClaim[], leaseMs: number): Promise<TakeResult> {
    const values = claims.flatMap(({ name, amount, limit }) => [name, `${amount}`, `${limit}`]);
    const numbers = [Math.ceil(leaseMs), releaseKnownMs, epsilon].map(String);
    const reply = takenSchema.parse(
      await this.#commands.run(
        script('take'),
        [holdingPrefix + holder],
        [amountsPrefix, holder, ...numbers, ...values],
      ),
    );
    if (typeof reply === 'object') return { status: 'refused', name: reply[0], held: reply[1] };
    const readAt = Math.min(...claims.map((claim) => claim.readAt ?? Infinity));
    // Up to the reply, so no release is missed. The server counts whole milliseconds.
    return { status: performance.now() - readAt >= reply - 1 ? 'outdated' : 'taken' };
  }

  keep(holder: string, leaseMs: number): Promise<void> {
    return this.#setLease(holder, Math.ceil(leaseMs));
  }

  release(holder: string): Promise<void> {
    return this.#setLease(holder, 0);
  }

  async #setLease(holder: string, leaseMs: number): Promise<void> {
    const values = [amountsPrefix, holder, String(leaseMs), String(releaseKnownMs)];
    await this.#commands.run(script('keep'), [holdingPrefix + holder], values);
  }
}

/** How often a process polls for the turns it watches, in milliseconds: one request, none without watches. */
const pollEveryMs = 500;

export class RedisStopRequests implements StopRequests {
  readonly #commands: Commands;
  /** The watches; a stop is an event under the key of its turn. */
  readonly #stops = new EventEmitter();

  /** @param closing - Aborted when the process disconnects. */
  constructor(commands: Commands, log: Log, closing: AbortSignal) {
    this.#commands = commands;
    const failures = new FailureLog(log, 'searches for requests to stop');
    void failures.repeat(
      () => pollEveryMs,
      () => this.#poll(),
      closing,
    );
  }

  async request(turnId: string): Promise<void> {
    const key = stopKey(turnId);
    await this.#commands.send((client) => client.set(key, '1', 'PX', stopTtlMs));
    this.#stops.emit(key);
  }

  async watch(turnId: string, onStop: () => void): Promise<() => void> {
    const key = stopKey(turnId);
    this.#stops.once(key, onStop);
    const end = () => void this.#stops.off(key, onStop);
    try {
      const isRequested = await this.#commands.send((client) => client.exists(key));
      if (isRequested === 1) this.#stops.emit(key);
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  async #poll(): Promise<boolean> {
    const keys = this.#stops.eventNames().map(String);
    if (keys.length === 0) return false;
    const found = await this.#commands.once((client) => client.mget(keys));
    for (const [index, key] of keys.entries()) {
      if (found[index] !== null) this.#stops.emit(key);
    }
    return true;
  }
}

function stopKey(turnId: string): string {
  return `${prefix}:stop:${turnId}`;
}
