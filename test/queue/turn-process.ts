/**
 * A process that runs turns, to be killed or halted: `node turn-process.ts <redis url>`. It writes what
 * it does to the list `told`, as `<begun|ended> <turn> <pid>`, and ends a turn when the key
 * `end:<turn>` is there.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { silentLog } from '../../src/domain/log.ts';
import { openShared } from '../../src/queue/bullmq.ts';
import { running } from '../contracts/queue-runner.ts';

const [url = ''] = process.argv.slice(2);
const client = createClient({ url });
await client.connect();
const tell = (what: string, turnId: string) =>
  client.rPush('told', `${what} ${turnId} ${process.pid}`);
const { queue } = await openShared({
  url,
  name: 'the test server',
  concurrency: 4,
  unfinished: async () => [],
  log: silentLog,
});
await queue.start(
  running(async ({ turnId }) => {
    await tell('begun', turnId);
    while (!(await client.exists(`end:${turnId}`))) await wait(20);
    await tell('ended', turnId);
    return 'ended';
  }),
);
process.stdout.write('ready\n');
