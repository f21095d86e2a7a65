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

/** The sage as it sits. */
export function seatable({ madeBy: _, ...sage }: CustomSage): Sage {
  return { ...sage, source: 'custom' };
}
