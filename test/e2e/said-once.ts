/** What people read of a turn in one place, counted. */

import { expect } from 'vitest';
import { answer, type Script, wholeScript } from '../council/scripted-council.ts';

export const question = 'Should we rewrite the engine?';

/** Ben alone answers `Ben: are you there?`; then comes a whole turn. */
export const afterBen: Script = {
  ...wholeScript,
  sages: { ...wholeScript.sages, ben: [answer('I am.'), answer('Ben says no.')] },
};

const said = [
  ...['Ada says yes.', 'Ben says no.', 'Cleo says later.', 'Dan says in parts.'],
  // The verdict, and the line of the card that ends.
  ...['Rewrite it in parts.', 'The council has answered.'],
] as const;

/**
 * Expects each part of a whole turn once.
 *
 * @param texts - All that the bot and its sages show there of the turn.
 * @param asked - How often the question stands there, besides where a person wrote it.
 */
export function expectOnce(texts: readonly string[], asked: 0 | 1): void {
  const counts = [question, ...said].map((part) => [part, timesIn(texts, part)]);
  expect(counts).toEqual([[question, asked], ...said.map((part) => [part, 1])]);
}

export function timesIn(texts: readonly string[], part: string): number {
  return texts.join('\n').split(part).length - 1;
}
