import { EventEmitter } from 'node:events';
import {
  type Coordination,
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
import { InlineQueue, type InlineQueueOptions } from './inline-queue.ts';

/** The coordination of a single process, in memory. */
export function createInlineCoordination(options: InlineQueueOptions): Coordination {
  return {
    queue: new InlineQueue(options),
    quotas: new InlineQuotas(),
    semaphores: new InlineSemaphores(),
    stops: createInlineStopRequests(),
    unreserved: () => options.unfinished(Number.MAX_SAFE_INTEGER),
    health: () => ({ isReady: true, text: 'in this process' }),
    close: async () => undefined,
  };
}

interface Semaphore {
  held: number;
  /** Callbacks by share, in the order of their turns; a share without callers is deleted. */
  readonly waiting: Map<string, Set<() => void>>;
}

export class InlineSemaphores implements Semaphores {
  /** By name; deleted when it has no holders or waiters. */
  readonly #semaphores = new Map<string, Semaphore>();

  async acquire(
    { name, limit, share }: SemaphoreRequest,
    signal: AbortSignal,
  ): Promise<() => void> {
    signal.throwIfAborted();
    const semaphore = this.#semaphores.get(name) ?? { held: 0, waiting: new Map() };
    this.#semaphores.set(name, semaphore);
    const { promise, resolve: admit, reject } = Promise.withResolvers<void>();
    const callers = semaphore.waiting.get(share) ?? new Set();
    semaphore.waiting.set(share, callers.add(admit));
    const leave = () => {
      if (callers.delete(admit) && callers.size === 0) semaphore.waiting.delete(share);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#admit(name, semaphore, limit);
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      semaphore.held -= 1;
      this.#admit(name, semaphore, limit);
    };
  }

  #admit(name: string, semaphore: Semaphore, limit: number): void {
    while (semaphore.held < limit) {
      const [next] = semaphore.waiting;
      if (next === undefined) break;
      const [share, callers] = next;
      const [admit] = callers;
      semaphore.waiting.delete(share);
      if (admit === undefined) continue;
      callers.delete(admit);
      // Move the share to the end: all other shares come before its next caller.
      if (callers.size > 0) semaphore.waiting.set(share, callers);
      semaphore.held += 1;
      admit();
    }
    if (semaphore.held === 0 && semaphore.waiting.size === 0) this.#semaphores.delete(name);
  }
}

export class InlineQuotas implements Quotas {
  readonly #now: () => number;
  /** By name, then by holder. */
  readonly #held = new Map<
    string,
    Map<string, { readonly amount: number; readonly until: number }>
  >();
  /** By name, by `performance.now()`. */
  readonly #releasedAt = new Map<string, number>();

  /** @param now - Milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  async take(holder: string, claims: readonly QuotaClaim[], leaseMs: number): Promise<TakeResult> {
    this.#sweep();
    for (const { name, amount, limit } of claims) {
      const others = [...(this.#held.get(name) ?? [])].filter(([other]) => other !== holder);
      const held = others.reduce((sum, [, { amount: one }]) => sum + one, 0);
      if (held + amount > limit + epsilon) return { status: 'refused', name, held };
    }
    const until = this.#now() + leaseMs;
    for (const { name, amount } of claims) {
      const holders = this.#held.get(name) ?? new Map();
      this.#held.set(name, holders.set(holder, { amount, until }));
    }
    const isOutdated = claims.some(
      ({ name, readAt = Infinity }) => (this.#releasedAt.get(name) ?? -Infinity) >= readAt,
    );
    return { status: isOutdated ? 'outdated' : 'taken' };
  }

  async keep(holder: string, leaseMs: number): Promise<void> {
    const until = this.#now() + leaseMs;
    for (const holders of this.#held.values()) {
      const held = holders.get(holder);
      if (held) holders.set(holder, { ...held, until });
    }
  }

  async release(holder: string): Promise<void> {
    for (const [name, holders] of this.#held) {
      if (holders.delete(holder)) this.#releasedAt.set(name, performance.now());
      if (holders.size === 0) this.#held.delete(name);
    }
  }

  /** Deletes what has expired: unused names would stay forever. */
  #sweep(): void {
    const now = this.#now();
    for (const [name, holders] of this.#held) {
      for (const [holder, { until }] of holders) if (until <= now) holders.delete(holder);
      if (holders.size === 0) this.#held.delete(name);
    }
    for (const [name, releasedAt] of this.#releasedAt) {
      if (performance.now() - releasedAt > releaseKnownMs) this.#releasedAt.delete(name);
    }
  }
}

export function createInlineStopRequests(): StopRequests {
  /** The time of each request in milliseconds since 1970, latest last. */
  const requested = new Map<string, number>();
  const watches = new EventEmitter();
  // An event `error` without a watch would throw, and imported turns have ids of any kind.
  const named = (turnId: string) => `stop ${turnId}`;
  return {
    async request(turnId) {
      const now = Date.now();
      for (const [known, requestedAt] of requested) {
        if (requestedAt + stopTtlMs > now) break;
        requested.delete(known);
      }
      requested.delete(turnId);
      requested.set(turnId, now);
      watches.emit(named(turnId));
    },
    async watch(turnId, onStop) {
      watches.once(named(turnId), onStop);
      if (requested.has(turnId)) watches.emit(named(turnId));
      return () => void watches.off(named(turnId), onStop);
    },
  };
}
