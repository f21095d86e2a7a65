/** What all semaphores must do; run over each backend. */

import { expect } from 'vitest';
import { mutex, type Semaphores } from '../../src/queue/coordination.ts';

/** Opens the semaphores of the case as one more process. */
export type OpenSemaphores = () => Promise<Semaphores>;

export interface SemaphoreCase {
  readonly name: string;
  run(open: OpenSemaphores): Promise<void>;
}

const { signal } = new AbortController();
const patient = { timeout: 15_000 };

/** Callers who note who has got a permit, and hold it until they are let go. */
function callers(limit: number) {
  const admitted: string[] = [];
  const releases = new Map<string, () => void>();
  return {
    admitted,
    /** Asks, and does not wait. */
    ask(semaphores: Semaphores, who: string, ending = signal): Promise<void> {
      const [share = ''] = who.split(' ');
      return semaphores
        .acquire({ ...mutex, name: 'calls:test', limit, share }, ending)
        .then((release) => {
          admitted.push(who);
          releases.set(who, release);
        });
    },
    /** Lets the one go who came first of those that hold a permit. */
    letOneGo(): void {
      const [first] = releases;
      releases.delete(first?.[0] ?? '');
      first?.[1]();
    },
  };
}

export const semaphoreCases: readonly SemaphoreCase[] = [
  {
    name: 'let no more through than there are, however many ask at once',
    async run(open) {
      const processes = [await open(), await open()];
      const { admitted, ask, letOneGo } = callers(3);
      const asked = processes.flatMap((one, process) =>
        Array.from({ length: 6 }, (_, index) => ask(one, `w ${process} ${index}`)),
      );
      for (let count = 3; count <= 12; count += 1) {
        await expect.poll(() => admitted.length, patient).toBe(count);
        await settled(processes[0] ?? (await open()));
        expect(admitted).toHaveLength(count);
        letOneGo();
      }
      await Promise.all(asked);
    },
  },
  {
    name: 'go to one share after another, and in a share to who asked first',
    async run(open) {
      const [one, other] = [await open(), await open()];
      const { admitted, ask, letOneGo } = callers(1);
      await ask(one, 'busy 0');
      const asked = [1, 2, 3, 4].map((index) => ask(one, `busy ${index}`));
      await settled(one);
      asked.push(ask(one, 'quiet 1'));
      await settled(one);
      asked.push(ask(other, 'distant 1'), ask(other, 'distant 2'));
      await settled(other);
      for (let count = 2; count <= 8; count += 1) {
        letOneGo();
        await expect.poll(() => admitted.length, patient).toBe(count);
      }
      await Promise.all(asked);
      expect(admitted).toEqual([
        ...['busy 0', 'busy 1', 'quiet 1', 'distant 1'],
        ...['busy 2', 'distant 2', 'busy 3', 'busy 4'],
      ]);
    },
  },
  {
    name: 'reach a workspace soon beside 400 callers of another',
    async run(open) {
      const [one, other] = [await open(), await open()];
      const { admitted, ask, letOneGo } = callers(2);
      const stop = new AbortController();
      const asked = Array.from({ length: 400 }, (_, index) =>
        ask(one, `busy ${index}`, stop.signal).catch(() => undefined),
      );
      await expect.poll(() => admitted.length, patient).toBe(2);
      const quiet = ask(other, 'quiet 1');
      await settled(other);
      for (let count = 3; count <= 4; count += 1) {
        letOneGo();
        await expect.poll(() => admitted.length, patient).toBe(count);
      }
      await quiet;
      expect(admitted.indexOf('quiet 1')).toBeLessThan(4);
      stop.abort();
      await Promise.all(asked);
    },
  },
  {
    name: 'are not kept for those that have left the line',
    async run(open) {
      const semaphores = await open();
      const { admitted, ask, letOneGo } = callers(1);
      await ask(semaphores, 'busy 0');
      const stop = new AbortController();
      const reason = new Error('stopped by a member');
      const left = [1, 2, 3].map((index) => ask(semaphores, `busy ${index}`, stop.signal));
      const ends = Promise.all(left.map((one) => expect(one).rejects.toBe(reason)));
      await settled(semaphores);
      const stays = ask(semaphores, 'busy 4');
      stop.abort(reason);
      await ends;
      letOneGo();
      await stays;
      expect(admitted).toEqual(['busy 0', 'busy 4']);
    },
  },
  {
    name: 'are not given to a caller whose signal is aborted already',
    async run(open) {
      const semaphores = await open();
      const { admitted, ask } = callers(1);
      const reason = new Error('stopped before');
      await expect(ask(semaphores, 'w 1', AbortSignal.abort(reason))).rejects.toBe(reason);
      await ask(semaphores, 'w 2');
      expect(admitted).toEqual(['w 2']);
    },
  },
  {
    name: 'are apart for each name, and given back once however often that is done',
    async run(open) {
      const semaphores = await open();
      const lock = (name: string) => semaphores.acquire({ ...mutex, name }, signal);
      const release = await lock('one');
      (await lock('other'))();
      const second = lock('one');
      release();
      const releaseSecond = await second;
      release();
      let isThirdIn = false;
      const third = lock('one').then(() => {
        isThirdIn = true;
      });
      await settled(semaphores);
      expect(isThirdIn).toBe(false);
      releaseSecond();
      await third;
    },
  },
];

/**
 * What was asked before has its place in the line: a process tells the server at most twice of it, and
 * each of these is told after what was told before.
 */
async function settled(semaphores: Semaphores): Promise<void> {
  for (let probe = 0; probe < 3; probe += 1) {
    (await semaphores.acquire({ ...mutex, name: `probe ${probe}`, limit: 1000 }, signal))();
  }
}
