/** Cancellable waiting: linked signals, time limits and retries. */

import { setImmediate as afterIo, clearImmediate } from 'node:timers';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Creates a signal that aborts with the first of several others, until it is disposed.
 *
 * Use it instead of `AbortSignal.any` when a source outlives the work, e.g. the signal of the whole process:
 * while a composed signal has a listener, the runtime keeps it, and everything its listeners reference, until
 * its source is aborted (1 kB each on Node 24.21, measured with 40,000).
 */
export function linkSignals(...sources: readonly (AbortSignal | undefined)[]) {
  const controller = new AbortController();
  const follow = (event: Event) => {
    if (event.target instanceof AbortSignal) controller.abort(event.target.reason);
  };
  const followed = sources.filter((source) => source !== undefined);
  const aborted = followed.find((source) => source.aborted);
  if (aborted) controller.abort(aborted.reason);
  else for (const source of followed) source.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const source of followed) source.removeEventListener('abort', follow);
    },
  };
}

/** A timer that fires this much too late shows that the process was halted, in milliseconds. */
export const haltMs = 1000;

/**
 * Calls back after `ms`. If the process was halted meanwhile, e.g. by `SIGSTOP`, the time starts again, but only
 * once: a process that stays busy must not wait forever.
 *
 * @returns The function that stops the timer.
 */
function startTimer(ms: number, onEnd: () => void, keepsAlive: boolean): () => void {
  let timer: NodeJS.Timeout | undefined;
  let ending: NodeJS.Immediate | undefined;
  const start = (mayRestart: boolean) => {
    const dueAt = performance.now() + ms;
    timer = setTimeout(() => {
      if (mayRestart && performance.now() - dueAt > haltMs) start(false);
      else ending = afterIo(onEnd);
    }, ms);
    if (!keepsAlive) timer.unref();
  };
  start(true);
  return () => {
    clearTimeout(timer);
    clearImmediate(ending);
  };
}

/**
 * Creates a signal like `AbortSignal.timeout`, except that its time starts again after a halt, like that of
 * {@link within}. Doesn't keep the process alive.
 */
export function timeoutSignal(
  ms: number,
  reason: Error = new DOMException('The time is over.', 'TimeoutError'),
): AbortSignal {
  const controller = new AbortController();
  startTimer(ms, () => controller.abort(reason), false);
  return controller.signal;
}

/** How long {@link within} waits. */
interface Limit {
  /** Milliseconds. */
  readonly ms: number;
  readonly signal?: AbortSignal;
}

/**
 * Waits for work until a timeout or until a signal is aborted. The work itself continues and its result is
 * ignored. A result that arrived while this process was busy still counts; after a halt, e.g. by `SIGSTOP`, the
 * wait starts again, once.
 *
 * @param limit.late - Called only on timeout, for the error to throw. Absent: returns `undefined` instead.
 * @throws The work's error; the signal's reason once that is aborted.
 */
export function within<Result>(
  work: Promise<Result>,
  limit: { readonly signal: AbortSignal } | (Limit & { readonly late: () => Error }),
): Promise<Result>;
export function within<Result>(work: Promise<Result>, limit: Limit): Promise<Result | undefined>;
export async function within<Result>(
  work: Promise<Result>,
  { ms, signal, late }: Partial<Limit> & { readonly late?: () => Error },
): Promise<Result | undefined> {
  const { promise: over, resolve, reject } = Promise.withResolvers<undefined>();
  const giveUp = () => reject(signal?.reason);
  const end = () => (late ? reject(late()) : resolve(undefined));
  const stopTimer = ms === undefined ? undefined : startTimer(ms, end, true);
  signal?.addEventListener('abort', giveUp, { once: true });
  if (signal?.aborted) giveUp();
  try {
    return await Promise.race([work, over]);
  } finally {
    stopTimer?.();
    signal?.removeEventListener('abort', giveUp);
  }
}

/** The pause after a number of consecutive failures (1 or more), in milliseconds. */
type Pauses = (failures: number) => number;

/** Pauses that double, from `firstMs` after the first failure up to `longestMs`. */
export function backOff(firstMs: number, longestMs: number = Number.MAX_SAFE_INTEGER): Pauses {
  return (failures) => Math.min(longestMs, firstMs * 2 ** (failures - 1));
}

/**
 * Retries work until it succeeds or fails permanently.
 *
 * @param pauseAfter - Returns the pause before the next try in milliseconds, given the number of failures
 *   (from 1) and the latest error. `undefined`: that error is thrown.
 * @param signal - Once aborted, there are no more tries.
 */
export async function retry<Result>(
  work: () => Promise<Result>,
  pauseAfter: (failures: number, error: unknown) => number | undefined,
  signal?: AbortSignal,
): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      const pauseMs = signal?.aborted ? undefined : pauseAfter(failures, error);
      if (pauseMs === undefined) throw error;
      await wait(pauseMs, undefined, { ...(signal && { signal }) });
    }
  }
}
