/**
 * Sages that members make for one channel.
 *
 * Their maker decides how they think and speak to everyone in that channel. Their prompt is fenced and precedes the
 * council's own rules; they read the same as any sage there, call no tools, and reviewers and the chair get their
 * answer as data. Their name can't be mistaken for another sage, the platform or people in charge.
 *
 * Remaining risks: such a sage may be rude, biased or wrong, advertise, or write a link that people follow; it has
 * one vote among the reviewers; and it may bear a member's name, which only the platform knows. Therefore the bench
 * shows its maker, and managers can dismiss it or keep it off the bench.
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

/** A drafted sage that isn't saved yet. */
export const keptDraftSchema = customSageSchema
  .omit({ key: true, madeBy: true })
  .extend({ id: z.string() });
export type KeptDraft = z.infer<typeof keptDraftSchema>;

/** Returns the sage in the form in which it is seated. */
export function seatableSage({ madeBy: _, ...sage }: CustomSage): Sage {
  return { ...sage, source: 'custom' };
}

/** A prompt, or an explanation for people why there is none. */
export type DraftedPrompt =
  | { readonly status: 'drafted'; readonly prompt: string }
  | { readonly status: 'failed'; readonly explanation: string };

/**
 * Has a model write the prompt of a new sage. Never throws for a failing model or a timeout.
 *
 * @param asked - Name and description as they will be stored.
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
      stage: 'draft',
      signal: new AbortController().signal,
      who: 'The author of the draft',
      timeoutMs,
    },
    draftShape,
  );
  if (reply.status === 'failed') return { status: 'failed', explanation: reply.explanation };
  if (reply.status === 'shaped') return { status: 'drafted', prompt: reply.value.prompt };
  // Plain prose is the prompt itself, without the JSON around it.
  const isProse =
    reply.text !== '' && reply.text.length <= maxPromptChars && !/[{}]/.test(reply.text);
  if (isProse) return { status: 'drafted', prompt: reply.text };
  return { status: 'failed', explanation: `The draft could not be understood. ${reply.problem}` };
}

/** A longer prompt would cost tokens in every turn of the sage, and people would save it unread. */
const maxPromptChars = 3000;

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

/** @param description - As the member wrote it; this function fences it. */
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
