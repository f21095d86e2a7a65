/**
 * What a server with OpenAI's API sends as a reply, whole or in chunks, read leniently: servers
 * leave fields out, send `null` for them, or add chunks that carry nothing.
 */

import { z } from 'zod';
import type { TokenUsage } from '../chat-model.ts';

// Some vendors send the text as a list of parts, of which only some are text.
const contentSchema = z.union([
  z.string(),
  z.array(z.object({ text: z.string().optional().catch(undefined) })),
]);

// Reasoning is a by-product: in a form that is not known it is left out, and the reply still counts.
const reasoningTextSchema = z.string().nullish().catch(undefined);

const saidSchema = z.object({
  content: contentSchema.nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(z.unknown()).nullish().catch(undefined),
  reasoning: reasoningTextSchema,
  reasoning_content: reasoningTextSchema,
  reasoning_details: z
    .array(z.object({ text: reasoningTextSchema, summary: reasoningTextSchema }))
    .nullish()
    .catch(undefined),
});

const usageSchema = z.object({
  prompt_tokens: z.number().nonnegative(),
  completion_tokens: z.number().nonnegative(),
  total_tokens: z.number().nullish().catch(undefined),
  completion_tokens_details: z
    .object({ reasoning_tokens: z.number().nonnegative().nullish() })
    .nullish()
    .catch(undefined),
  cost: z.number().nonnegative().nullish().catch(undefined),
});

/** A whole reply (`message`) or one chunk of it (`delta`). */
export const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        delta: saidSchema.nullish(),
        message: saidSchema.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  model: z.string().nullish().catch(undefined),
  // Some vendors answer 200 and say here that they failed.
  error: z.unknown().optional(),
  // Figures that can't be read are as good as none: they are estimated then.
  usage: usageSchema.nullish().catch(undefined),
});
export type Completion = z.infer<typeof completionSchema>;
type Said = z.infer<typeof saidSchema>;

/** The text of a message or delta; empty where there is none. */
export function readContent(said: Said): string {
  const { content } = said;
  return typeof content === 'string'
    ? content
    : (content ?? []).map((part) => part.text ?? '').join('');
}

/** The reasoning of a message or delta. Vendors that send it under two names send the same text in both. */
export function readReasoning(said: Said): string {
  const details = (said.reasoning_details ?? [])
    .map((detail) => detail.text ?? detail.summary ?? '')
    .join('');
  return said.reasoning || said.reasoning_content || details;
}

/** The tokens of a call in our words; `undefined` where the server stated none. */
export function readUsage(usage: Completion['usage']): TokenUsage | undefined {
  if (usage === undefined || usage === null) {
    return undefined;
  }
  const { prompt_tokens: inputTokens, completion_tokens: completionTokens } = usage;
  // A vendor that leaves reasoning out of the completion still has it in the total.
  const outputTokens = Math.max(completionTokens, (usage.total_tokens ?? 0) - inputTokens);
  return {
    inputTokens,
    outputTokens,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    ...(usage.cost !== undefined && usage.cost !== null && { costUsd: usage.cost }),
  };
}

/** How a reply ended, of the many words that servers have for it. */
export function readFinishReason(reason: string): 'stop' | 'length' | 'refused' | 'broken' {
  switch (reason) {
    case 'length':
    case 'max_tokens':
    case 'model_length':
      return 'length';
    case 'content_filter':
    case 'safety':
    case 'refusal':
      return 'refused';
    case 'error':
      return 'broken';
    default:
      return 'stop';
  }
}
