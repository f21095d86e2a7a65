/** A sage that members have made for one channel, as it is kept. */

import { z } from 'zod';
import type { Sage } from './council.ts';

export const customSageSchema = z.object({
  key: z.string(),
  name: z.string(),
  description: z.string(),
  prompt: z.string(),
  madeBy: z.object({ id: z.string(), name: z.string() }),
});
export type CustomSage = z.infer<typeof customSageSchema>;

/** A sage that was described and not saved yet. */
export const keptDraftSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  prompt: z.string(),
  /** Milliseconds since 1970. */
  expiresAt: z.number(),
});
export type KeptDraft = z.infer<typeof keptDraftSchema>;

/** The sage as it sits. */
export function seatable({ madeBy: _, ...sage }: CustomSage): Sage {
  return { ...sage, source: 'custom' };
}
