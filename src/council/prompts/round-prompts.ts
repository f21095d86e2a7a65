/** The prompts of the rebuttal round: for the docket, for each party, and for the chair's rulings. */

import { z } from 'zod';
import type { Round } from '../../domain/docket.ts';
import { fence, fenceRule } from '../../domain/fence.ts';
import type { Sage } from '../../domain/turn.ts';
import { takenBack } from '../../domain/turn-words.ts';
import { asReadBy, type ChatMessage } from '../../models/chat-model.ts';
import { listOf, wordOf } from '../../models/structured.ts';
import type { Council, CouncilContext } from '../council.ts';
import { verdictShape } from './chair-prompt.ts';
import { languageRule } from './moderator-prompt.ts';
import { blindMessages, type LabelledAnswer, labelAt } from './review-prompt.ts';
import { personaInBrief } from './sage-prompt.ts';

export const docketShape = {
  name: 'docket',
  schema: z.object({
    consensus: listOf(z.string()).default([]),
    contradictions: listOf(
      z.object({
        topic: z.string(),
        stances: z.array(z.object({ label: z.string(), stance: z.string(), quote: z.string() })),
      }),
    ),
    unique: z.array(z.object({ label: z.string(), point: z.string() })).default([]),
    blind_spots: listOf(z.string()).default([]),
  }),
};
export type WrittenDocket = z.infer<typeof docketShape.schema>;

export function docketMessages(
  question: string,
  answers: readonly LabelledAnswer[],
  council: Council,
  context: CouncilContext,
): readonly ChatMessage[] {
  const rules = [
    `You read ${answers.length} answers to one question, under labels, and list what they dispute. You do not judge who is right, and you do not answer the question.`,
    'A contradiction is two claims that can’t both be true, or two pieces of advice that can’t both be followed, where what this person should do or believe turns on which one holds. A different emphasis, subject or degree of caution is not one. One response against all the others counts like any other contradiction. List at most two; often there is none.',
    'For each contradiction give the topic in a few words, and for each response that takes a side: its label; its stance in one short sentence, worded exactly alike for all on the same side; and as the quote, the words of that response that say so, with their reason, copied letter by letter with nothing left out, at most 20 words.',
    '"consensus": at most three things that all agree on. "unique": at most four points that only one response makes and that would change what this person does. "blind_spots": at most two things that matter here and that no response considers. A short sentence each.',
    'Reply with one JSON object and nothing else: {"consensus": ["…"], "contradictions": [{"topic": "…", "stances": [{"label": "…", "stance": "…", "quote": "…"}]}], "unique": [{"label": "…", "point": "…"}], "blind_spots": ["…"]}',
    languageRule(council, 'all but the quotes'),
    fenceRule,
  ];
  return blindMessages(rules, question, answers, context);
}

export const rebuttalShape = {
  name: 'rebuttal',
  schema: z.object({
    position: wordOf(['hold', 'amend', 'concede']),
    flaw: z.string().default(''),
    because: z.string().trim().min(1),
    strongest_opposing_point: z.string().default(''),
  }),
};

/** A contradiction between a sage and other answers. */
export interface Dispute {
  readonly topic: string;
  /** The sage's own stance in the docket. */
  readonly own: string;
  /** The other sides, without their authors. */
  readonly against: readonly { readonly stance: string; readonly quote: string }[];
}

/**
 * Builds the prompt for a rebuttal. It shows no authors, their number, ranks, votes or confidence, which sway people
 * but aren't arguments.
 *
 * @param focus - What the moderator asked of the sage.
 */
