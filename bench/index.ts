/** `npm run bench [-- NAME]`: prints one table for each bench, or for the one that is named. */

import { benchBallots } from './ballots.ts';
import { benchQueue } from './queue.ts';
import { benchRedis } from './redis.ts';
import { benchStore } from './store.ts';
import { benchTurns } from './turns.ts';

const benches: Readonly<Record<string, () => Promise<void> | void>> = {
  turns: benchTurns,
  store: benchStore,
  redis: benchRedis,
  queue: benchQueue,
  ballots: benchBallots,
};

const wanted = process.argv[2];
if (wanted !== undefined && !(wanted in benches)) {
  process.stderr.write(
    `There is no bench “${wanted}”. There are: ${Object.keys(benches).join(', ')}.\n`,
  );
  process.exit(2);
}
for (const [name, run] of Object.entries(benches)) {
  if (wanted === undefined || wanted === name) await run();
}
