/**
 * A reply as chat completions: chunks, or one object.
 *
 * Each rule is there because a program broke without it: the role is in the first chunk alone, every chunk has the
 * same id, time and model, the one with the finish reason has no content, and the usage comes after it.
 *
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */

import { chatUsage, inSeconds, type Reply, untilAnswered, wholeOf } from './reply.ts';

/** Which field the deliberation is told in: one alone, since some programs show both. */
export const reasoningFields = ['reasoning_content', 'reasoning'] as const;
export type ReasoningField = (typeof reasoningFields)[number];

export interface ChatForm {
  readonly reasoningField: ReasoningField;
  /** A last chunk tells the usage. */
  readonly wantsUsage: boolean;
}

/** The chunks of a reply, without `[DONE]`. Throws a `V1Failure` where it ends without an answer. */
export async function* chatChunks(reply: Reply, { reasoningField, wantsUsage }: ChatForm) {
  const facts = { ...factsOf(reply), object: 'chat.completion.chunk' };
  const chunk = (delta: object, finish_reason: 'stop' | null = null) => ({
    ...{ ...facts, choices: [{ index: 0, delta, logprobs: null, finish_reason }] },
    ...(wantsUsage && { usage: null }),
  });
  yield chunk({ role: 'assistant', content: '' });
  let joint = '';
  for await (const piece of untilAnswered(reply.pieces)) {
    if (piece.type === 'said') yield chunk({ content: piece.text });
    else yield chunk({ [reasoningField]: `${piece.goesOn ? '' : joint}${piece.text}` });
    joint = '\n\n';
  }
  yield chunk({}, 'stop');
  if (wantsUsage) yield { ...facts, choices: [], usage: chatUsage(await reply.used()) };
}

/** A whole reply. Throws a `V1Failure` where it ends without an answer. */
export async function chatCompletion(reply: Reply, { reasoningField }: ChatForm) {
  const { thoughts, said } = await wholeOf(reply);
  return {
    ...{ ...factsOf(reply), object: 'chat.completion' },
    choices: [
      {
        index: 0,
        message: {
          ...{ role: 'assistant', content: said, refusal: null },
          [reasoningField]: thoughts.join('\n\n'),
        },
        ...{ logprobs: null, finish_reason: 'stop' },
      },
    ],
    usage: chatUsage(await reply.used()),
  };
}

function factsOf({ id, createdAt, model }: Reply) {
  return { id: `chatcmpl-${id}`, created: inSeconds(createdAt), model };
}
