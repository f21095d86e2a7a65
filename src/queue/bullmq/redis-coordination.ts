/** Semaphores, quotas and stop requests that all processes share in Redis, by the server's clock. */

import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { z } from 'zod';
import type { Log } from '../../domain/log.ts';
import {
  epsilon,
  type Quotas,
  releaseKnownMs,
  type SemaphoreRequest,
  type Semaphores,
  type StopRequests,
  stopTtlMs,
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

export function redisSemaphores(commands: Commands, log: Log): Semaphores {
  const process = randomUUID();
  /** By name; deleted when nothing here holds or waits for it. */
  const semaphores = new Map<string, Semaphore>();
  return {
    async acquire(wanted, signal) {
      const { name, share } = wanted;
      const semaphore =
        semaphores.get(name) ??
        openSemaphore({
          wanted,
          commands,
          process,
          onIdle: () => semaphores.delete(name),
          failures: new FailureLog(log, `requests for semaphore ${name}`),
        });
      semaphores.set(name, semaphore);
      return semaphore.acquire(share, signal);
    },
  };
}

interface SemaphoreOptions {
  readonly wanted: Omit<SemaphoreRequest, 'share'>;
  readonly commands: Commands;
  /** Unique id of this process. */
  readonly process: string;
  readonly failures: FailureLog;
  readonly onIdle: () => void;
}

type Semaphore = ReturnType<typeof openSemaphore>;

/** This process's callers of one semaphore. */
function openSemaphore({ wanted, commands, process, failures, onIdle }: SemaphoreOptions) {
  const { name, limit, leaseMs } = wanted;
  const refreshEveryMs = leaseMs / refreshesPerLease;
  const waiting = new Map<string, { readonly share: string; readonly admit: () => void }>();
  const held = new Set<string>();
  /** Callers and their shares, not reported yet. */
  let added: (readonly [string, string])[] = [];
  /** Callers that left, not reported yet. */
  let gone: string[] = [];
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isReporting = false;
  let hasNews = false;

  async function acquire(share: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const caller = `${process}:${randomUUID()}`;
    const { promise, resolve: admit, reject } = Promise.withResolvers<void>();
    const leave = () => {
      waiting.delete(caller);
      release(caller);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    waiting.set(caller, { share, admit });
    added.push([caller, share]);
    void report();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
    return () => release(caller);
  }

  function release(caller: string): void {
    held.delete(caller);
    gone.push(caller);
    void report();
  }

  /** Reports changes until there are none, then periodically while callers wait or hold permits. */
  async function report(): Promise<void> {
    hasNews = true;
    if (isReporting) return;
    isReporting = true;
    clearTimeout(timer);
    while (hasNews) {
      hasNews = false;
      await exchange();
    }
    isReporting = false;
    if (waiting.size > 0) {
      timer = setTimeout(() => void report(), waitingPollMs);
    } else if (held.size > 0) {
      timer = setTimeout(() => void report(), refreshEveryMs).unref();
    } else {
      onIdle();
    }
  }

  async function exchange(): Promise<void> {
    const [entering, leaving] = [added, gone];
    added = [];
    gone = [];
    const isDue = performance.now() - refreshedAt >= refreshEveryMs;
    if (isDue) refreshedAt = performance.now();
    const holding = isDue ? [...held] : [];
    const asking = isDue
      ? [...waiting].map(([caller, { share }]) => [caller, share] as const)
      : entering.filter(([caller]) => waiting.has(caller));
    const counts = [leaving.length, holding.length, asking.length];
    const numbers = [limit, leaseMs, ...counts].map(String);
    const values = [process, ...numbers, ...leaving, ...holding, ...asking.flat()];
    try {
      const keys = [`${prefix}:permits:${name}`];
      const admitted = admittedSchema.parse(await commands.run(script('exchange'), keys, values));
      failures.worked();
      for (const caller of admitted) admitCaller(caller);
    } catch (error) {
      // Unreported releases take effect when their leases end; report the rest again.
      refreshedAt = Number.NEGATIVE_INFINITY;
      failures.failed(error);
    }
  }

  function admitCaller(caller: string): void {
    const waiter = waiting.get(caller);
    // The caller left meanwhile; the next report says so.
    if (waiter === undefined) return;
    waiting.delete(caller);
    held.add(caller);
    waiter.admit();
  }

  return { acquire };
}

const takenSchema = z.union([z.number(), z.tuple([z.string(), z.coerce.number()])]);

const amountsPrefix = `${prefix}:quota:`;
const holdingPrefix = `${prefix}:holding:`;

export function redisQuotas(commands: Commands): Quotas {
  async function setLease(holder: string, leaseMs: number): Promise<void> {
    const values = [amountsPrefix, holder, String(leaseMs), String(releaseKnownMs)];
    await commands.run(script('keep'), [holdingPrefix + holder], values);
  }

  return {
    async take(holder, claims, leaseMs) {
      const wanted = claims.flatMap(({ name, amount, limit }) => [name, `${amount}`, `${limit}`]);
      const numbers = [Math.ceil(leaseMs), releaseKnownMs, epsilon].map(String);
      const values = [amountsPrefix, holder, ...numbers, ...wanted];
      const taken = await commands.run(script('take'), [holdingPrefix + holder], values);
      const reply = takenSchema.parse(taken);
      if (typeof reply === 'object') return { status: 'refused', name: reply[0], held: reply[1] };
      const readAt = Math.min(...claims.map((claim) => claim.readAt ?? Infinity));
      // Up to the reply, so no release is missed. The server counts whole milliseconds.
      return { status: performance.now() - readAt >= reply - 1 ? 'outdated' : 'taken' };
    },
    keep: (holder, leaseMs) => setLease(holder, Math.ceil(leaseMs)),
    release: (holder) => setLease(holder, 0),
  };
}

/** How often a process polls for the turns it watches, in milliseconds: one request, none without watches. */
const pollEveryMs = 500;

/** @param closing - Aborted when the process disconnects. */
export function redisStopRequests(
  commands: Commands,
  log: Log,
  closing: AbortSignal,
): StopRequests {
  /** The watches; a stop is an event under the key of its turn. */
  const stops = new EventEmitter();

  async function poll(): Promise<boolean> {
    const keys = stops.eventNames().map(String);
    if (keys.length === 0) return false;
    const found = await commands.once((client) => client.mget(keys));
    for (const [index, key] of keys.entries()) if (found[index] !== null) stops.emit(key);
    return true;
  }

  const failures = new FailureLog(log, 'searches for requests to stop');
  void failures.repeat(() => pollEveryMs, poll, closing);
  return {
    async request(turnId) {
      const key = stopKey(turnId);
      await commands.send((client) => client.set(key, '1', 'PX', stopTtlMs));
      stops.emit(key);
    },

    async watch(turnId, onStop) {
      const key = stopKey(turnId);
      stops.once(key, onStop);
      const end = () => void stops.off(key, onStop);
      try {
        const isRequested = await commands.send((client) => client.exists(key));
        if (isRequested === 1) stops.emit(key);
      } catch (error) {
        end();
        throw error;
      }
      return end;
    },
  };
}

function stopKey(turnId: string): string {
  return `${prefix}:stop:${turnId}`;
}
