/**
 * What the store's verbs take with 10 thousand and with 1 million messages in it. Both stores
 * are filled first; then every round works on both, the one that goes first changing with each round, so
 * that a slow moment of the machine falls on both alike.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../src/store/sqlite.ts';
import type { Store } from '../src/store/store.ts';
import { finishedAnswer, newTurn, threadCount, threadName, writeHistory } from './store-history.ts';
import { printTable, quantile } from './table.ts';

const sizes = [10_000, 1_000_000] as const;
const warmUpRounds = 500;
const rounds = 4000;
/** Not a divisor of any number of threads: the rounds come by threads of every age. */
const stride = 7919;
const verbs = ['read a context', 'take a turn', 'finish a checkpoint', 'end a turn'] as const;
type Verb = (typeof verbs)[number];

interface Subject {
  readonly messageCount: number;
  readonly store: Store;
  /** Microseconds of each call. */
  readonly durations: Record<Verb, number[]>;
}

/** A store that is filled and worked on. */
export interface OpenedStore {
  readonly store: Store;
  /** Told once it is filled, e.g. to look at its size. */
  filled?(messageCount: number): Promise<void>;
}

/** SQLite, in files of its own. */
export async function benchStore(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'council-bench-'));
  try {
    await compareSizes('The store in SQLite', async (messageCount) => ({
      store: openSqliteStore({ path: join(folder, `${messageCount}.db`) }),
    }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Fills a store of each size, works on them and prints what each verb took.
 *
 * @param open - Opens an empty store; it is closed here.
 */
export async function compareSizes(
  title: string,
  open: (messageCount: number) => Promise<OpenedStore>,
): Promise<void> {
  const subjects: Subject[] = [];
  try {
    for (const messageCount of sizes) {
      const { store, filled } = await open(messageCount);
      subjects.push({ messageCount, store, durations: emptyDurations() });
      await writeHistory(store, messageCount);
      await filled?.(messageCount);
    }
    for (let round = 0; round < warmUpRounds + rounds; round += 1) {
      if (round === warmUpRounds) forgetDurations(subjects);
      const order = round % 2 === 0 ? subjects : subjects.toReversed();
      for (const subject of order) await workOnce(subject, round);
    }
    print(title, subjects);
  } finally {
    for (const { store } of subjects) await store.close();
  }
}

/** A turn in a thread, as far as the store sees it: context, take, one answer, end. */
async function workOnce({ messageCount, store, durations }: Subject, round: number): Promise<void> {
  const pairs = threadCount(messageCount) / 2;
  // What is written goes to the odd threads: the contexts read, of the even ones, stay as long.
  const read = threadName(2 * ((round * stride) % pairs));
  const written = threadName(2 * ((round * stride) % pairs) + 1);
  const turn = newTurn(`round-${round}`, written, Date.now());
  const time = async (verb: Verb, work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    durations[verb].push((performance.now() - start) * 1000);
  };
  await store.turns.begin(turn);
  await time('take a turn', () => store.turns.take(turn));
  await time('read a context', () => store.messages.recent(read, { limit: 3 }));
  await time('finish a checkpoint', () => store.turns.checkpoint(finishedAnswer(turn)));
  const end = { outcome: 'answered', endedAt: Date.now() };
  await time('end a turn', () => store.turns.checkpoint({ ...turn, attempt: 1, end }));
}

function emptyDurations(): Record<Verb, number[]> {
  return {
    'read a context': [],
    'take a turn': [],
    'finish a checkpoint': [],
    'end a turn': [],
  };
}

function forgetDurations(subjects: readonly Subject[]): void {
  for (const { durations } of subjects) for (const verb of verbs) durations[verb].length = 0;
}

function print(title: string, subjects: readonly Subject[]): void {
  const figures = (verb: Verb, share: number) =>
    subjects.map(({ durations }) => quantile(durations[verb], share));
  const cells = ([small = Number.NaN, large = Number.NaN]: readonly number[]) => [
    small.toFixed(0),
    large.toFixed(0),
    (large / small).toFixed(2),
  ];
  printTable(
    `${title} with 10 thousand and 1 million messages, microseconds over ${rounds} rounds`,
    ['verb', 'p50 10k', 'p50 1M', 'ratio', 'p99 10k', 'p99 1M', 'ratio'],
    verbs.map((verb) => [verb, ...cells(figures(verb, 0.5)), ...cells(figures(verb, 0.99))]),
  );
}
