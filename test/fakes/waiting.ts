/** How long a test waits for the bot before it is told what the bot did instead. */
const usualPatienceMs = 25_000;

/** What is waited by. */
export interface Waiting {
  /** Calls back whenever something may have changed; the returned function ends it. */
  readonly onChange: (look: () => void) => () => void;
  /** What the bot did last, one line each, to be told where something never comes to hold. */
  readonly last: () => readonly string[];
}

/** As many of the last doings as help to find out why. */
const mostTold = 8;

/**
 * Waits until something holds, looking again whenever something may have changed.
 *
 * @throws Error after 25 s, naming what the bot did last.
 */
export function waiting({ onChange, last }: Waiting) {
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
      const stopListening = onChange(look);
      const timer = setTimeout(() => {
        stop();
        const told = last().slice(-mostTold).join('\n');
        reject(new Error(`Still not: ${what}. Last requests:\n${told}`));
      }, patienceMs);
      const stop = () => {
        clearTimeout(timer);
        stopListening();
      };
      look();
    });
  };
}
