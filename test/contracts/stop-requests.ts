/** What all requests to stop must do; run over each backend. */

import { expect } from 'vitest';
import type { StopRequests } from '../../src/queue/coordination.ts';

/** Opens requests of the same place as all others of the case. */
export type OpenStopRequests = () => Promise<StopRequests>;

export interface StopRequestsCase {
  readonly name: string;
  run(open: OpenStopRequests): Promise<void>;
}

export const stopRequestsCases: readonly StopRequestsCase[] = [
  {
    name: 'reach anyone who watches the turn, and no one else',
    async run(open) {
      const [asking, running] = [await open(), await open()];
      const heard: string[] = [];
      const stopped = Promise.withResolvers<void>();
      await running.watch('one', () => {
        heard.push('one');
        stopped.resolve();
      });
      await running.watch('two', () => heard.push('two'));
      await asking.request('one');
      await stopped.promise;
      await asking.request('one');
      const again = Promise.withResolvers<void>();
      await running.watch('three', () => again.resolve());
      await asking.request('three');
      await again.promise;
      expect(heard).toEqual(['one']);
    },
  },
  {
    name: 'reach a turn that begins later',
    async run(open) {
      const [asking, running] = [await open(), await open()];
      await asking.request('one');
      let isStopped = false;
      await running.watch('one', () => {
        isStopped = true;
      });
      expect(isStopped).toBe(true);
    },
  },
  {
    name: 'are not told to a watch that has ended',
    async run(open) {
      const [asking, running] = [await open(), await open()];
      const heard: string[] = [];
      const end = await running.watch('one', () => heard.push('first'));
      end();
      await asking.request('one');
      await running.watch('one', () => heard.push('second'));
      expect(heard).toEqual(['second']);
    },
  },
];
