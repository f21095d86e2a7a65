/**
 * A sage that members have made for one channel, as it is kept.
 *
 * Its maker decides how it thinks and speaks to everybody in that channel. Its prompt stands
 * fenced and before the council's own rules; it reads what any sage there reads and nothing else,
 * calls no tools, and its answer is data to reviewers and chair like any other. Its name can't be
 * taken for that of another sage, of the platform or of people in charge.
 *
 * What remains: it may be rude, partial or wrong, praise something, or write out an address that
 * people then follow; it has one vote among the reviewers; and it may carry the name of a member,
 * whom only the platform knows. Against that its maker is named wherever the bench is shown, and
 * managers can dismiss it or keep it off the bench.
 */

import { z } from 'zod';
import { type Sage, sageSchema, turnRequestSchema } from '../domain/turn.ts';

export const customSageSchema = sageSchema
  .pick({ key: true, name: true, description: true })
  .extend({ prompt: z.string(), madeBy: turnRequestSchema.shape.author });
export type CustomSage = z.infer<typeof customSageSchema>;

/** A sage that was described and not saved yet. */
export const keptDraftSchema = customSageSchema
  .omit({ key: true, madeBy: true })
  .extend({ id: z.string() });
export type KeptDraft = z.infer<typeof keptDraftSchema>;

/** The sage as it is seated. */
export function seatable({ madeBy: _, ...sage }: CustomSage): Sage {
  return { ...sage, source: 'custom' };
}
