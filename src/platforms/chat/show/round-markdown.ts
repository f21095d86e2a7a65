/** What is said of the one rebuttal of depth `deep`, while it is held. */

import type { Docket, Rebuttal } from '../../../domain/docket.ts';
import {
  contradictionLines,
  docketSentence,
  type RoundNames,
  rebuttalInWords,
} from '../../../domain/round-words.ts';

/** What is in dispute, or what a party says to it. */
export type RoundSaid =
  | {
      readonly docket: Docket;
      /** How many sages answered. */
      readonly answers: number;
    }
  | { readonly rebuttal: Rebuttal };

/** @param names - Give Markdown in which nothing works. */
export function roundMarkdown(said: RoundSaid, names: RoundNames): string {
  if ('rebuttal' in said) return `↩️ ${rebuttalInWords(said.rebuttal, names)}`;
  const { docket, answers } = said;
  return [
    `⚖️ ${docketSentence(docket, answers, names)}`,
    ...contradictionLines(docket, names).map(({ topic, sides }) =>
      [`**In dispute: ${topic}**`, ...sides.map((side) => `- ${side}`)].join('\n'),
    ),
  ].join('\n\n');
}
