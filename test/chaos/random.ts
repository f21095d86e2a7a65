/** Randomness that a number repeats. */
export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** From `least` up to `most`. */
  between(least: number, most: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** @param seed - The same one makes the same draws (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (least, most) => least + next() * (most - least),
    pick: (choices) => {
      const choice = choices[Math.floor(next() * choices.length)];
      if (choice === undefined) throw new RangeError('There is nothing to pick from.');
      return choice;
    },
  };
}
