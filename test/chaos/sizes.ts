import type { ChaosOptions } from './chaos.ts';

type Size = Omit<ChaosOptions, 'seed' | 'tell' | 'onTrouble'>;

/** What `npm run chaos` does. */
export const fullChaos: Size = {
  turns: 500,
  threads: 40,
  workers: 3,
  pausesMs: [1000, 20_000],
  kills: 100,
  redisRestarts: 5,
  spoiled: 0.05,
  patienceMs: 180_000,
};

/** What the tests do. */
export const smallChaos: Size = {
  ...fullChaos,
  turns: 40,
  threads: 8,
  pausesMs: [0, 2000],
  kills: 8,
  redisRestarts: 1,
  patienceMs: 60_000,
};
