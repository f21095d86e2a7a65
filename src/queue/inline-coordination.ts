import type { Coordination } from './coordination.ts';
import { createInlineQueue, type InlineQueueOptions } from './inline.ts';
import { createInlineBackground } from './inline-background.ts';
import { createInlineQuotas } from './inline-quotas.ts';
import { createInlineStopRequests } from './inline-stop-requests.ts';
import type { QueueLog } from './queue-log.ts';

/** For a process that works alone. */
export function createInlineCoordination(options: InlineQueueOptions, log: QueueLog): Coordination {
  return {
    queue: createInlineQueue(options, ({ turnId }, error, againInMs) => {
      if (againInMs === undefined) log.error({ turnId, error }, 'turn could not be run');
      else log.warn({ turnId, againInMs, error }, 'turn is tried again');
    }),
    quotas: createInlineQuotas(),
    stops: createInlineStopRequests(),
    background: createInlineBackground(log),
    health: () => ({ isReady: true, text: 'in this process' }),
    close: async () => undefined,
  };
}
