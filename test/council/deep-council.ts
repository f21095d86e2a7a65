/** A scripted council at depth `deep`: three sages against one, who may be right. */

import type { Line } from '../fakes/scripted-model.ts';
import { ranks, type Script, wholeScript } from './scripted-council.ts';

/** Who takes which side, in whose words: `[sage, stance, quote]`. */
export type Disputed = readonly {
  readonly topic: string;
  readonly stances: readonly (readonly [sage: string, stance: string, quote: string])[];
}[];

const saidBy: Readonly<Record<string, string>> = {
  ada: 'Ada says yes.',
  ben: 'Ben says no.',
  cleo: 'Cleo says later.',
  dan: 'Dan says in parts.',
};

export const inDispute: Disputed = [
  {
    topic: 'Whether to rewrite',
    stances: [
      ['ada', 'Rewrite it.', 'Ada says yes.'],
      ['ben', 'Leave it.', 'Ben says no.'],
      ['cleo', 'Rewrite it.', 'Cleo says later.'],
      ['dan', 'Rewrite it.', 'Dan says in parts.'],
    ],
  },
];

/** A docket in the labels that its reader was shown. */
export function docket(disputed: Disputed): Line {
  return (asked) => {
    const shown = asked.messages.at(-1)?.content ?? '';
    const labelOf = (sage: string) =>
      new RegExp(`<response label="(\\w)">\\n${saidBy[sage]}`).exec(shown)?.[1] ?? '?';
    return JSON.stringify({
      consensus: ['It is slow.'],
      contradictions: disputed.map(({ topic, stances }) => ({
        topic,
        stances: stances.map(([sage, stance, quote]) => ({ label: labelOf(sage), stance, quote })),
      })),
      unique: [{ label: labelOf('ben'), point: 'The move costs a year.' }],
      blind_spots: ['Who maintains it.'],
    });
  };
}

export function rebuttal(said: {
  position: 'hold' | 'amend' | 'concede';
  because: string;
  flaw?: string;
}): string {
  return JSON.stringify({ flaw: '', strongest_opposing_point: 'It is slow.', ...said });
}

/** A second ballot on those that are quoted so, as {@link ranks}. */
export function votesAgain(...quotes: readonly string[]): Line {
  return ranks(...quotes.map((quote) => `[^<]*“${quote}`));
}

const holding = rebuttal({ position: 'hold', because: 'it is still slow.' });
const firstOf = (lines: readonly Line[] | undefined) => lines?.slice(0, 1) ?? [];

/** The verdict of a chair that follows the one who stands alone. */
export const deepVerdict = JSON.stringify({
  verdict: 'Leave it for a year.',
  consensus: [],
  disagreements: [],
  minority_report: '',
  unsettled: [],
  confidence: 'low',
  confidence_reason: 'Nobody has counted.',
  contradictions: [{ number: 1, settled: true, follows: 'Ben', why: 'Ben alone counts the cost.' }],
  unique: [{ number: 1, kept: true, why: 'It decides.' }],
});

/** A whole deep turn: Ben stands alone, all vote against him twice, and no one moves. */
export const deepScript: Script = {
  ...wholeScript,
  sages: Object.fromEntries(
    Object.entries(wholeScript.sages ?? {}).map(([key, lines]) => [
      key,
      [
        ...firstOf(lines),
        key === 'ben'
          ? rebuttal({ position: 'hold', because: 'the sum leaves out the move.' })
          : holding,
      ],
    ]),
  ),
  reviews: Object.fromEntries(
    Object.entries(wholeScript.reviews ?? {}).map(([key, lines]) => [
      key,
      [
        ...firstOf(lines),
        votesAgain('Ada says yes.', 'Dan says in parts.', 'Cleo says later.', 'Ben says no.'),
      ],
    ]),
  ),
  chair: [docket(inDispute), deepVerdict],
};

/** The script's lines of each sage, changed alike. */
export function mapped(
  lines: Readonly<Record<string, readonly Line[]>>,
  change: (lines: readonly Line[]) => readonly Line[],
): Readonly<Record<string, readonly Line[]>> {
  return Object.fromEntries(Object.entries(lines).map(([key, of]) => [key, change(of)]));
}
