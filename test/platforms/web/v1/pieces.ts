/** Replies made of pieces, for tests of how they are told. */

import type { TurnEvent } from '../../../../src/council/events.ts';
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
  const pieces = await all(deliberation(each(events)));
  return pieces.map((piece) => {
    if (piece.type === 'ended') return `ended ${piece.end.outcome}`;
    if (piece.type === 'content') return `said: ${piece.text}`;
    return `${piece.isContinued ? 'goes on' : 'thought'}: ${piece.text}`;
  });
}

export const answered = { type: 'ended', end: { outcome: 'answered', explanation: '' } } as const;

export const pieces: readonly Piece[] = [
  { type: 'reasoning', text: 'The moderator is choosing who sits.' },
  { type: 'reasoning', text: '### Ada\n\nYes' },
  { type: 'reasoning', text: '.', isContinued: true },
  { type: 'content', text: 'Rewrite it' },
  { type: 'content', text: ' in parts.' },
  answered,
];

export function replyOf(of: readonly Piece[] = pieces): Reply {
  return {
    ...{ id: 'turn-1', model: 'council', createdAt: 1_700_000_000_000, pieces: each(of) },
    usage: async () => ({ input: 100, output: 30, reasoning: 5 }),
  };
}
