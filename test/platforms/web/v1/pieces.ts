/** Replies made of pieces, for tests of how they are told. */

import type { TurnEvent } from '../../../../src/council/events.ts';
import { english } from '../../../../src/domain/languages/english.ts';
import { CodedError } from '../../../../src/platforms/web/refusals.ts';
import type { Reply } from '../../../../src/platforms/web/v1/deliberation.ts';
import { deliberation, type Piece } from '../../../../src/platforms/web/v1/deliberation.ts';

export async function* each<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  yield* items;
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** What is thought and said of these events, a line each. */
export async function toldOf(events: readonly TurnEvent[]): Promise<readonly string[]> {
  const told: string[] = [];
  try {
    for await (const piece of deliberation(each(events), english)) {
      const kind = piece.type === 'content' ? 'said' : piece.isContinued ? 'goes on' : 'thought';
      told.push(`${kind}: ${piece.text}`);
    }
    return [...told, 'ended answered'];
  } catch (error) {
    // Most tests look at a few events only.
    if (error instanceof CodedError && error.message.includes('broke off')) return told;
    throw error;
  }
}

export const pieces: readonly Piece[] = [
  { type: 'reasoning', text: 'The council is being seated.' },
  { type: 'reasoning', text: '### Ada\n\nYes' },
  { type: 'reasoning', text: '.', isContinued: true },
  { type: 'content', text: 'Rewrite it' },
  { type: 'content', text: ' in parts.' },
];

/** @param error - Thrown behind the pieces. */
export function replyOf(of: readonly Piece[] = pieces, error?: Error): Reply {
  async function* told() {
    yield* of;
    if (error) throw error;
  }
  return {
    id: 'turn-1',
    model: 'council',
    createdAt: 1_700_000_000_000,
    pieces: told(),
    usage: async () => ({ input: 100, output: 30, reasoning: 5 }),
  };
}
