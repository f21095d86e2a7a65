/** A question as it is asked over the web, and what may be wished for it. */

import { z } from 'zod';
import { askOptions } from '../../domain/asking.ts';
import { type Sage, wishedDepths } from '../../domain/turn.ts';
import type { Suggestion } from '../platform.ts';

/** Last part of the id of a conversation. */
export const threadForm = /^[\w.-]{1,64}$/;

export const threadName = z
  .string()
  .regex(threadForm)
  .describe('Name of a conversation: letters, digits, dots, dashes and underscores');

/** What programs ask with, in JSON. */
export const questionShape = {
  question: z.string().describe('What to think about, with all that must be known for it'),
  thread: threadName
    .exactOptional()
    .describe('Conversation to go on with, as an earlier answer names it; absent: a new one'),
  depth: z
    .enum(wishedDepths)
    .exactOptional()
    .describe(askOptions.shape.depth.description ?? ''),
  sages: z
    .array(z.string())
    .min(1)
    .exactOptional()
    .describe('Keys of the sages to seat; one alone speaks without a verdict'),
  preset: z
    .string()
    .exactOptional()
    .describe(askOptions.shape.preset.description ?? ''),
};

/** What can be chosen for a question in a workspace. */
export interface Offered {
  /** At most 25. */
  readonly presets: readonly Suggestion[];
  readonly sages: readonly Sage[];
}
