import type { Journal } from '../api/journal.ts';

/** How long a test waits for the app before it is told what the app did instead. */
const usualPatienceMs = 15_000;

/**
 * Waits until something holds, looking again after each call of the app.
 *
 * @throws Error after 15 s, naming the last calls and their answers.
 */
export function waiting(journal: Journal) {
  return function until(
    holds: () => boolean,
    what = 'what the test waits for',
    patienceMs = usualPatienceMs,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!holds()) return;
        stop();
        resolve();
      };
      const stopListening = journal.onCall(look);
      const timer = setTimeout(() => {
        stop();
        const last = journal.calls
          .slice(-8)
          .map(({ method, answer }) => `${method} -> ${JSON.stringify(answer)?.slice(0, 160)}`);
        reject(new Error(`Still not: ${what}. Last calls:\n${last.join('\n')}`));
      }, patienceMs);
      const stop = () => {
        clearTimeout(timer);
        stopListening();
      };
      look();
    });
  };
}
