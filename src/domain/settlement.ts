/** What became of a contradiction at depth `deep`, and of the points that one answer alone makes. */

import { z } from 'zod';

/** What the party to a contradiction makes of its own answer. */
export const positionSchema = z.enum(['held', 'amended', 'conceded']);
export type Position = z.infer<typeof positionSchema>;

/** What became of what the docket names, held against what its parties said. */
export const settlementSchema = z.object({
  /** In the order of the docket. */
  contradictions: z.array(
    z.object({
      topic: z.string(),
      /** Who takes which side, and what each made of the other; who was not asked is held to have held. */
      sides: z.array(z.object({ sage: z.string(), stance: z.string(), position: positionSchema })),
      /** `settled`: at most one stance is still held. */
      status: z.enum(['settled', 'open']),
      /** Why the chair follows whom, or what would settle it. */
      why: z.string(),
    }),
  ),
  unique: z.array(
    z.object({
      sage: z.string(),
      point: z.string(),
      /** `passed_over`: the chair did not say. */
      fate: z.enum(['kept', 'dropped', 'passed_over']),
      why: z.string(),
    }),
  ),
  /** Where the verdict and the tally part, a sentence each. */
  caveats: z.array(z.string()),
});
export type Settlement = z.infer<typeof settlementSchema>;
