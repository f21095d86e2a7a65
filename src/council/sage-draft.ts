/** Drafts the prompt of a custom sage. */

import type { ChatModel } from '../models/chat-model.ts';
import { askInShape } from '../models/structured.ts';
import { startDeadline } from './cutoff.ts';
import { failureOf } from './failure.ts';
import { draftMessages, draftShape, maxPromptChars } from './prompts/draft-prompt.ts';

/** A prompt; or why there is none, for people. */
export type DraftedPrompt =
  | { readonly status: 'drafted'; readonly prompt: string }
  | { readonly status: 'failed'; readonly explanation: string };

/**
 * @param asked - Name and description as they will be kept.
 * @returns Never throws for what a model or the deadline does.
 */
export async function draftPrompt(
  model: ChatModel,
  asked: { readonly name: string; readonly description: string },
  timeoutMs: number,
): Promise<DraftedPrompt> {
  const deadline = startDeadline(
    new AbortController().signal,
    timeoutMs,
    'The author of the draft',
  );
  try {
    const reply = await askInShape(
      model,
      {
        messages: draftMessages(asked.name, asked.description),
        stage: 'draft',
        signal: deadline.signal,
        onWait: deadline.pause,
      },
      draftShape,
    );
    if (reply.status === 'shaped') return { status: 'drafted', prompt: reply.value.prompt };
    // Plain prose is what was wanted, without its wrapping.
    const isProse =
      reply.text !== '' && reply.text.length <= maxPromptChars && !/[{}]/.test(reply.text);
    if (isProse) return { status: 'drafted', prompt: reply.text };
    return { status: 'failed', explanation: `The draft could not be understood. ${reply.problem}` };
  } catch (error) {
    return { status: 'failed', explanation: failureOf(error).explanation };
  } finally {
    deadline.clear();
  }
}
