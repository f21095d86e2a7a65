/** Sages that the moderator invented for earlier turns of a thread: they may be asked again there. */

import type { Sage } from '../../council/council.ts';
import { readPastTurn } from '../../council/past-turn.ts';
import type { TurnStore } from '../../store/store.ts';

/** How many turns of a thread are looked through. */
const mostTurns = 10;

/**
 * @returns Those of the newest turn first, each once. One invented again under the same name is as in
 *   its last turn.
 */
export async function guestsOf(
  turns: Pick<TurnStore, 'list' | 'read'>,
  threadId: string,
): Promise<readonly Sage[]> {
  const headers = await turns.list(threadId, { limit: mostTurns });
  const records = await Promise.all(headers.map((header) => turns.read(header)));
  const guests = new Map<string, Sage>();
  for (const record of records) {
    const seats = record ? (readPastTurn(record).seated?.seats ?? []) : [];
    for (const { sage } of seats) {
      if (sage.source === 'dynamic' && !guests.has(sage.key)) guests.set(sage.key, sage);
    }
  }
  return [...guests.values()];
}
