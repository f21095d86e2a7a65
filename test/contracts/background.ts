/** What all background work must do; run over each backend. */

import { expect } from 'vitest';
import type { BackgroundJobs } from '../../src/queue/coordination.ts';

/** Opens background work of the same place as all others of the case. */
export type OpenBackground = () => Promise<BackgroundJobs>;

export interface BackgroundCase {
  readonly name: string;
  run(open: OpenBackground): Promise<void>;
}

const never = 3_600_000;
/** Work that is done within this time, in the tests that follow. */
const soon = { timeout: 10_000, interval: 20 };

/** Notes what it is asked to do, and ends each when told. */
function heldWork() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    run: (subject: string) => {
      begun.push(subject);
      return new Promise<void>((resolve) => ends.push(resolve));
    },
    endAll: () => {
      for (const end of ends.splice(0)) end();
    },
  };
}

export const backgroundCases: readonly BackgroundCase[] = [
  {
    name: 'does what was asked for, each subject by itself',
    async run(open) {
      const jobs = await open();
      const done: string[] = [];
      await jobs.start({ tidy: { run: async (subject) => void done.push(subject) } });
      for (const subject of ['a', 'b:c', 'd']) await jobs.request('tidy', subject, 0);
      await expect.poll(() => done.toSorted(), soon).toEqual(['a', 'b:c', 'd']);
      await jobs.stop(0);
    },
  },
  {
    name: 'does once what was asked for several times while it waited, and sooner when there is a hurry',
    async run(open) {
      const jobs = await open();
      const done: string[] = [];
      await jobs.start({ tidy: { run: async (subject) => void done.push(subject) } });
      await jobs.request('tidy', 'a', never);
      await jobs.request('tidy', 'a', never);
      await jobs.request('tidy', 'a', 0);
      await jobs.request('tidy', 'b', 0);
      await expect.poll(() => done.toSorted(), soon).toEqual(['a', 'b']);
      await jobs.stop(0);
    },
  },
  {
    name: 'does once more afterwards what was asked for while it ran, and never two at once',
    async run(open) {
      const jobs = await open();
      const work = heldWork();
      await jobs.start({ tidy: work });
      await jobs.request('tidy', 'a', 0);
      await expect.poll(() => work.begun, soon).toEqual(['a']);
      await jobs.request('tidy', 'a', 0);
      await jobs.request('tidy', 'a', 0);
      await jobs.request('tidy', 'b', 0);
      await expect.poll(() => work.begun, soon).toEqual(['a', 'b']);
      work.endAll();
      await expect.poll(() => work.begun, soon).toEqual(['a', 'b', 'a']);
      work.endAll();
      await jobs.request('tidy', 'c', 0);
      await expect.poll(() => work.begun, soon).toEqual(['a', 'b', 'a', 'c']);
      work.endAll();
      await jobs.stop(0);
    },
  },
  {
    name: 'repeats what is to be repeated, the next time counting from the end of the last',
    async run(open) {
      const jobs = await open();
      const work = heldWork();
      await jobs.start({ sweep: { run: work.run, everyMs: 50 } });
      await expect.poll(() => work.begun, soon).toHaveLength(1);
      work.endAll();
      await expect.poll(() => work.begun, soon).toHaveLength(2);
      work.endAll();
      await jobs.stop(1000);
      expect(new Set(work.begun)).toEqual(new Set(['']));
    },
  },
  {
    name: 'tries again what threw',
    async run(open) {
      const jobs = await open();
      let runs = 0;
      await jobs.start({
        tidy: {
          run: async () => {
            runs += 1;
            if (runs === 1) throw new Error('a fault that passes');
          },
        },
      });
      await jobs.request('tidy', 'a', 0);
      await expect.poll(() => runs, soon).toBe(2);
      await jobs.stop(0);
    },
  },
  {
    name: 'aborts at a stop what outlasts the grace',
    async run(open) {
      const jobs = await open();
      const begun = Promise.withResolvers<void>();
      let isAborted = false;
      await jobs.start({
        tidy: {
          run: (_subject, signal) =>
            new Promise((resolve) => {
              begun.resolve();
              signal.addEventListener('abort', () => {
                isAborted = true;
                resolve();
              });
            }),
        },
      });
      await jobs.request('tidy', 'a', 0);
      await begun.promise;
      await jobs.stop(0);
      expect(isAborted).toBe(true);
    },
  },
];
