import { describe, expect, test } from 'vitest';
import {
  type Candidate,
  fitBudget,
  type Shown,
} from '../../../src/memory/recall/context-budget.ts';

/** A letter is a token. */
const tokensOf = (text: string) => text.length;

const piece = (id: string) => ({ kind: 'question', threadId: 'test:w:c:t', id }) as const;
const some = (name: string, count: number, tokens: number): readonly Candidate[] =>
  Array.from({ length: count }, (_, at) => ({
    piece: piece(`${name}${at}`),
    text: name.repeat(tokens),
  }));
/** Questions of so many tokens, or fewer in short. */
const past = (count: number, tokens: number, short = tokens) =>
  some('q', count, tokens).map((one) => ({ ...one, short: 's'.repeat(short) }));

function fitted({
  pinned = [],
  compacted,
  history = [],
  chair = [],
  memories = [],
}: {
  readonly pinned?: readonly Candidate[];
  readonly compacted?: Candidate;
  readonly history?: ReturnType<typeof past>;
  readonly chair?: readonly Candidate[];
  readonly memories?: readonly Candidate[];
}) {
  const { shown, ...rest } = fitBudget(
    {
      pinned,
      compacted,
      history,
      chair,
      memoriesBeside: () => memories,
      isToldToChair: () => false,
    },
    1000,
    tokensOf,
  );
  expect(rest.use.tokens).toBeLessThanOrEqual(1000);
  const count = (how: Shown) => shown.filter((one) => one === how).length;
  return {
    ...rest,
    shown,
    found: rest.memories.length,
    whole: count('whole'),
    short: count('short'),
    leftOut: count('left_out'),
  };
}

describe('a budget of a thousand tokens', () => {
  test('is shared 60 to 40 by history and memories, where both want more', () => {
    const { whole, found, shown } = fitted({ history: past(9, 100), memories: some('m', 9, 100) });
    expect([whole, found]).toEqual([6, 4]);
    expect(shown.slice(0, 3)).toEqual(['left_out', 'left_out', 'left_out']);
  });

  test('gives each what the other leaves of its share', () => {
    const much = { history: past(12, 100), memories: some('m', 12, 100) };
    expect(fitted({ ...much, memories: some('m', 1, 100) })).toMatchObject({ whole: 9, found: 1 });
    expect(fitted({ ...much, history: past(2, 100) })).toMatchObject({ whole: 2, found: 8 });
  });

  test('is shared after what is pinned', () => {
    const much = { history: past(12, 100), memories: some('m', 12, 100) };
    expect(fitted({ ...much, pinned: some('p', 5, 100) })).toMatchObject({ whole: 3, found: 2 });
  });

  test('has the last question whole, those before it in short, and all whole that fit', () => {
    const memories = some('m', 9, 100);
    const { shown } = fitted({ history: past(5, 400, 40), memories });
    expect(shown).toEqual(['short', 'short', 'short', 'short', 'whole']);
    expect(fitted({ history: past(5, 400, 40) }).shown.slice(-3)).toEqual([
      'short',
      'whole',
      'whole',
    ]);
    expect(fitted({ history: past(5, 150, 40), memories }).shown).toEqual([
      ...['short', 'short', 'whole', 'whole', 'whole'],
    ]);
  });

  test('keeps what was compacted when the oldest whole questions go', () => {
    const compacted = { piece: piece('older'), text: 'c'.repeat(100) };
    const kept = fitted({ compacted, history: past(5, 250), memories: some('m', 9, 100) });
    expect(kept).toMatchObject({ isCompactedShown: true, whole: 2, leftOut: 3, found: 4 });
  });

  test('goes on past a memory that is too long', () => {
    const memories = [...some('a', 1, 600), ...some('b', 1, 900), ...some('c', 1, 300)];
    const { memories: found, overBudget } = fitted({ memories });
    expect(found.map(({ piece: { id } }) => id)).toEqual(['a0', 'c0']);
    expect(overBudget).toBe(1);
  });

  test('lets the chair have its questions before its memories', () => {
    const { forChair, found } = fitted({
      chair: some('v', 3, 300),
      history: past(1, 100),
      memories: some('m', 9, 50),
    });
    expect([forChair.questions, forChair.memories.length, found]).toEqual([3, 2, 9]);
  });
});
