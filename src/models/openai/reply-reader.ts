/**
 * Gathers what a server with OpenAI's API sends as a reply, whole or in chunks. It is read leniently: servers
 * leave fields out, send `null` for them, or add chunks that carry nothing.
 */

import { z } from 'zod';
import { type Called, nameOf, quotable } from '../called.ts';
import { type ChatChunk, type ChatReply, ModelError, type TokenUsage } from '../chat-model.ts';
import { createLeadingThought, type SortedText } from './leading-thought.ts';
import { endless, replyFailure, unreadable } from './openai-failure.ts';
import { outputAdvice, statedFailure } from './stated-failure.ts';

/**
 * What a server with OpenAI's API sends as a reply, whole or in chunks, read leniently: servers
 * leave fields out, send `null` for them, or add chunks that carry nothing.
 */
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
const completionSchema = z.object({
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
function readContent(said: Said): string {
  const { content } = said;
  return typeof content === 'string'
    ? content
    : (content ?? []).map((part) => part.text ?? '').join('');
}

/** The reasoning of a message or delta. Vendors that send it under two names send the same text in both. */
function readReasoning(said: Said): string {
  const details = (said.reasoning_details ?? [])
    .map((detail) => detail.text ?? detail.summary ?? '')
    .join('');
  return said.reasoning || said.reasoning_content || details;
}

/** The tokens of a call in our words; `undefined` where the server stated none. */
function readUsage(usage: Completion['usage']): TokenUsage | undefined {
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
function readFinishReason(reason: string): 'stop' | 'length' | 'refused' | 'broken' {
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

/** What a model may say in one reply, its reasoning included, in characters: some 250,000 tokens. */
const maxSaidChars = 1_000_000;

/** Gathers one reply from what a server sends, whole or in chunks, and judges whether it is one. */
export function createReplyReader(called: Called) {
  const thought = createLeadingThought();
  let text = '';
  let reasoning = '';
  let refusal = '';
  let finishReason: ReturnType<typeof readFinishReason> | undefined;
  let usage: TokenUsage | undefined;
  let answeringModel = '';
  let hasCalledTool = false;

  /** Takes a reply or a chunk of one; gives what it adds. Throws {@link ModelError}. */
  function take(sent: unknown): readonly ChatChunk[] {
    const parsed = completionSchema.safeParse(sent);
    if (!parsed.success) {
      throw unreadable(called, text);
    }
    if (parsed.data.error) {
      throw statedFailure(parsed.data.error, called, { partialText: text });
    }
    usage = readUsage(parsed.data.usage) ?? usage;
    answeringModel ||= parsed.data.model ?? '';
    const choice = parsed.data.choices?.[0];
    if (choice?.finish_reason) {
      finishReason = readFinishReason(choice.finish_reason);
    }
    const said = choice?.delta ?? choice?.message;
    if (said === undefined || said === null) {
      return [];
    }
    refusal += said.refusal ?? '';
    hasCalledTool ||= (said.tool_calls?.length ?? 0) > 0;
    const thoughtOf = readReasoning(said);
    const chunks: SortedText[] = [...thought.take(readContent(said))];
    return keep(thoughtOf === '' ? chunks : [{ type: 'reasoning', text: thoughtOf }, ...chunks]);
  }

  function keep(chunks: readonly SortedText[]): readonly ChatChunk[] {
    for (const chunk of chunks) {
      if (chunk.type === 'text') {
        text += chunk.text;
      } else {
        reasoning += chunk.text;
      }
    }
    if (text.length + reasoning.length + refusal.length > maxSaidChars) {
      throw endless(called, text);
    }
    return chunks;
  }

  /**
   * The complete reply. Throws {@link ModelError} where it is none.
   *
   * @param how - A `whole` one that parsed is complete; a `streamed` one only with its finish reason.
   * @param remarks - What is known of the model beside the reply.
   */
  function finish(how: 'whole' | 'streamed', remarks: readonly string[]): ChatReply {
    if (refusal !== '') {
      throw replyFailure('refused', 'refuses to answer: ', called, text, refusal);
    }
    if (finishReason === 'refused') {
      const what = "was stopped by its provider's content filter. Put the question differently.";
      throw replyFailure('refused', what, called, text);
    }
    if (finishReason === 'broken' || (finishReason === undefined && how === 'streamed')) {
      throw replyFailure('broken_stream', 'broke off its answer. Ask again.', called, text);
    }
    if (text.trim() === '') throw nothingSaid();
    const notes = [...remarks, ...otherModel(answeringModel, called)];
    return {
      text,
      reasoning,
      finishReason: finishReason === 'length' ? 'length' : 'stop',
      ...(usage && { usage }),
      ...(notes.length > 0 && { remarks: notes }),
    };
  }

  function nothingSaid(): ModelError {
    if (finishReason === 'length' || reasoning !== '') {
      const model = nameOf(called);
      return new ModelError(outputAdvice(called), { failure: 'output_limit', model });
    }
    const what = hasCalledTool
      ? 'called a tool instead of answering. Choose another model.'
      : 'sent an empty answer. Ask again.';
    return replyFailure('empty', what, called);
  }

  return {
    /** The text so far. */
    get text(): string {
      return text;
    },
    /** The server has said why it ended: what follows can only be figures. */
    get isFinished(): boolean {
      return finishReason !== undefined;
    },
    take,
    /** Gives what was held back; called once, when nothing more comes. */
    end: () => keep(thought.end()),
    finish,
  };
}

/** Servers answer under a dated or shortened name of the model that was asked; another one is worth a remark. */
function otherModel(answering: string, called: Called): readonly string[] {
  const bare = (name: string) => name.slice(name.lastIndexOf('/') + 1).toLowerCase();
  const [asked, answered] = [bare(called.model), bare(answering)];
  const isSame = answered.startsWith(asked) || asked.startsWith(answered);
  return isSame ? [] : [`is answered for by ${quotable(answering.slice(0, 100), called)}`];
}
