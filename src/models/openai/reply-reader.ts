/**
 * Reads a reply of OpenAI's API, whole or in chunks. It is lenient: servers leave fields out, send `null`
 * instead, or add empty chunks.
 */

import { z } from 'zod';
import type { ChatChunk, ChatReply, ModelError, TokenUsage } from '../chat-model.ts';
import { objectAtEnd } from '../json-in-text.ts';
import { type CalledModel, nameOf, quotable } from '../model-options.ts';
import { costIn, statedCost } from '../prices.ts';
import {
  closing,
  createLeadingThought,
  nothing,
  type SortedText,
  withoutOpenThought,
} from './leading-thought.ts';
import { oversized } from './openai-failure.ts';
import { failed, saidIn, statedFailure } from './stated-failure.ts';

// Reasoning of an unknown form is ignored; the reply is still valid.
const reasoningTextSchema = z.string().nullish().catch(undefined);

// Some vendors send the text as a list of parts, not all of which are text; Mistral's models think in some.
const contentSchema = z.union([
  z.string(),
  z.array(
    z.object({
      text: z.string().optional().catch(undefined),
      thinking: z.array(z.object({ text: reasoningTextSchema })).catch([]),
    }),
  ),
]);

const toolCallSchema = z.object({
  index: z.int().optional(),
  function: z.object({ arguments: z.string().nullish() }).optional(),
});

const saidSchema = z.object({
  content: contentSchema.nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(toolCallSchema).nullish().catch(undefined),
  reasoning: reasoningTextSchema,
  reasoning_content: reasoningTextSchema,
  reasoning_details: z
    .array(z.object({ text: reasoningTextSchema, summary: reasoningTextSchema }))
    .nullish()
    .catch(undefined),
});

const usageSchema = z.object({
  prompt_tokens: z.int().nonnegative(),
  completion_tokens: z.int().nonnegative(),
  total_tokens: z.int().nullish().catch(undefined),
  prompt_tokens_details: z
    .object({ cached_tokens: z.int().nonnegative().nullish() })
    .nullish()
    .catch(undefined),
  completion_tokens_details: z
    .object({ reasoning_tokens: z.int().nonnegative().nullish() })
    .nullish()
    .catch(undefined),
  ...statedCost,
});

/** A whole reply (`message`) or one chunk of it (`delta`). */
const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        delta: saidSchema.nullish(),
        message: saidSchema.nullish(),
        finish_reason: z.string().nullish(),
        error: z.unknown().optional(),
      }),
    )
    .nullish(),
  model: z.string().nullish().catch(undefined),
  // Some vendors report failures here, or in the choice, with status 200.
  error: z.unknown().optional(),
  // Unreadable figures count as missing, and are estimated.
  usage: usageSchema.nullish().catch(undefined),
});
export type Completion = z.infer<typeof completionSchema>;
type Said = z.infer<typeof saidSchema>;

/** The text of a message or delta; may be empty. */
function readContent(said: Said): string {
  const { content } = said;
  return typeof content === 'string'
    ? content
    : (content ?? []).map((part) => part.text ?? '').join('');
}

/** The reasoning of a message or delta. Vendors that use two fields send the same text in both. */
function readReasoning(said: Said): string {
  const details = (said.reasoning_details ?? [])
    .map((detail) => detail.text ?? detail.summary ?? '')
    .join('');
  const parts = typeof said.content === 'string' ? [] : (said.content ?? []);
  const thoughts = parts.flatMap(({ thinking }) => thinking.map(({ text }) => text ?? '')).join('');
  return said.reasoning || said.reasoning_content || details || thoughts;
}

/** The usage that the server states; `undefined` if it states none. */
function readUsage(usage: Completion['usage']): TokenUsage | undefined {
  if (!usage) return undefined;
  const { prompt_tokens: inputTokens, completion_tokens: completionTokens } = usage;
  // Vendors that don't count reasoning as completion still include it in the total.
  const outputTokens = Math.max(completionTokens, (usage.total_tokens ?? 0) - inputTokens);
  const cachedTokens = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    inputTokens,
    outputTokens,
    ...(cachedTokens > 0 && { cachedTokens }),
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    ...costIn(usage),
  };
}

