/** What the contracts of queues run their turns with. */

import type { QueuedTurn, QueueStart, TurnRunner } from '../../src/queue/queue.ts';

/** The thread of {@link turn}. */
export function threadOf(name: string): string {
  return `p:w:c:${name}`;
}

/** E.g. `a1`. */
export function turn(thread: string, number: number): QueuedTurn {
  return { turnId: `${thread}${number}`, threadId: threadOf(thread) };
}

/** Runs the turns of the tests' platform, that of {@link threadOf} unless named otherwise. */
export function running(
  run: TurnRunner,
  onAbandoned: NonNullable<QueueStart['onAbandoned']> = async () => undefined,
  platforms: readonly string[] = ['p'],
): QueueStart {
  return { platforms, run, onAbandoned };
}

/** A runner that notes the order of things and ends each turn when told. */
export function heldRunner() {
  const begun: string[] = [];
  const held = new Map<string, () => void>();
  const waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  const run: TurnRunner = async ({ turnId }, signal) => {
    begun.push(turnId);
    for (const { count, resolve } of waiters) if (begun.length >= count) resolve();
    await new Promise<void>((resolve) => {
      held.set(turnId, resolve);
      signal.addEventListener('abort', () => resolve());
    });
    return 'ended';
  };
  return {
    run,
    begun,
    end: (turnId: string) => held.get(turnId)?.(),
    untilBegun: (count: number) =>
      begun.length >= count
        ? Promise.resolve()
        : new Promise<void>((resolve) => waiters.push({ count, resolve })),
  };
}
