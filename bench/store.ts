/**
 * What the store's verbs take with 10 thousand and with 1 million messages in it. Both stores
 * are filled first; then every round works on both, the one that goes first changing with each round, so
 * that a slow moment of the machine falls on both alike.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../src/store/sqlite.ts';
import type { NewTurn, Store } from '../src/store/store.ts';
import { finishedAnswer, newTurn, threadCount, threadName, writeHistory } from './store-history.ts';
import { printTable, quantile } from './table.ts';

const sizes = [10_000, 1_000_000] as const;
const warmUpRounds = 500;
const rounds = 4000;
/** Not a divisor of any number of threads: the rounds come by threads of every age. */
const stride = 7919;
/** In the order of a turn. */
export const verbs = [
  'take a turn',
  'read a context',
  'finish a checkpoint',
  'end a turn',
] as const;
export type Verb = (typeof verbs)[number];

interface Subject extends Worked {
  /** Microseconds of each call. */
  readonly durations: Record<Verb, number[]>;
}

/** A store that is filled and worked on. */
export interface OpenedStore {
  readonly store: Store;
  /** Told once it is filled, e.g. to look at its size. */
  filled?(messageCount: number): Promise<void>;
}

/** A store of some size that turns are worked on in. */
export interface Worked {
  readonly messageCount: number;
  readonly store: Store;
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
 * @param further - What else is done with the stores before they are closed, the smaller one first.
 */
export async function compareSizes(
  title: string,
  open: (messageCount: number) => Promise<OpenedStore>,
  further?: (stores: readonly Worked[]) => Promise<void>,
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
    await further?.(subjects);
  } finally {
    for (const { store } of subjects) await store.close();
  }
}

/** A turn in a thread, as far as the store sees it: context, take, one answer, end. */
async function workOnce(subject: Subject, round: number): Promise<void> {
  const { store, durations } = subject;
  const work = turnOfRound(subject, `round-${round}`, round);
  const time = async (verb: Verb, work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    durations[verb].push((performance.now() - start) * 1000);
  };
  await store.turns.begin(work.turn);
  for (const verb of verbs) await time(verb, work[verb]);
}

/** A turn that is to be begun, and then the verbs that it calls, in their order. */
export function turnOfRound({ messageCount, store }: Worked, turnId: string, round: number) {
  const pairs = threadCount(messageCount) / 2;
  // What is written goes to the odd threads: the contexts read, of the even ones, stay as long.
  const read = threadName(2 * ((round * stride) % pairs));
  const written = threadName(2 * ((round * stride) % pairs) + 1);
  const turn = newTurn(turnId, written, Date.now());
  const end = { outcome: 'answered', endedAt: Date.now() };
  return {
    turn,
    'take a turn': () => store.turns.take(turn),
    'read a context': () => store.messages.recent(read, { limit: 3 }),
    'finish a checkpoint': () => store.turns.checkpoint(finishedAnswer(turn)),
    'end a turn': () => store.turns.checkpoint({ ...turn, attempt: 1, end }),
  } satisfies Record<Verb, () => Promise<unknown>> & { readonly turn: NewTurn };
}

/** For each verb a list to be filled. */
export function emptyDurations(): Record<Verb, number[]> {
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
