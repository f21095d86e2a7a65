import type { Journal } from '../api/journal.ts';
import type { Pulse } from '../world/pulse.ts';

/** How long a test waits for the app before it is told what the app did instead. */
const usualPatienceMs = 15_000;

/**
 * Waits until something holds, looking again whenever the app did something.
 *
 * @throws Error after 15 s, naming the last calls and their answers.
 */
export function waiting(journal: Journal, pulse: Pulse) {
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
      const stopListening = pulse.onBeat(look);
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
