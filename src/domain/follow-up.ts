/** What people go on with below a verdict: a question that it suggests, or a sage that is asked again. */

import { z } from 'zod';

/** How many questions a verdict suggests, and how long each may be in characters: they are buttons. */
export const mostNextQuestions = 3;
export const longestNextQuestion = 60;

/** What a question follows from that was picked below a verdict. */
export const followsSchema = z.object({
  /** The turn that reached the verdict. */
  turnId: z.string(),
  /** A sage of that turn is asked again, alone. Absent: the question is one that the verdict suggests. */
  again: z
    .object({
      /** Name of the sage. */
      name: z.string(),
      /** What the moderator asked it besides. */
      focus: z.string().exactOptional(),
      /** `provider:model` that speaks for it this time; absent: as the channel is set. */
      model: z.string().exactOptional(),
      /** When it was asked first, in milliseconds since 1970. What was said from then on is in no prompt. */
      firstAskedAt: z.number(),
    })
    .exactOptional(),
});
