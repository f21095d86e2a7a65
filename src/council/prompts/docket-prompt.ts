/** What is asked for a docket: what the answers dispute, and not who is right. */

import { z } from 'zod';
import { fence, fenceRule } from '../../domain/fence.ts';
import type { ChatMessage } from '../../models/chat-model.ts';
import type { Council } from '../council.ts';
import { languageRule } from './moderator-prompt.ts';
import type { LabelledAnswer } from './review-prompt.ts';

export const docketShape = {
  name: 'docket',
  schema: z.object({
    consensus: z.array(z.string()).default([]),
    contradictions: z.array(
      z.object({
        topic: z.string(),
        stances: z.array(z.object({ label: z.string(), stance: z.string(), quote: z.string() })),
      }),
    ),
    unique: z.array(z.object({ label: z.string(), point: z.string() })).default([]),
    blind_spots: z.array(z.string()).default([]),
  }),
};
export type WrittenDocket = z.infer<typeof docketShape.schema>;

export function docketMessages(
  question: string,
  answers: readonly LabelledAnswer[],
  council: Council,
): readonly ChatMessage[] {
  const system = [
    `You read ${answers.length} answers to one question, under labels, and list what they dispute. You do not judge who is right, and you do not answer the question.`,
    'A contradiction is two claims that can’t both be true, or two pieces of advice that can’t both be followed, where what this person should do or believe turns on which one holds. Another emphasis, another subject or another degree of caution is none. One response against all others is one like any other. List at most two, and none where there is none: that is common.',
    'Of a contradiction give the topic in a few words, and each response that takes a side: its label; its stance in one short sentence, in the very same words for all on the same side; and as quote the words of that response that say so, with their reason, copied letter by letter with nothing left out, at most 20 words.',
    '"consensus": at most three things that all agree on. "unique": at most four points that only one response makes and that would change what this person does. "blind_spots": at most two things that matter here and that no response considers. A short sentence each.',
    'Reply with one JSON object and nothing else: {"consensus": ["…"], "contradictions": [{"topic": "…", "stances": [{"label": "…", "stance": "…", "quote": "…"}]}], "unique": [{"label": "…", "point": "…"}], "blind_spots": ["…"]}',
    languageRule(council, 'all but the quotes'),
    fenceRule,
  ].join('\n\n');
  const shown = answers.map(({ label, answer }) => fence('response', answer, { label }));
  return [
    { role: 'system', content: system },
    { role: 'user', content: [fence('question', question), ...shown].join('\n\n') },
  ];
}
