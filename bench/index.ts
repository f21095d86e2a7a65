/** `npm run bench [-- NAME [FILE]]`: prints the tables of each bench, or of the one that is named. */

import { benchBallots } from './ballots.ts';
import { benchChannels } from './channels.ts';
import { benchContext } from './context.ts';
import { benchDeliberation } from './deliberation.ts';
import { benchDiscord } from './discord.ts';
import { benchHostile } from './hostile.ts';
import { benchManners } from './manners.ts';
import { benchQueue } from './queue.ts';
import { benchRecall } from './recall.ts';
import { benchRedis } from './redis.ts';
import { benchScrub } from './scrub.ts';
import { benchSlack } from './slack.ts';
import { benchSoak } from './soak.ts';
import { benchStore } from './store.ts';
import { benchSummaries } from './summaries.ts';
import { benchTurns } from './turns.ts';
import { benchWeb } from './web.ts';

const benches: Readonly<Record<string, (file?: string) => Promise<void> | void>> = {
  turns: benchTurns,
  store: benchStore,
  scrub: benchScrub,
  redis: benchRedis,
  queue: benchQueue,
  ballots: benchBallots,
  discord: benchDiscord,
  recall: benchRecall,
  slack: benchSlack,
  context: benchContext,
  hostile: benchHostile,
  soak: benchSoak,
  channels: benchChannels,
  manners: benchManners,
  deliberation: benchDeliberation,
  web: benchWeb,
  summaries: benchSummaries,
};

const [, , wanted, file] = process.argv;
if (wanted !== undefined && !(wanted in benches)) {
  process.stderr.write(
    `There is no bench “${wanted}”. There are: ${Object.keys(benches).join(', ')}.\n`,
  );
  process.exit(2);
}
for (const [name, run] of Object.entries(benches)) {
  if (wanted === undefined || wanted === name) await run(file);
}
