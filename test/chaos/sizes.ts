import type { ChaosSize } from './chaos.ts';

/** A batch of `npm run chaos`. */
export const fullChaos: ChaosSize = {
  threads: 24,
  workers: 4,
  kills: 100,
  halts: 20,
  redisRestarts: 2,
  spoiled: 0.05,
  betweenKillsMs: [200, 2200],
  // Another process takes a turn after 4 to 5 s.
  shortHaltMs: [1000, 4000],
  longHaltMs: [4000, 15_000],
  patienceMs: 120_000,
  quietMs: 5000,
  deadlineMs: 900_000,
};

/** What the tests do. */
export const smallChaos: ChaosSize = {
  ...fullChaos,
  threads: 8,
  workers: 3,
  kills: 10,
  halts: 3,
  redisRestarts: 1,
  spoiled: 0.2,
  longHaltMs: [4000, 8000],
  quietMs: 3000,
  deadlineMs: 400_000,
};