/** Normalises the finish reasons of different vendors. */
function readFinishReason(reason: string): 'stop' | 'length' | 'refused' | 'broken' {
  // Gemini adds its own reason, as in `content_filter: RECITATION`.
  switch (reason.toLowerCase().replace(/:.*/s, '')) {
    case 'length':
    case 'max_tokens':
    case 'model_length':
    case 'model_context_window_exceeded': // GLM
      return 'length';
    case 'content_filter':
    case 'safety':
    case 'refusal':
    case 'sensitive': // GLM
      return 'refused';
    case 'error':
    case 'abort': // vLLM
    case 'insufficient_system_resource': // DeepSeek
    case 'network_error': // GLM
      return 'broken';
    default:
      return 'stop';
  }
}

/** A reply that is nothing but a refusal, as models without a field for it write one. */
const plainRefusal =
  /^\s*(?:(?:(?:I['’]m|I am) (?:very )?sorry|Sorry)?[,.]? ?(?:but )?I (?:can['’]t|cannot|won['’]t|am (?:unable|not able) to) (?:help|assist|comply|fulfil)(?! but)|(?:Es )?tut mir leid,? (?:aber )?.{0,40}nicht (?:helfen|weiterhelfen|beantworten|erfüllen)|(?:Je suis )?désolée?,? (?:mais )?je ne peux pas (?:vous |t['’])?(?:aider|répondre)|Lo siento,? (?:pero )?no puedo (?:ayudar|responder)\w*)\b.{0,100}$/is;

/** The limit of a reply including its reasoning: about 250,000 tokens. */
const maxSaidChars = 1_000_000;

/**
 * Assembles one reply from what a server sends, whole or in chunks, and checks that it is complete.
 *
 * @param opensInThought - Whether the reply most likely begins within a thought. If so, no text is fresh until the
 *   thought ends.
 */
export function createReplyReader(called: CalledModel, opensInThought: boolean) {
  const thought = createLeadingThought();
  let text = '';
  let reasoning = '';
  let refusal = '';
  let finishReason: ReturnType<typeof readFinishReason> | undefined;
  let usage: TokenUsage | undefined;
  let answeringModel = '';
  let hasCalledTool = false;
  /** Of the first call. */
  let callArguments = '';
  let hasChoices = false;
  let fresh = nothing;
  let isHeldBack = opensInThought;
  let hasOpenThought = false;

  /** Takes a reply or a chunk. Throws {@link ModelError}. */
  function take(sent: unknown): void {
    const parsed = completionSchema.safeParse(sent);
    if (!parsed.success) {
      const advice = `${nameOf(called)} sent an answer that is not in the form of OpenAI’s API.`;
      throw failed('broken_stream', called, { text: advice, partialText: text });
    }
    const { choices } = parsed.data;
    const choice = choices?.[0];
    hasChoices ||= choices !== undefined;
    // Older vLLMs and DeepInfra state a failure in place of the choices.
    const stated = parsed.data.error || choice?.error || (!choice && saidIn(sent) && sent);
    if (stated) throw statedFailure(stated, called, { partialText: text });
    usage = readUsage(parsed.data.usage) ?? usage;
    answeringModel ||= parsed.data.model ?? '';
    if (choice?.finish_reason) {
      finishReason = readFinishReason(choice.finish_reason);
    }
    const said = choice?.delta ?? choice?.message;
    if (said === undefined || said === null) return;
    refusal += said.refusal ?? '';
    const [call] = said.tool_calls ?? [];
    hasCalledTool ||= call !== undefined;
    if (call?.index === undefined || call.index === 0)
      callArguments += call?.function?.arguments ?? '';
    const sorted = thought.take(readContent(said));
    keep({ text: sorted.text, reasoning: readReasoning(said) + sorted.reasoning });
  }

  function keep(added: SortedText): void {
    text += added.text;
    reasoning += added.reasoning;
    let shown = added.text;
    if (isHeldBack) {
      const end = text.indexOf(closing, text.length - shown.length - closing.length);
      isHeldBack = end === -1;
      shown = isHeldBack ? '' : text.slice(end + closing.length);
    }
    fresh = { text: fresh.text + shown, reasoning: fresh.reasoning + added.reasoning };
    const chars = text.length + reasoning.length + refusal.length + callArguments.length;
    if (chars > maxSaidChars) {
      throw oversized(called, text);
    }
  }

  /**
   * Returns what was added since the last call, merged: every chunk costs a step in each wrapper around the
   * model and in the preview of the answer.
   */
  function takeFresh(): readonly ChatChunk[] {
    const { reasoning: thoughts, text: words } = fresh;
    fresh = nothing;
    return [
      ...(thoughts === '' ? [] : [{ type: 'reasoning', text: thoughts } as const]),
      ...(words === '' ? [] : [{ type: 'text', text: words } as const]),
    ];
  }

  /**
   * Returns the complete reply. Throws {@link ModelError} if it is refused, incomplete or empty.
   *
   * @param how - A `streamed` reply needs a finish reason to be complete; a `whole` one does not.
   * @param remarks - Known remarks about the model.
   */
  function finish(how: 'whole' | 'streamed', remarks: readonly string[]): ChatReply {
    const said = text;
    ({ text, reasoning } = withoutOpenThought({ text, reasoning }));
    hasOpenThought = text !== said;
    // LM Studio and vLLM apply a schema to the thoughts of some models, which then hold the answer. Others call a tool
    // that no one offers them.
    if (text.trim() === '' && finishReason === 'stop') {
      const inThought = objectAtEnd(reasoning);
      text = inThought || objectAtEnd(callArguments);
      if (inThought) reasoning = reasoning.slice(0, reasoning.lastIndexOf(inThought));
    }
    const facts = { partialText: text, usage };
    if (plainRefusal.test(text)) refusal ||= text.trim();
    if (refusal !== '') throw failed('refused', called, { said: refusal, ...facts });
    if (finishReason === 'refused') {
      const advice = `${nameOf(called)} was stopped by its provider's content filter. Put the question differently.`;
      throw failed('refused', called, { text: advice, ...facts });
    }
    if (finishReason === 'broken' || (finishReason === undefined && how === 'streamed')) {
      throw failed('broken_stream', called, facts);
    }
    if (how === 'whole' && !hasChoices) throw failed('wrong_address', called);
    if (text.trim() === '') throw emptyReply();
    const notes = [...remarks, ...otherModel(answeringModel, called)];
    return {
      text,
      reasoning,
      finishReason: finishReason === 'length' ? 'length' : 'stop',
      ...(usage && { usage }),
      ...(notes.length > 0 && { remarks: notes }),
    };
  }

  function emptyReply(): ModelError {
    if (finishReason === 'length' || reasoning !== '')
      return failed('output_limit', called, { usage });
    if (!hasCalledTool) return failed('empty', called, { usage });
    const advice = `${nameOf(called)} called a tool instead of answering. Choose another model.`;
    return failed('empty', called, { text: advice, usage });
  }

  return {
    /** The text so far. */
    get text(): string {
      return text;
    },
    /** Whether the finish reason has arrived; only usage figures can follow. */
    get isFinished(): boolean {
      return finishReason !== undefined;
    },
    /** Whether the finished reply began within a thought. */
    get hasOpenThought(): boolean {
      return hasOpenThought;
    },
    take,
    takeFresh,
    /** Takes text that was held back. Call once, at the end. */
    end: () => keep(thought.end()),
    finish,
  };
}

/** A remark if another model answered. Servers may use a dated or shortened name of the same model. */
function otherModel(answering: string, called: CalledModel): readonly string[] {
  const bare = (name: string) => name.slice(name.lastIndexOf('/') + 1).toLowerCase();
  const [asked, answered] = [bare(called.model), bare(answering)];
  const isSame = answered.startsWith(asked) || asked.startsWith(answered);
  return isSame ? [] : [`is answered for by ${quotable(answering.slice(0, 100), called)}`];
}