export function rebuttalMessages(
  sage: Sage,
  question: string,
  answer: string,
  disputes: readonly Dispute[],
  council: Council,
  context: CouncilContext,
  focus?: string,
): readonly ChatMessage[] {
  const system = [
    personaInBrief(sage),
    'You have answered a question in a council, and other answers contradict yours. You see what they say against it, side by side. Nobody is looking for agreement, and how many think otherwise is no reason. Hold your position, unless you find a flaw in your own answer: something that is untrue, does not follow, or leaves out what would change it.',
    '"position": "hold"; "amend" where a part of your answer is wrong and the rest stands; "concede" where the other side is right. ' +
      '"flaw": to amend or concede, the words of your own answer that are wrong, copied letter by letter; a change that names none counts as holding. Leave it empty to hold. ' +
      '"because": the fact, the sum or the quoted words that decide it, and what your answer now says if it changes; at most 50 words, in the first person. It is read after the word “because”. ' +
      '"strongest_opposing_point": the best that can be said against you, fairly put, in one sentence.',
    'Reply with one JSON object and nothing else: {"position": "hold|amend|concede", "flaw": "…", "because": "…", "strongest_opposing_point": "…"}',
    languageRule(council, 'its texts'),
    fenceRule,
  ].join('\n\n');
  const shown = disputes.map(({ topic, own, against }) =>
    [
      `In dispute: ${topic}`,
      `You: ${own}`,
      ...against.map(({ stance, quote }, index) => `Side ${labelAt(index)}: ${stance} “${quote}”`),
    ].join('\n'),
  );
  return [
    { role: 'system', content: system },
    ...asReadBy(context.forSages, sage.key),
    {
      role: 'user',
      content: [
        fence('question', question),
        ...(focus === undefined ? [] : [focusReminder, fence('focus', focus)]),
        'Your answer:',
        fence('answer', answer),
        fence('docket', shown.join('\n\n')),
      ].join('\n\n'),
    },
  ];
}

const focusReminder =
  'What the moderator asked of you in particular. If it was to argue for an option, your answer makes that case and is not yet your view: hold it only if you find it right.';

const rulingSchema = z.object({
  number: z.number(),
  settled: z.boolean(),
  follows: z.string().default(''),
  why: z.string(),
});
const pointRulingSchema = z.object({ number: z.number(), kept: z.boolean(), why: z.string() });

/** The rulings come last, so that the verdict is streamed first. */
export const deepVerdictShape = {
  name: verdictShape.name,
  schema: verdictShape.schema.extend({
    contradictions: z.array(rulingSchema).default([]),
    unique: z.array(pointRulingSchema).default([]),
  }),
};
/** The chair's rulings on the docket, by the numbers in its prompt. */
export type Rulings = Pick<z.infer<typeof deepVerdictShape.schema>, 'contradictions' | 'unique'>;

export const settlementRule =
  'The docket lists where the answers contradict each other and what only one of them says. The parties to a contradiction were asked once more: holding is worth as much as its reason, and a concession is no proof either. Decide each contradiction that the reasons decide, if need be for the one who stands alone, and leave open what only facts or the person can decide. ' +
  'Put two more keys at the end of the JSON object. "contradictions": [{"number": 1, "settled": true, "follows": "name of a sage, or empty", "why": "…"}], one for each contradiction by its number; why in one sentence: the reason that decides it, or what would. ' +
  '"unique": [{"number": 1, "kept": true, "why": "…"}], one for each unique point by its number; kept where the verdict uses it; why in a few words.';

/** The docket and the rebuttals, for the chair's prompt. @param nameOf - Returns a sage's name by its key. */
export function docketText({ docket, rebuttals }: Round, nameOf: (sage: string) => string): string {
  const contradictions = docket.contradictions.map(({ topic, stances }, index) =>
    [
      `Contradiction ${index + 1}: ${topic}`,
      // Without the quotes, since the prompt has the whole answers above.
      ...stances.map(({ sage, stance }) => `- ${nameOf(sage)}: ${stance}`),
    ].join('\n'),
  );
  const unique = docket.unique.map(
    ({ sage, point }, index) => `${index + 1}. ${nameOf(sage)}: ${point}`,
  );
  const replies = rebuttals.flatMap((rebuttal) => {
    const { sage, position, because, opposing, failure, isEmptyChange } = rebuttal;
    const said = `${because}${takenBack(rebuttal)} Grants its opponents most: ${opposing || '–'}`;
    return failure || isEmptyChange ? [] : [`- ${nameOf(sage)} ${position}: ${said}`];
  });
  return [
    ...contradictions,
    ...(replies.length === 0 ? [] : [`What the parties replied:\n${replies.join('\n')}`]),
    ...(unique.length === 0 ? [] : [`Unique points:\n${unique.join('\n')}`]),
    ...(docket.blindSpots.length === 0
      ? []
      : [`What no answer considers:\n${docket.blindSpots.map((one) => `- ${one}`).join('\n')}`]),
  ].join('\n\n');
}
