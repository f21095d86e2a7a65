/**
 * What it takes to make the context of a turn, with 10 thousand and with 1 million messages in the
 * store, and 2,000 of them in the scope: as many as are remembered. Both stores are filled first, and then
 * worked on by turns, as in `store.ts`.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ContextOptions, recallContext } from '../src/memory/recall/context.ts';
import { Recollection } from '../src/memory/recall/recollection.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import type { Store } from '../src/store/store.ts';
import { finishedAnswer, newTurn, threadCount, threadName, writeHistory } from './store-history.ts';
import { printTable, quantile } from './table.ts';

const sizes = [10_000, 1_000_000] as const;
const warmUpRounds = 50;
const rounds = 400;
const roundsPerReport = 50;
/** Not a divisor of any number of threads. */
const stride = 7919;
const questions = [
  'What did we say about the career of Ada, and what is in her hands?',
  'Should we attend to what we control, or look for another path?',
  'Which answer did Marcus Aurelius give to the first question?',
];

interface Subject {
  readonly messageCount: number;
  readonly store: Store;
  readonly recollection: Recollection;
  /** Of the first context of a process, in milliseconds. */
  first: number;
  /** Of each context after it, in milliseconds: by the clock, and of CPU. */
  readonly durations: number[];
  readonly cpu: number[];
}

export async function benchContext(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'council-bench-'));
  const subjects: Subject[] = [];
  try {
    for (const messageCount of sizes) {
      tell(`Writing ${messageCount.toLocaleString('en')} messages.`);
      const store = openSqliteStore({ path: join(folder, `${messageCount}.db`) });
      await writeHistory(store, messageCount);
      const recollection = new Recollection({
        store: store.memories,
        onTrouble: (error) => {
          throw error;
        },
      });
      const subject = { messageCount, store, recollection, first: 0, durations: [], cpu: [] };
      subjects.push(subject);
    }
    for (let round = 0; round < warmUpRounds + rounds; round += 1) {
      if (round % roundsPerReport === 0) tell(`Round ${round} of ${warmUpRounds + rounds}.`);
      const order = round % 2 === 0 ? subjects : subjects.toReversed();
      for (const subject of order) await workOnce(subject, round);
    }
    print(subjects);
  } finally {
    for (const { store } of subjects) await store.close();
    await rm(folder, { recursive: true });
  }
}

/** What it is at, beside the table. */
function tell(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

/** A turn ends in some thread of the channel; another thread's context is made. */
async function workOnce(subject: Subject, round: number): Promise<void> {
  const { messageCount, store } = subject;
  const threads = threadCount(messageCount);
  const turn = newTurn(`round-${round}`, threadName((round * stride + 1) % threads), Date.now());
  await store.turns.begin(turn);
  await store.turns.take(turn);
  await store.turns.checkpoint(finishedAnswer(turn));
  const options: ContextOptions = {
    threadId: threadName((round * stride) % threads),
    turnId: 'now',
    question: questions[round % questions.length] ?? '',
    interactions: 3,
    chairTurns: 3,
    memories: 10,
    budgetTokens: 4000,
    history: 'summaries',
    situation: { at: Date.now(), timeZone: 'UTC' },
    reach: 'channel',
    isOpenOutside: false,
    language: 'auto',
    compact: async () => '',
    onTrouble: (error) => {
      throw error;
    },
  };
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  await recallContext({ messages: store.messages, recollection: subject.recollection }, options);
  const { user, system } = process.cpuUsage(cpuBefore);
  const duration = performance.now() - startedAt;
  if (round === 0) subject.first = duration;
  if (round < warmUpRounds) return;
  subject.durations.push(duration);
  subject.cpu.push((user + system) / 1000);
}

function print(subjects: readonly Subject[]): void {
  const rows: readonly (readonly [string, (subject: Subject) => number])[] = [
    ['context, p50', ({ durations }) => quantile(durations, 0.5)],
    ['context, p95', ({ durations }) => quantile(durations, 0.95)],
    ['CPU of a context, p50', ({ cpu }) => quantile(cpu, 0.5)],
    ['first context of a process', ({ first }) => first],
  ];
  printTable(
    `A context with 2,000 messages in scope, of 10 thousand and of 1 million, milliseconds over ${rounds} rounds`,
    ['', '10k', '1M', 'ratio'],
    rows.map(([name, figureOf]) => {
      const [small = Number.NaN, large = Number.NaN] = subjects.map(figureOf);
      return [name, small.toFixed(2), large.toFixed(2), (large / small).toFixed(2)];
    }),
  );
}
