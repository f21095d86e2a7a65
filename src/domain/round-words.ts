/** Depth `deep` in words: what is in dispute, what the parties say to it, what came of it. */

import { type Docket, mostParties, partiesOf, type Rebuttal } from './docket.ts';
import type { Position, Settlement } from './turn.ts';

/** What the words need to name things as they can be shown. */
export interface RoundNames {
  /** @param sage - Key of a sage. */
  readonly nameOf: (sage: string) => string;
  /** Makes what a model wrote safe to show, on one line. */
  readonly inert: (text: string) => string;
}

/** What follows the docket, for its first line. Names a failure's reason, and what skipping the round saves. */
export function docketSentence(
  docket: Docket,
  /** How many sages answered. */
  answers: number,
  { nameOf, inert }: RoundNames,
): string {
  if (docket.failure) {
    return `What the answers dispute could not be read, so no sage is asked again: ${inert(docket.failure.explanation)}`;
  }
  const parties = partiesOf(docket).map(nameOf);
  if (parties.length === 0) {
    const saved = Math.min(mostParties, answers) + answers;
    return `No two answers contradict each other, so no sage is asked again. That saves up to ${saved} calls.`;
  }
  return `The answers contradict each other. ${new Intl.ListFormat('en').format(parties)} are asked once more; then all vote again, in secret.`;
}

/** Each contradiction with its sides, an item each. */
export function contradictionLines(
  { contradictions }: Pick<Docket, 'contradictions'>,
  { nameOf, inert }: RoundNames,
): readonly { readonly topic: string; readonly sides: readonly string[] }[] {
  return contradictions.map(({ topic, stances }) => ({
    topic: inert(topic),
    sides: stances.map(
      ({ sage, stance, quote }) => `${nameOf(sage)}: ${inert(stance)} “${inert(quote)}”`,
    ),
  }));
}

/** E.g. `Taleb holds, because …`. */
export function rebuttalInWords(rebuttal: Rebuttal, { nameOf, inert }: RoundNames): string {
  const { sage, position, because, failure, isEmptyChange } = rebuttal;
  const name = nameOf(sage);
  if (failure) return `${name} holds: there is no rebuttal. ${inert(failure.explanation)}`;
  if (isEmptyChange) {
    return `${name} would change its answer but names no flaw in it, and counts as holding.`;
  }
  return `${name} ${positionWords[position]}, because ${inert(because)}`;
}

const positionWords: Readonly<Record<Position, string>> = {
  held: 'holds',
  amended: 'amends its answer',
  conceded: 'concedes',
};

/** What became of each contradiction, and where verdict and tally part; an item each. */
export function settlementLines(
  { contradictions, caveats }: Settlement,
  { nameOf, inert }: RoundNames,
): readonly string[] {
  return [
    ...contradictions.map(({ topic, status, sides, why }) => {
      const taken = sides.map(
        ({ sage, stance, position }) =>
          `${nameOf(sage)} ${positionWords[position]} (${inert(stance)})`,
      );
      const open = status === 'open' ? 'open, for you to decide' : 'settled';
      return `${inert(topic)}: ${open}. ${taken.join('; ')}.${why === '' ? '' : ` ${inert(why)}`}`;
    }),
    ...caveats.map(inert),
  ];
}

/** What became of each point that one answer alone made; an item each. */
export function uniqueLines(
  { unique }: Settlement,
  { nameOf, inert }: RoundNames,
): readonly string[] {
  return unique.map(({ sage, point, fate, why }) => {
    const reason = why === '' ? '' : `: ${inert(why)}`;
    return `${nameOf(sage)}: ${inert(point)} (${fateWords[fate]}${reason})`;
  });
}

const fateWords = {
  kept: 'in the verdict',
  dropped: 'left out',
  passed_over: 'not mentioned by the chair',
} as const;
