/** What the moderator is asked, and the shape of what it answers. */

import { z } from 'zod';
import { fence, fenceRule } from '../../domain/fence.ts';
import { oneLine } from '../../domain/words.ts';
import type { ChatMessage } from '../../models/chat-model.ts';
import type { Council, CouncilContext } from '../council.ts';

const focusSchema = z.object({ sage: z.string(), query: z.string() });
const newSageSchema = z.object({ name: z.string(), description: z.string() });

/**
 * The moderator's contract. `focus` stands first because replies are written in this order: a sage
 * that is named at the end of the stream then starts with its focus already known.
 */
export const seatingShape = {
  name: 'seating',
  schema: z.object({
    focus: z.array(focusSchema).default([]),
    predefined_chosen_sages: z.array(z.string()),
    new_sages_to_create: z.array(newSageSchema),
  }),
};
export type Seating = z.infer<typeof seatingShape.schema>;
export { focusSchema, newSageSchema };

/** @param question - As it was asked; fenced here. */
export function moderatorMessages(
  question: string,
  council: Council,
  context: CouncilContext,
): readonly ChatMessage[] {
  const bench = council.bench
    .map((sage) => `- ${sage.key}: ${oneLine(sage.description)}`)
    .join('\n');
  const invention =
    council.maxDynamicSages > 0
      ? `Where the bench lacks a view that this question clearly needs, you may invent a sage with a name and a one-sentence description: at most ${council.maxDynamicSages}. Its name is short and made of letters; it is not close to one on the bench, and holds no word for people in charge, such as admin, moderator, owner or staff.`
      : 'Do not invent sages: leave "new_sages_to_create" empty.';
  const system = [
    'You are the moderator of a council of sages. You decide who sits for a question; you do not answer it.',
    `Seat at most ${council.maxSages} sages in all. Choose those whose ways of looking at this question differ the most from one another and matter the most for it; two who would say the same are one too many.`,
    `The bench, by key:\n${fence('bench', bench)}`,
    invention,
    'For each seated sage write a focus: the sub-question that this sage, of all, should press. It goes beside the original question and never replaces it.',
    'Reply with one JSON object and nothing else, its keys in this order: ' +
      '{"focus": [{"sage": "key or new name", "query": "…"}], "predefined_chosen_sages": ["key"], "new_sages_to_create": [{"name": "…", "description": "…"}]}',
    languageRule(council, 'the focus queries'),
    fenceRule,
  ].join('\n\n');
  return [
    { role: 'system', content: system },
    ...context.forSages,
    { role: 'user', content: fence('question', question) },
  ];
}

/** In which language to write. */
export function languageRule(council: Pick<Council, 'language'>, what: string): string {
  return council.language
    ? `Write ${what} in ${oneLine(council.language)}.`
    : `Write ${what} in the language of the question.`;
}
