/** What the party to a contradiction is asked, and the shape of its rebuttal. */

import { z } from 'zod';
import { fence, fenceRule } from '../../domain/fence.ts';
import type { Sage } from '../../domain/turn.ts';
import type { ChatMessage } from '../../models/chat-model.ts';
import type { Council } from '../council.ts';
import { languageRule } from './moderator-prompt.ts';
import { personaInBrief } from './sage-prompt.ts';

export const rebuttalShape = {
  name: 'rebuttal',
  schema: z.object({
    position: z.enum(['hold', 'amend', 'concede']),
    flaw: z.string().default(''),
    because: z.string().trim().min(1),
    strongest_opposing_point: z.string().default(''),
  }),
};

const firstSide = 'A'.charCodeAt(0);

/** What stands against a sage's own stance. */
export interface Dispute {
  readonly topic: string;
  /** Its own, as it was read. */
  readonly own: string;
  /** Each other side, by what is said and not by whom. */
  readonly against: readonly { readonly stance: string; readonly quote: string }[];
}

/** Neither authors nor how many they are, ranks, votes or confidence are told: they move people, and are no reasons. */
export function rebuttalMessages(
  sage: Sage,
  question: string,
  answer: string,
  disputes: readonly Dispute[],
  council: Council,
): readonly ChatMessage[] {
  const system = [
    personaInBrief(sage),
    'You have answered a question in a council, and other answers contradict yours. You see what they say against it, side by side. Nobody is looking for agreement, and how many think otherwise is no reason. Hold your position, unless you find a flaw in your own answer: something that is not so, does not follow, or leaves out what would turn it.',
    '"position": "hold"; "amend" where a part of your answer is wrong and the rest stands; "concede" where the other side is right. ' +
      '"flaw": to amend or concede, the words of your own answer that are wrong, copied letter by letter; a change that names none counts as holding. Empty to hold. ' +
      '"because": the fact, the sum or the quoted words that decide it, and what your answer now says if it changes; at most 50 words, in the first person. It is read after the word “because”. ' +
      '"strongest_opposing_point": the best that can be said against you, fairly put, in one sentence.',
    'Reply with one JSON object and nothing else: {"position": "hold|amend|concede", "flaw": "…", "because": "…", "strongest_opposing_point": "…"}',
    languageRule(council, 'it'),
    fenceRule,
  ].join('\n\n');
  const shown = disputes.map(({ topic, own, against }) =>
    [
      `In dispute: ${topic}`,
      `You: ${own}`,
      ...against.map(
        ({ stance, quote }, index) =>
          `Side ${String.fromCharCode(firstSide + index)}: ${stance} “${quote}”`,
      ),
    ].join('\n'),
  );
  return [
    { role: 'system', content: system },
    {
      role: 'user',
      content: [
        fence('question', question),
        'Your answer:',
        fence('answer', answer),
        fence('docket', shown.join('\n\n')),
      ].join('\n\n'),
    },
  ];
}
