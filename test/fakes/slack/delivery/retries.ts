/** When Slack tries again: almost at once, after a minute, after five. */
export const slacksRetryDelaysMs = [1_000, 60_000, 300_000] as const;

/** Runs things later, all of which can be forgotten at once. */
export interface Retries {
  /** Runs it after the delay for this number of tries; nothing when there have been enough. */
  schedule(tries: number, run: () => void): void;
  cancelAll(): void;
}

export function createRetries(delaysMs: readonly number[]): Retries {
  const timers = new Set<NodeJS.Timeout>();
  return {
    schedule: (tries, run) => {
      const delayMs = delaysMs[tries - 1];
      if (delayMs === undefined) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        run();
      }, delayMs);
      timers.add(timer);
    },
    cancelAll: () => {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
