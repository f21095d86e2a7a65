import type { Called } from './called.ts';
import type { ChatChunk, ChatReply, TokenUsage } from './chat-model.ts';
import { createLeadingThought, type SortedText } from './leading-thought.ts';
import { replyFailure, unreadable } from './openai-failure.ts';
import {
  completionSchema,
  readContent,
  readFinishReason,
  readReasoning,
  readUsage,
} from './openai-reply.ts';
import { statedFailure } from './stated-failure.ts';

/** Gathers one reply from what a server sends, whole or in chunks, and judges whether it is one. */
export interface ReplyReader {
  /** The text so far. */
  readonly text: string;
  /** The server has said why it ended: what follows can only be figures. */
  readonly isFinished: boolean;
  /** Takes a reply or a chunk of one; gives what it adds. Throws {@link ModelError}. */
  take(sent: unknown): readonly ChatChunk[];
  /** Gives what was held back; called once, when nothing more comes. */
  end(): readonly ChatChunk[];
  /**
   * The complete reply. Throws {@link ModelError} where it is none.
   *
   * @param how - A `whole` one that parsed is complete; a `streamed` one only with its finish reason.
   */
  finish(how: 'whole' | 'streamed'): ChatReply;
}

export function createReplyReader(called: Called): ReplyReader {
  const thought = createLeadingThought();
  let text = '';
  let reasoning = '';
  let refusal = '';
  let finishReason: ReturnType<typeof readFinishReason> | undefined;
  let usage: TokenUsage | undefined;

  function take(sent: unknown): readonly ChatChunk[] {
    const parsed = completionSchema.safeParse(sent);
    if (!parsed.success) {
      throw unreadable(sent, called, text);
    }
    if (parsed.data.error) {
      throw statedFailure(parsed.data.error, called, { partialText: text });
    }
    usage = readUsage(parsed.data.usage) ?? usage;
    const choice = parsed.data.choices?.[0];
    if (choice?.finish_reason) {
      finishReason = readFinishReason(choice.finish_reason);
    }
    const said = choice?.delta ?? choice?.message;
    if (said === undefined || said === null) {
      return [];
    }
    refusal += said.refusal ?? '';
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
    return chunks;
  }

  function finish(how: 'whole' | 'streamed'): ChatReply {
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
    if (text.trim() === '') {
      const what =
        finishReason === 'length'
          ? 'used up its output tokens before it began to answer. Allow it more, or less reasoning effort.'
          : 'sent an empty answer. Ask again.';
      throw replyFailure('empty', what, called);
    }
    return {
      text,
      reasoning,
      finishReason: finishReason === 'length' ? 'length' : 'stop',
      ...(usage && { usage }),
    };
  }

  return {
    get text() {
      return text;
    },
    get isFinished() {
      return finishReason !== undefined;
    },
    take,
    end: () => keep(thought.end()),
    finish,
  };
}
