/**
 * A sage that members have made for one channel, as it is kept.
 *
 * Its maker decides how it thinks and speaks to everybody in that channel. Its prompt stands
 * fenced and before the council's own rules; it reads what any sage there reads and nothing else,
 * calls no tools, and its answer is data to reviewers and chair like any other. Its name can't be
 * taken for that of another sage, of the platform or of people in charge.
 *
 * What remains: it may be rude, partial or wrong, praise something, or write out an address that
 * people then follow; it has one vote among the reviewers; and it may carry the name of a member,
 * whom only the platform knows. Against that its maker is named wherever the bench is shown, and
 * managers can dismiss it or keep it off the bench.
 */

import { z } from 'zod';
import { fence, fenceRule } from '../domain/fence.ts';
import { type Sage, sageSchema, turnRequestSchema } from '../domain/turn.ts';
import { oneLine } from '../domain/words.ts';
import type { ChatMessage, ChatModel } from '../models/chat-model.ts';
import { askInTime } from './cutoff.ts';

export const customSageSchema = sageSchema
  .pick({ key: true, name: true, description: true })
  .extend({ prompt: z.string(), madeBy: turnRequestSchema.shape.author });
export type CustomSage = z.infer<typeof customSageSchema>;

/** A sage that was described and not saved yet. */
export const keptDraftSchema = customSageSchema
  .omit({ key: true, madeBy: true })
  .extend({ id: z.string() });
export type KeptDraft = z.infer<typeof keptDraftSchema>;

/** The sage as it is seated. */
export function seatable({ madeBy: _, ...sage }: CustomSage): Sage {
  return { ...sage, source: 'custom' };
}

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
