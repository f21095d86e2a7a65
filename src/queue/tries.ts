/** How often a turn is run that throws, until it is put aside for the operator. Some three minutes with the pauses. */
export const usualTries = 10;

/** The pause before a further try, in milliseconds: 1 s, then twice as long each time, at most 30 s. */
export function pauseAfter(tries: number): number {
  return Math.min(30_000, 1000 * 2 ** (tries - 1));
}
