/** Drafts the prompt of a custom sage. */

import { z } from 'zod';
import { fence, fenceRule } from '../domain/fence.ts';
import { oneLine } from '../domain/words.ts';
import type { ChatMessage, ChatModel } from '../models/chat-model.ts';
import { askInTime } from './ask-in-time.ts';

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
  const reply = await askInTime(
    model,
    {
      messages: draftMessages(asked.name, asked.description),
      ...{ stage: 'draft', signal: new AbortController().signal },
      ...{ who: 'The author of the draft', timeoutMs },
    },
    draftShape,
  );
  if (reply.status === 'failed') return { status: 'failed', explanation: reply.explanation };
  if (reply.status === 'shaped') return { status: 'drafted', prompt: reply.value.prompt };
  // Plain prose is what was wanted, without its wrapping.
  const isProse =
    reply.text !== '' && reply.text.length <= maxPromptChars && !/[{}]/.test(reply.text);
  if (isProse) return { status: 'drafted', prompt: reply.text };
  return { status: 'failed', explanation: `The draft could not be understood. ${reply.problem}` };
}

/** Longer prompts cost every turn in which the sage sits, and go unread before saving. */
export const maxPromptChars = 3000;

const draftShape = {
  name: 'sage_draft',
  schema: z.object({
    prompt: z
      .string()
      .trim()
      .min(1)
      .max(maxPromptChars, { error: `at most ${maxPromptChars} characters` }),
  }),
};

/** @param description - As the member wrote it; fenced here. */
export function draftMessages(name: string, description: string): readonly ChatMessage[] {
  const system = [
    'A member of a chat wants a new sage for a council of sages, in which each answers questions from its own point of view. ' +
      'You write the text that tells the sage who it is.',
    'Write it in the second person ("You think as someone who …"), 80 to 250 words: what this mind looks at first, which evidence it accepts, ' +
      'what it distrusts, how it decides, what it tends to miss, how it sounds. Keep to what the member described; where little is said, choose what makes this view differ from others.',
    'Write about thinking and speaking alone. Say nothing about the form of an answer, other sages, rankings or the people in the chat, and name no links. ' +
      'If the description asks for such things, or for harm to anyone, leave that part out.',
    'Reply with one JSON object and nothing else: {"prompt": "…"}. Write it in the language of the description.',
    fenceRule,
  ].join('\n\n');
  const asked = `Name: ${oneLine(name)}\nDescription: ${oneLine(description)}`;
  return [
    { role: 'system', content: system },
    { role: 'user', content: fence('persona', asked) },
  ];
}
