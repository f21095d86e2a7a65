/** The stored records of depth `deep`: the docket of contradictions, the rebuttals and the second ballots. */

import { z } from 'zod';
import { failureSchema } from './failure.ts';
import { positionSchema, type Review, reasoningSchema } from './turn.ts';

/** What the answers agree on and contradict each other in. */
export const docketSchema = z.object({
  /** Points of agreement, a sentence each. */
  consensus: z.array(z.string()),
  /** At most two, each with at least two sages and two stances. Sages on the same side have an identical `stance`. */
  contradictions: z.array(
    z.object({
      topic: z.string(),
      /** `quote` occurs word for word in that sage's answer. */
      stances: z.array(z.object({ sage: z.string(), stance: z.string(), quote: z.string() })),
    }),
  ),
  /** Points that only one answer makes. */
  unique: z.array(z.object({ sage: z.string(), point: z.string() })),
  /** Points that no answer considers. */
  blindSpots: z.array(z.string()),
  /** How many stances were dropped because their quote isn't in the answer. */
  droppedQuotes: z.number(),
  /** `provider:model` that read the answers. */
  by: z.string(),
  reasoning: reasoningSchema,
  /** Why the docket failed; all lists are then empty. */
  failure: failureSchema.exactOptional(),
  latencyMs: z.number(),
});
export type Docket = z.infer<typeof docketSchema>;

/** Whether a turn has a docket and can't go any deeper. A failed docket can be requested again. */
export function hasDocket(docket: Docket | undefined): docket is Docket {
  return docket !== undefined && !docket.failure;
}

/** A sage's reply to the arguments that contradict its answer. */
export const rebuttalSchema = z.object({
  /** Key of the sage. */
  sage: z.string(),
  model: z.string(),
  /** A change that names no flaw in the sage's own answer counts as `held`. */
  position: positionSchema,
  /** Empty when the rebuttal failed. */
  because: z.string(),
  /** The wrong passage of its own answer, quoted; empty for `held`. */
  flaw: z.string(),
  /** The strongest opposing point, in the sage's own words. */
  opposing: z.string(),
  /** The sage announced a change but named no flaw. */
  isEmptyChange: z.literal(true).exactOptional(),
  reasoning: reasoningSchema,
  /** Why the rebuttal failed; the answer stays as it was. */
  failure: failureSchema.exactOptional(),
  latencyMs: z.number(),
});
export type Rebuttal = z.infer<typeof rebuttalSchema>;

/** The rebuttal round. Without a contradiction, or when the docket failed, both lists are empty. */
export interface Round {
  readonly docket: Docket;
  readonly rebuttals: readonly Rebuttal[];
  /** The second, secret ballots: reviews that consist only of a ranking of the parties' answers. */
  readonly recasts: readonly Review[];
}

type Stances = Docket['contradictions'][number]['stances'];

/** The stances whose sages didn't concede. A sage that wasn't asked for a rebuttal still holds its stance. */
export function heldStances(
  { stances }: Pick<Docket['contradictions'][number], 'stances'>,
  rebuttals: readonly Pick<Rebuttal, 'sage' | 'position'>[],
): Stances {
  const conceded = rebuttals.filter(({ position }) => position === 'conceded');
  return stances.filter(({ sage }) => !conceded.some((one) => one.sage === sage));
}

/** Whether more than one stance is still held. */
export function isOpen(held: Stances): boolean {
  return new Set(held.map(({ stance }) => stance)).size > 1;
}

/** The most sages that are asked for a rebuttal. */
export const mostParties = 4;

/**
 * Picks the sages to ask for a rebuttal: one per side of each contradiction, smallest sides first, then the others.
 *
 * @returns Keys of at most {@link mostParties} sages, always the same for the same docket.
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
