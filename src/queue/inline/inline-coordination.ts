import type { Coordination } from '../coordination.ts';
import { createInlineBackground } from './inline-background.ts';
import { createInlinePermits } from './inline-permits.ts';
import { createInlineQueue, type InlineQueueOptions } from './inline-queue.ts';
import { createInlineQuotas } from './inline-quotas.ts';
import { createInlineStopRequests } from './inline-stop-requests.ts';

/** For a process that works alone. */
export function createInlineCoordination(options: InlineQueueOptions): Coordination {
  return {
    queue: createInlineQueue(options),
    quotas: createInlineQuotas(),
    permits: createInlinePermits(),
    stops: createInlineStopRequests(),
    background: createInlineBackground(options.log),
    health: () => ({ isReady: true, text: 'in this process' }),
    close: async () => undefined,
  };
}
