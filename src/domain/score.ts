/** How the sages of one turn fared: all that a leaderboard reads of it. It holds no text but their names. */

import { z } from 'zod';

const sageScoreSchema = z.object({
  /** Key of the sage. */
  sage: z.string(),
  name: z.string(),
  /** `provider:model` that spoke for it. */
  model: z.string(),
  /** Share of the comparisons that its answer won, 0 to 1. */
  won: z.number(),
  /** 1 where its answer came first; of several that did, the share of each. */
  first: z.number(),
  /** What became of its own review: a ballot was read from it, or none. Absent: it had none to write. */
  ballot: z.enum(['ranked', 'abstained']).exactOptional(),
  /** How many places higher it put its own answer than the others did. */
  ownPlaces: z.number().exactOptional(),
  /** US dollars of the calls that were made for it, as far as they are known. */
  costUsd: z.number(),
});

export const scoreSchema = z.object({
  /** As the request says where it was asked; absent: unknown, and treated as private. */
  isPrivate: z.boolean().exactOptional(),
  isPrivateThread: z.boolean().exactOptional(),
  /** Those whose answers were judged. */
  sages: z.array(sageScoreSchema),
  /** Mean Kendall tau of all pairs of ballots, -1 to 1; absent with fewer than two. */
  agreement: z.number().exactOptional(),
});
export type Score = z.infer<typeof scoreSchema>;
