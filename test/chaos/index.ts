/** `npm run chaos`: the whole of it. `node test/chaos/index.ts [--seed N] [--small] [--log]`. */

import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type ChaosOptions, runChaos } from './chaos.ts';
import { fullChaos, smallChaos } from './sizes.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    small: { type: 'boolean', default: false },
    log: { type: 'boolean', default: false },
  },
});
const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
const options: ChaosOptions = {
  ...(values.small ? smallChaos : fullChaos),
  seed,
  tell: (line) => process.stdout.write(`${line}\n`),
  onTrouble: (line) => {
    if (values.log) process.stdout.write(`${JSON.stringify(line)}\n`);
  },
};
process.stdout.write(`Seed ${seed}; repeat the draws with --seed ${seed}.\n`);
// So that what it has started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const report = await runChaos(options);
const { faults, takeOvers, askedAgain, paidAgain, calls, seconds } = report;
process.stdout.write(
  [
    `${options.turns} turns in ${options.threads} threads, ${seconds.toFixed(0)} s`,
    `load of the machine: ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`,
    `Redis ran and did not answer for ${(report.haltedMs / 1000).toFixed(0)} s in all`,
    `taken over by another process: ${waitsText(false)}`,
    `taken over while Redis was away: ${waitsText(true)}`,
    `model calls ${calls}, of which paid twice ${paidAgain}`,
    `asked again because the gateway was killed before it had taken the question: ${askedAgain}`,
    faults.length === 0 ? 'Nothing was lost, said twice or out of order.' : faults.join('\n'),
    '',
  ].join('\n'),
);
process.exitCode = faults.length === 0 ? 0 : 1;

function waitsText(aroundRestarts: boolean): string {
  const waitsMs = takeOvers
    .filter(({ wasRedisAway }) => wasRedisAway === aroundRestarts)
    .map(({ waitMs }) => waitMs);
  if (waitsMs.length === 0) return 'none';
  const at = (share: number) => {
    const ms = waitsMs[Math.floor(share * (waitsMs.length - 1))] ?? 0;
    return `${(ms / 1000).toFixed(1)} s`;
  };
  return `${waitsMs.length}, median ${at(0.5)}, 95 % within ${at(0.95)}, at most ${at(1)}`;
}
