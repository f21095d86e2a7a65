/** `npm run chaos`: the whole of it. `node test/chaos/index.ts [--seed N] [--small] [--log]`. */

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
const { faults, askedAgain, takeOversMs, paidAgain, calls, seconds } = await runChaos(options);
const at = (share: number) => takeOversMs[Math.floor(share * (takeOversMs.length - 1))] ?? 0;
const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
process.stdout.write(
  [
    `${options.turns} turns in ${options.threads} threads, ${seconds.toFixed(0)} s`,
    `taken over ${takeOversMs.length} times; median ${inSeconds(at(0.5))}, 95 % within ${inSeconds(at(0.95))}, at most ${inSeconds(at(1))}`,
    `model calls ${calls}, of which paid twice ${paidAgain}`,
    `asked again because the gateway was killed before it had taken the question: ${askedAgain}`,
    faults.length === 0 ? 'Nothing was lost, said twice or out of order.' : faults.join('\n'),
    '',
  ].join('\n'),
);
process.exitCode = faults.length === 0 ? 0 : 1;
