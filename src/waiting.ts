/** Waiting that can be cancelled. */

/** Rejects with the signal's reason when it comes first. What was begun runs on, as others may wait for it. */
export function unlessAborted<Result>(
  begun: Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  begun.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  return promise;
}

/** A signal that follows others until it is disposed of. */
export interface LinkedSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Follows several signals for as long as one piece of work takes: aborted with the reason of the first
 * of them that is. Once disposed of, it is never aborted by them any more.
 *
 * In place of `AbortSignal.any` wherever a source outlives the work, e.g. the signal of the whole
 * process: as long as somebody listens to such a composed signal, the runtime keeps it, with all that
 * its listeners hold, until its source is aborted (1 kB each on Node 24.21, measured with 40,000).
 */
export function linkSignals(...sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
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
