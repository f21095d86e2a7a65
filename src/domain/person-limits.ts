/** What one person may use up, below what the operator's file allows every person: e.g. the bearer of a key. */

import { z } from 'zod';

export const personLimitsSchema = z.object({
  /** US dollars a UTC day, over all places of the platform. */
  usdPerDay: z.number().exactOptional(),
  /** How many questions may wait or run at once. */
  openQuestions: z.number().exactOptional(),
});
export type PersonLimits = z.infer<typeof personLimitsSchema>;
