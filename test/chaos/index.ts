/**
 * `npm run chaos`: batches of it, each with a seed of its own, and a table with a line for each.
 * `node test/chaos/index.ts [--batches N] [--seed N] [--kills N] [--halts N] [--redis-restarts N]
 * [--spoiled SHARE] [--threads N] [--workers N] [--small]`
 */

import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChaos } from './chaos.ts';
import { type Figures, figuresOf, stages, waitsText } from './figures.ts';
import { faultsIn } from './judge.ts';
import { fullChaos, smallChaos } from './sizes.ts';

const number = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    batches: number,
    seed: number,
    kills: number,
    halts: number,
    'redis-restarts': number,
    spoiled: number,
    threads: number,
    workers: number,
    small: { type: 'boolean', default: false },
  },
});
const given = (name: Exclude<keyof typeof values, 'small'>, otherwise: number) => {
  const value = Number(values[name] ?? otherwise);
  if (Number.isNaN(value)) throw new RangeError(`--${name} takes a number.`);
  return value;
};
const usual = values.small ? smallChaos : fullChaos;
const size = {
  ...usual,
  kills: given('kills', usual.kills),
  halts: given('halts', usual.halts),
  redisRestarts: given('redis-restarts', usual.redisRestarts),
  spoiled: given('spoiled', usual.spoiled),
  threads: given('threads', usual.threads),
  workers: given('workers', usual.workers),
};
const firstSeed = given('seed', Date.now() % 1_000_000);
const say = (line: string) => process.stdout.write(`${line}\n`);

// So that what it has started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const table: string[] = [];
let faulty = 0;
for (let batch = 0; batch < given('batches', 1); batch += 1) {
  if (!(await isWell(firstSeed + batch))) faulty += 1;
}
say(
  [
    '',
    '| seed | s | load | questions | kills (gateway) | in | halts (gateway) | Redis | posts spoiled | taken over: median, 95 %, most in s (of) | after Redis | excused: down, killed over, Redis | calls, paid twice, left at a wake | verdict |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...table,
    '',
    faulty === 0
      ? 'Nothing was lost, twice, out of order or paid again.'
      : `${faulty} of ${table.length} batches have faults.`,
  ].join('\n'),
);
process.exitCode = faulty === 0 ? 0 : 1;

/** Runs a batch, and puts it into the table. */
async function isWell(seed: number): Promise<boolean> {
  say(`Seed ${seed}: ${size.kills} kills, ${size.halts} halts.`);
  try {
    const record = await runChaos({ ...size, seed, tell: say });
    const faults = faultsIn(record);
    table.push(rowOf(seed, figuresOf(record), faults.length));
    say(table.at(-1) ?? '');
    if (faults.length === 0) return true;
    for (const { kind, text } of faults) say(`  ${kind}: ${text}`);
    const file = join(tmpdir(), `council-chaos-${seed}.json`);
    writeFileSync(file, JSON.stringify(record));
    say(`  All that was seen is in ${file}.`);
  } catch (error) {
    table.push(`| ${seed} | it could not be run: ${error} |`);
    say(table.at(-1) ?? '');
  }
  return false;
}

function rowOf(seed: number, figures: Figures, faults: number): string {
  const { kills, halts, killedIn, excused } = figures;
  const cells = [
    seed,
    figures.seconds.toFixed(0),
    `${loadavg()[0]?.toFixed(1)} on ${availableParallelism()}`,
    figures.questions,
    `${kills.workers + kills.gateways} (${kills.gateways})`,
    stages.map((stage) => `${stage} ${killedIn[stage]}`).join(', '),
    `${halts.workers + halts.gateways} (${halts.gateways})`,
    `${figures.restarts}, silent ${(figures.silentMs / 1000).toFixed(0)} s`,
    figures.spoiled,
    waitsText(figures.waitsMs),
    waitsText(figures.waitsAfterRedisMs),
    `${excused['gateway down']}, ${excused['killed over it']}, ${excused['Redis away']}`,
    `${figures.calls}, ${figures.paidTwice}, ${figures.callsAtWake}`,
    faults === 0 ? 'well' : `${faults} faults`,
  ];
  return `| ${cells.join(' | ')} |`;
}
