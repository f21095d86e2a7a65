/** Ends of a call that the council itself decides: its time is up, the others were enough, somebody pressed stop. */

/** Why a call was ended from our side. The message is for people. */
export class Cutoff extends Error {
  override readonly name = 'Cutoff';
  readonly reason: 'timed_out' | 'late' | 'stopped';
  constructor(reason: Cutoff['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The reason to abort a turn's signal with when somebody stops it; any other reason leaves the turn unfinished. */
export function stopRequested(): Cutoff {
  return new Cutoff('stopped', 'Stopped on request.');
}

/** A signal that follows `parent` and is aborted with a {@link Cutoff} once the time is up. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Ends the call before its time, e.g. because the grace period is over. */
  cut(cutoff: Cutoff): void;
  /** Lets go of the timer and of `parent`. Call it when the call has ended. */
  clear(): void;
}

/**
 * Gives one call its time.
 *
 * @param timeoutMs - Counted from now.
 * @param who - Named in the message, e.g. `Nassim Taleb`.
 */
export function startDeadline(parent: AbortSignal, timeoutMs: number, who: string): Deadline {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(() => {
    const seconds = Math.round(timeoutMs / 1000);
    controller.abort(new Cutoff('timed_out', `${who} did not answer within ${seconds} s.`));
  }, timeoutMs);
  return {
    signal: controller.signal,
    cut: (cutoff) => controller.abort(cutoff),
    clear: () => {
      clearTimeout(timer);
      parent.removeEventListener('abort', follow);
    },
  };
}
