/**
 * Whole turns (one moderator, four sages, four reviews, the chair twice; every call 200 ms away) by the
 * council with its store, beside the same eleven calls by the bare openai SDK. Each measurement is a
 * process of its own; the two take turns, so that a slow machine slows both alike.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { printTable, quantile } from './table.ts';

/** One after another: moderator, sages, reviews, chair. */
const criticalPathMs = 4 * 200;

const figuresSchema = z.object({
  walls: z.array(z.number()),
  elapsedMs: z.number(),
  cpuMsPerTurn: z.number(),
  peakMemoryMb: z.number(),
});
type Figures = z.infer<typeof figuresSchema>;

/** How often each is measured, and how much in one measurement. */
const plans = [
  { atOnce: 1, rounds: 20, warmUpRounds: 10, repeats: 3 },
  { atOnce: 50, rounds: 4, warmUpRounds: 3, repeats: 3 },
  { atOnce: 200, rounds: 2, warmUpRounds: 2, repeats: 3 },
] as const;

export async function benchTurns(): Promise<void> {
  const server = fork(pathOf('./model-server.ts'));
  const [baseUrl] = await once(server, 'message');
  const rows: string[][] = [];
  for (const { repeats, ...plan } of plans) {
    const council: Figures[] = [];
    const bare: Figures[] = [];
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      bare.push(await measure({ ...plan, arm: 'bare', baseUrl }));
      council.push(await measure({ ...plan, arm: 'council', baseUrl }));
    }
    const ratio = (figure: (figures: Figures) => number) =>
      quantile(
        council.map((figures, repeat) => figure(figures) / figure(bare[repeat] ?? figures)),
        0.5,
      );
    const p50 = ({ walls }: Figures) => quantile(walls, 0.5);
    rows.push(
      rowOf(plan.atOnce, 'bare SDK', bare, ['', '']),
      rowOf(plan.atOnce, 'council', council, [
        ratio(p50).toFixed(3),
        ratio((figures) => figures.cpuMsPerTurn).toFixed(2),
      ]),
    );
  }
  server.disconnect();
  printTable(
    'Turns: 11 calls of 200 ms each, critical path 800 ms',
    [
      'at once',
      'by',
      'p50 ms',
      'p99 ms',
      'p50 / path',
      'CPU ms a turn',
      'turns/s',
      'peak MB',
      'p50 ratio',
      'CPU ratio',
    ],
    rows,
  );
}

function rowOf(
  atOnce: number,
  name: string,
  runs: readonly Figures[],
  ratios: readonly string[],
): string[] {
  const walls = runs.flatMap((run) => run.walls);
  const middle = (figure: (run: Figures) => number) => quantile(runs.map(figure), 0.5);
  return [
    `${atOnce}`,
    name,
    quantile(walls, 0.5).toFixed(0),
    quantile(walls, 0.99).toFixed(0),
    (quantile(walls, 0.5) / criticalPathMs).toFixed(3),
    middle((run) => run.cpuMsPerTurn).toFixed(1),
    middle((run) => (run.walls.length / run.elapsedMs) * 1000).toFixed(1),
    middle((run) => run.peakMemoryMb).toFixed(0),
    ...ratios,
  ];
}

async function measure(task: object): Promise<Figures> {
  const worker = fork(pathOf('./turns-worker.ts'), [JSON.stringify(task)]);
  const { promise, resolve, reject } = Promise.withResolvers<Figures>();
  worker.once('message', (figures) => resolve(figuresSchema.parse(figures)));
  worker.once('exit', (code) =>
    reject(new Error(`The measurement ended with code ${code} and no figures.`)),
  );
  return promise;
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
