/**
 * A fleet on one Redis server: turns a second with 1, 2 and 4 workers, from the event to the first
 * model call, and what a turn costs the server. Four sages with reviews.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type RedisServer, startRedisServer } from '../test/fakes/redis-server.ts';
import type { askSchema, taskSchema } from './queue-process.ts';
import { printTable, quantile } from './table.ts';

/** How many threads a worker serves at once. */
const concurrency = 16;
/** What is asked: with models that answer at once, the cores are the bound; with slower ones, the workers. */
const loads = [
  { turns: 400, threads: 40, modelMs: 0 },
  { turns: 256, threads: 256, modelMs: 500 },
];
const latencyRounds = 100;

const saidSchema = z.object({
  calledAt: z.number().exactOptional(),
  ended: z.string().exactOptional(),
});

export async function benchQueue(): Promise<void> {
  for (const load of loads) {
    const rows: string[][] = [];
    for (const workers of [1, 2, 4]) rows.push(await throughput(workers, load));
    printTable(
      `Queue: ${load.turns} turns at once in ${load.threads} threads, model calls of ${load.modelMs} ms, ${concurrency} threads a worker`,
      ['workers', 'turns a second', 'round trips per turn', 'MB per 1,000 turns'],
      rows,
    );
  }
  const { waits, reads } = await latencies();
  const waited = [0.5, 0.95, 1].map((share) => quantile(waits, share).toFixed(1));
  printTable(
    'Queue: one turn at a time, and from its event to its first model call',
    ['median ms', '95 % ms', 'most ms', 'round trips per turn'],
    [[...waited, reads.toFixed(1)]],
  );
}

async function throughput(
  workerCount: number,
  { turns, threads, modelMs }: (typeof loads)[number],
): Promise<string[]> {
  await using fleet = await openFleet(workerCount, modelMs);
  await fleet.run({ turns: 50, threads });
  const before = await figuresOf(fleet.server);
  const startedAt = performance.now();
  await fleet.run({ turns, threads });
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await figuresOf(fleet.server);
  return [
    String(workerCount),
    (turns / seconds).toFixed(1),
    ((after.reads - before.reads) / turns).toFixed(1),
    (((after.bytes - before.bytes) / turns) * 1e-3).toFixed(1),
  ];
}

async function latencies(): Promise<{ readonly waits: readonly number[]; readonly reads: number }> {
  await using fleet = await openFleet(1, 0);
  await fleet.run({ turns: 20, threads: 1 });
  const waits: number[] = [];
  const before = await figuresOf(fleet.server);
  for (let round = 0; round < latencyRounds; round += 1) {
    const askedAt = Date.now();
    const [calledAt = Number.NaN] = await fleet.run({ turns: 1, threads: 1 });
    waits.push(calledAt - askedAt);
  }
  const after = await figuresOf(fleet.server);
  return { waits, reads: (after.reads - before.reads) / latencyRounds };
}

async function openFleet(workerCount: number, modelMs: number) {
  const server = await startRedisServer({
    settings: { appendonly: 'yes', 'maxmemory-policy': 'noeviction' },
  });
  const start = async (role: 'gateway' | 'worker') => {
    const task: z.infer<typeof taskSchema> = { url: server.url, role, concurrency, modelMs };
    const program = fileURLToPath(new URL('queue-process.ts', import.meta.url));
    const child = fork(program, [JSON.stringify(task)]);
    await once(child, 'message');
    return child;
  };
  const gateway = await start('gateway');
  const workers = await Promise.all(Array.from({ length: workerCount }, () => start('worker')));
  return {
    server,
    /** Asks, waits until all have ended, and gives when each called a model first. */
    run: (asked: z.infer<typeof askSchema>) => run(gateway, workers, asked),
    [Symbol.asyncDispose]: async () => {
      for (const child of [gateway, ...workers]) {
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
      }
      await server.remove();
    },
  };
}

async function run(
  gateway: ChildProcess,
  workers: readonly ChildProcess[],
  asked: z.infer<typeof askSchema>,
): Promise<readonly number[]> {
  const called: number[] = [];
  let ended = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const hear = (message: unknown) => {
    const { calledAt, ended: outcome } = saidSchema.parse(message);
    if (calledAt !== undefined) called.push(calledAt);
    if (outcome === undefined) return;
    if (outcome !== 'answered') reject(new Error(`A turn ended as ${outcome}.`));
    ended += 1;
    if (ended === asked.turns) resolve();
  };
  for (const worker of workers) worker.on('message', hear);
  gateway.send(asked);
  await promise;
  for (const worker of workers) worker.off('message', hear);
  return called;
}

async function figuresOf(server: RedisServer) {
  const [stats, memory] = await Promise.all(
    ['stats', 'memory'].map(async (section) =>
      z.string().parse(await server.command('INFO', section)),
    ),
  );
  return {
    reads: Number(/total_reads_processed:(\d+)/.exec(stats ?? '')?.[1]),
    bytes: Number(/used_memory:(\d+)/.exec(memory ?? '')?.[1]),
  };
}
