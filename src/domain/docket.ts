/** Depth `deep` as it is kept: what the answers dispute, what its parties make of it, and how all vote then. */

import { z } from 'zod';
import { failureSchema } from './failure.ts';
import { positionSchema, type Review, reasoningSchema } from './turn.ts';

/** What the answers dispute and share, as it was read out of them at depth `deep`. */
export const docketSchema = z.object({
  /** What they agree on, a sentence each. */
  consensus: z.array(z.string()),
  /** At most two. Each has two sages or more, and two stances or more; the same words are the same stance. */
  contradictions: z.array(
    z.object({
      topic: z.string(),
      /** `quote` stands in that sage's answer, word for word. */
      stances: z.array(z.object({ sage: z.string(), stance: z.string(), quote: z.string() })),
    }),
  ),
  /** Points that one answer alone makes. */
  unique: z.array(z.object({ sage: z.string(), point: z.string() })),
  /** What no answer considers. */
  blindSpots: z.array(z.string()),
  /** How many quotes stood in no answer and were dropped. */
  droppedQuotes: z.number(),
  /** `provider:model` that read them. */
  by: z.string(),
  reasoning: reasoningSchema,
  /** Why there is none; then nothing is in it. */
  failure: failureSchema.exactOptional(),
  latencyMs: z.number(),
});
export type Docket = z.infer<typeof docketSchema>;

/** Whether a turn has a docket, and so has gone as deep as it goes; one that failed can be asked for again. */
export function isDrawnUp(docket: Docket | undefined): docket is Docket {
  return docket !== undefined && !docket.failure;
}

/** What a sage that a contradiction names makes of the arguments against it. */
export const rebuttalSchema = z.object({
  /** Key of the sage. */
  sage: z.string(),
  model: z.string(),
  /** As it counts: a change that names no flaw in the sage's own answer is held. */
  position: positionSchema,
  /** Empty where there is no rebuttal. */
  because: z.string(),
  /** What is wrong in its own answer, in that answer's words; empty where it holds. */
  flaw: z.string(),
  /** The best that is said against it, in its own words. */
  opposing: z.string(),
  /** It said that it changes its position, and named no flaw. */
  isEmptyChange: z.literal(true).exactOptional(),
  reasoning: reasoningSchema,
  /** Why there is none; the answer stands as it was. */
  failure: failureSchema.exactOptional(),
  latencyMs: z.number(),
});
export type Rebuttal = z.infer<typeof rebuttalSchema>;

/** One bounded rebuttal: without a contradiction, and where the docket failed, it is the docket alone. */
export interface Round {
  readonly docket: Docket;
  readonly rebuttals: readonly Rebuttal[];
  /** The second, secret ballots: reviews that are nothing but a ranking, of the parties' answers. */
  readonly recasts: readonly Review[];
}

type Stances = Docket['contradictions'][number]['stances'];

/**
 * The stances of a contradiction that are still held after its rebuttals. A sage that was not asked again
 * still holds its own; a change that names no flaw was counted as held.
 */
export function heldStances(
  { stances }: Pick<Docket['contradictions'][number], 'stances'>,
  rebuttals: readonly Pick<Rebuttal, 'sage' | 'position'>[],
): Stances {
  const conceded = rebuttals.filter(({ position }) => position === 'conceded');
  return stances.filter(({ sage }) => !conceded.some((one) => one.sage === sage));
}

/** Whether more than one stance is held. */
export function isOpen(held: Stances): boolean {
  return new Set(held.map(({ stance }) => stance)).size > 1;
}

/** How many sages are asked for a rebuttal at most. */
export const mostParties = 4;

/**
 * The sages that are asked for a rebuttal: one for each side of each contradiction, a sage who stands alone
 * first, and then the others.
 *
 * @returns Keys of at most four sages, always the same of one docket.
 */
export function partiesOf({ contradictions }: Pick<Docket, 'contradictions'>): readonly string[] {
  const sides = contradictions
    .flatMap(({ stances }) => [...Map.groupBy(stances, ({ stance }) => stance).values()])
    .map((side) => side.map(({ sage }) => sage))
    .toSorted((one, other) => one.length - other.length);
  const longest = Math.max(0, ...sides.map(({ length }) => length));
  const inTurn = Array.from({ length: longest }, (_, place) =>
    sides.flatMap((side) => side[place] ?? []),
  );
  return [...new Set(inTurn.flat())].slice(0, mostParties);
}
