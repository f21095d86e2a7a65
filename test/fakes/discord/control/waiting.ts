import type { Journal } from '../rest/journal.ts';

/** How long a test waits for the bot before it is told what the bot did instead. */
const usualPatienceMs = 15_000;

/**
 * Waits until something holds, looking again after each REST request of the bot.
 *
 * @throws Error after 15 s, naming the last requests and their answers.
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
          .map(({ route, status }) => `${route} -> ${status ?? 'no answer'}`);
        reject(new Error(`Still not: ${what}. Last requests:\n${last.join('\n')}`));
      }, patienceMs);
      const stop = () => {
        clearTimeout(timer);
        stopListening();
      };
      look();
    });
  };
}
