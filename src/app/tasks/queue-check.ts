/** What `doctor` looks at in what processes share. */

import { silentLog } from '../../domain/log.ts';
import type { Config } from '../../settings/load.ts';
import { aloneBecause, share } from '../coordination.ts';
import type { Check } from '../operator/doctor.ts';
import { carriesQueue, chooseStore } from '../store.ts';

export function queueCheck(config: Config): Check {
  return { name: 'queue', run: () => look(config) };
}

async function look(config: Config): Promise<string> {
  const choice = chooseStore(config);
  if (!carriesQueue(choice)) return `in this process alone: ${aloneBecause(choice)}`;
  // All that a bot would share, so that a right that is missing shows now.
  const shared = await share(choice, config, async () => [], silentLog);
  await shared.queue.stop(0);
  await shared.background.stop(0);
  await shared.close();
  const { QueueAdmin } = await import('../../queue/bullmq/queue-admin.ts');
  const admin = await QueueAdmin.open(choice.url);
  try {
    const { running, pausing, waiting, dead } = await admin.look(0);
    return `shared by all processes; ${running + pausing + waiting} turns in it, ${dead} put aside`;
  } finally {
    await admin.close();
  }
}
