/** What the chair is told of the round at depth `deep`, and what it answers to that beside its verdict. */

import { z } from 'zod';
import type { Round } from '../../domain/docket.ts';
import { verdictShape } from './chair-prompt.ts';

const rulingSchema = z.object({
  number: z.number(),
  settled: z.boolean(),
  follows: z.string().default(''),
  why: z.string(),
});
const disposalSchema = z.object({ number: z.number(), kept: z.boolean(), why: z.string() });

/** The rulings come last: the verdict is streamed first. */
export const deepVerdictShape = {
  name: verdictShape.name,
  schema: verdictShape.schema.extend({
    contradictions: z.array(rulingSchema).default([]),
    unique: z.array(disposalSchema).default([]),
  }),
};
/** What the chair rules on the docket, by the numbers under which it was shown. */
export type Rulings = Pick<z.infer<typeof deepVerdictShape.schema>, 'contradictions' | 'unique'>;

export const settlementRule =
  'The docket lists where the answers contradict each other and what only one of them says; The parties to a contradiction were asked once more: to hold is worth as much as its reason, and a concession is no proof either. Decide each contradiction that the reasons decide, if need be for the one who stands alone, and leave open what only facts or the person can decide. ' +
  'Put two more keys at the end of the JSON object. "contradictions": [{"number": 1, "settled": true, "follows": "name of a sage, or empty", "why": "…"}], one of each contradiction by its number; why in one sentence: the reason that decides it, or what would. ' +
  '"unique": [{"number": 1, "kept": true, "why": "…"}], one of each unique point by its number; kept where the verdict uses it, and why it is used or dropped in a few words.';

/** @param nameOf - The name of a sage by its key. */
export function docketText({ docket, rebuttals }: Round, nameOf: (sage: string) => string): string {
  const contradictions = docket.contradictions.map(({ topic, stances }, index) =>
    [
      `Contradiction ${index + 1}: ${topic}`,
      // The answers stand above it: the quotes need not be read again.
      ...stances.map(({ sage, stance }) => `- ${nameOf(sage)}: ${stance}`),
    ].join('\n'),
  );
  const unique = docket.unique.map(
    ({ sage, point }, index) => `${index + 1}. ${nameOf(sage)}: ${point}`,
  );
  const replies = rebuttals.flatMap(({ sage, position, because, opposing, failure }) =>
    failure
      ? []
      : [`- ${nameOf(sage)} ${position}: ${because} Grants its opponents most: ${opposing || '–'}`],
  );
  return [
    ...contradictions,
    ...(replies.length === 0 ? [] : [`What the parties say to it:\n${replies.join('\n')}`]),
    ...(unique.length === 0 ? [] : [`Unique points:\n${unique.join('\n')}`]),
    ...(docket.blindSpots.length === 0
      ? []
      : [`What no answer considers:\n${docket.blindSpots.map((one) => `- ${one}`).join('\n')}`]),
  ].join('\n\n');
}
