import type { Pacer } from './pacer.ts';

/**
 * A pacer for one turn, which posts only what is still this process's to say. A post may have waited
 * long for the limits, or the process for the machine, and another may have taken the turn meanwhile:
 * it would say the same, and few platforms tell that it is the same.
 *
 * @param assertHeld - Asked right before each post; throws when the turn is another's.
 */
export function heldPacer(pacer: Pacer, assertHeld: () => Promise<void>): Pacer {
  return {
    ...pacer,
    post: (destination, send, signal, kind) =>
      pacer.post(
        destination,
        async (given) => {
          await assertHeld();
          return send(given);
        },
        signal,
        kind,
      ),
  };
}
