/** A council that stands still in the middle of a turn, so that its process can be killed there. */

import { expect } from 'vitest';
import type { CouncilProcess } from './council-process.ts';
import { startRehearsedModels } from './rehearsed-models.ts';

export const sages = ['ada', 'ben', 'cleo'];

/** A moment in a turn: these calls are with the server, and so many lines tell that a step was stored. */
export interface Moment {
  readonly stage: string;
  readonly held: readonly string[];
  /** How many of them there are; absent: each one. */
  readonly calls?: number;
  readonly stored: Readonly<Record<string, number>>;
}

/** The process logs a step once it is stored. */
function storedSteps(council: CouncilProcess, sentence: string): number {
  return council.stderr.split(`"msg":"${sentence}"`).length - 1;
}

/** Models that answer at once, but for the calls of one moment, which they hold for ever. */
export async function startHoldingModels() {
  let moment: Moment = { stage: '', held: [], stored: {} };
  const reached = new Set<string>();
  const models = await startRehearsedModels((name) => {
    if (!moment.held.includes(name)) return undefined;
    reached.add(name);
    return { kind: 'hang' };
  });
  const isReached = (council: CouncilProcess) =>
    reached.size === (moment.calls ?? moment.held.length) &&
    Object.entries(moment.stored).every(([line, count]) => storedSteps(council, line) === count);
  return {
    models: {
      ...models,
      /** The chair's own answer may be on its way or there when a process is killed in the answers. */
      counts() {
        const { own_answer: _, ...counts } = models.counts();
        return counts;
      },
    },
    hold(next: Moment): void {
      moment = next;
      reached.clear();
    },
    release(): void {
      moment = { stage: '', held: [], stored: {} };
    },
    reached: (council: CouncilProcess) => expect.poll(() => isReached(council)).toBe(true),
  };
}

/** Kills it and waits until its lock on the store is gone. */
export async function kill(council: CouncilProcess): Promise<void> {
  council.kill('SIGKILL');
  expect((await council.ended).signal).toBe('SIGKILL');
}
