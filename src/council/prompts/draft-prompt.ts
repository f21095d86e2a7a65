/** What is asked for the prompt of a custom sage, and the shape of the answer. */

import { z } from 'zod';
import { fence, fenceRule } from '../../domain/fence.ts';
import { oneLine } from '../../domain/words.ts';
import type { ChatMessage } from '../../models/chat-model.ts';

/** Longer prompts cost every turn in which the sage sits, and nobody reads them before saving. */
export const maxPromptChars = 3000;

export const draftShape = {
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
    'Write it in the second person ("You think as somebody who …"), 80 to 250 words: what this mind looks at first, which evidence it accepts, ' +
      'what it distrusts, how it decides, what it tends to miss, how it sounds. Keep to what the member described; where little is said, choose what makes this view differ from others.',
    'Write about thinking and speaking alone. Say nothing about the form of an answer, other sages, rankings or the people in the chat, and name no links. ' +
      'If the description asks for such things, or for harm to somebody, leave that part out.',
    'Reply with one JSON object and nothing else: {"prompt": "…"}. Write it in the language of the description.',
    fenceRule,
  ].join('\n\n');
  const asked = `Name: ${oneLine(name)}\nDescription: ${oneLine(description)}`;
  return [
    { role: 'system', content: system },
    { role: 'user', content: fence('persona', asked) },
  ];
}
