/** What the chair is asked, and the shape of its verdict. */

import { z } from 'zod';
import { fence, fenceRule } from '../../domain/fence.ts';
import type { Ranking, SageAnswer, Seat } from '../../domain/turn.ts';
import { namesOf, oneLine } from '../../domain/words.ts';
import type { ChatMessage } from '../../models/chat-model.ts';
import type { Council, CouncilContext } from '../council.ts';
import { languageRule } from './moderator-prompt.ts';

export const verdictShape = {
  name: 'verdict',
  schema: z.object({
    verdict: z.string().trim().min(1),
    consensus: z.array(z.string()),
    disagreements: z.array(z.string()),
    minority_report: z.string(),
    unsettled: z.array(z.string()).default([]),
    confidence: z.enum(['low', 'medium', 'high']),
    confidence_reason: z.string().default(''),
  }),
};

/** An answer with the seat it came from, cut to what prompts may hold, and what reviewers hold against it. */
export interface SeatedAnswer {
  readonly seat: Seat;
  readonly answer: SageAnswer;
  /** On one line each. */
  readonly objections: readonly string[];
}

/**
 * @param ranking - Absent where no reviews were held.
 * @param round - Of depth `deep`: what is in dispute, and what the chair does about it; absent at others.
 */
export function chairMessages(
  question: string,
  answers: readonly SeatedAnswer[],
  ranking: Ranking | undefined,
  council: Council,
  context: CouncilContext,
  round?: { readonly rule: string; readonly docket: string },
): readonly ChatMessage[] {
  const system = [
    'You are the chair of a council of sages. You write the one answer that the person who asked will read.',
    'Write it in three steps, of which only the last is shown. First the answer that you would give this person on your own, as naturally and helpfully as you can. Then read the council against it, and note the two or three things, no more, that would do this person the most good: what it shows to be wrong in your answer, or what you had missed and would change what they do or believe. Last, work these into your answer so that nobody sees the seam, and take out as much as you put in. Leave aside whatever else the council said, however clever: people can look it up.',
    'Weigh reasons, not votes. A view that stands alone may be the right one, agreement among minds that are alike is weak evidence, and the ranking is one witness. Reviewers may be wrong too: check an objection before you use it; raised by several, it is still one. Check every figure and look for contradictions before you take them over. A figure that nobody was given or has derived is a guess: leave it out, or call it an assumption where it shows how a sum goes.',
    'Decide. Do not average, and do not join everybody\'s conditions with "and". Where one sage is simply right, follow that sage outright. Where the question builds on something that is not so, say that first.',
    'Reply with one JSON object and nothing else: {"verdict": "…", "consensus": ["…"], "disagreements": ["…"], "minority_report": "…", "unsettled": ["…"], "confidence": "low|medium|high", "confidence_reason": "…"}.',
    [
      '"verdict" is the answer itself, in Markdown, read once and on a phone:',
      '- It flows as a friend who knows the matter would speak: whole sentences that follow from one another, each idea explained before the next. No fragments, no strings of conditions, no sum without its reason. What would need a second reading is left out.',
      '- At most 240 words, and some 100 for a plain fact with its example.',
      '- Where the question shows a feeling, meet it first, warmly, and without a table or a procedure. Then comes what to do or believe, in one bold sentence; then why; then what to do next, in the order in which to do it. Answer every part of the question.',
      '- Short paragraphs, a bold label where a new part begins, one list or table where it is easier to take in than sentences. No headings, no talk of how the council worked. Name a sage only where it matters whose thought it is, and only for what stands in its answer.',
      '- If one fact that the person knows or can find out would turn the answer, say which, and which way.',
    ].join('\n'),
    'What else people may look up, a sentence each, only what the verdict does not say, and empty where nothing belongs there: ' +
      '"consensus": what the sages agree on although it was not to be expected. ' +
      '"disagreements": where they part and why, naming who stands where. ' +
      '"minority_report": the strongest view that the verdict does not follow, fairly put, with its author. ' +
      '"unsettled": what nobody here could know, and what would settle it. ' +
      '"confidence": how sure the council can be of the verdict; "confidence_reason": what is sure in it and what is not, in one sentence.',
    ...(round ? [round.rule] : []),
    languageRule(council, 'all of it'),
    fenceRule,
  ].join('\n\n');
  const shown = answers.flatMap(({ seat, answer, objections }) => {
    const whose = { sage: seat.sage.name };
    return [
      fence('answer', answer.answer, whose),
      ...(objections.length === 0
        ? []
        : [fence('objections', objections.map((one) => `- ${one}`).join('\n'), whose)]),
    ];
  });
  return [
    { role: 'system', content: system },
    ...context.forChair,
    {
      role: 'user',
      content: [
        fence('question', question),
        ...shown,
        fence('ranking', rankingText(answers, ranking)),
        ...(round ? [fence('docket', round.docket)] : []),
      ].join('\n\n'),
    },
  ];
}

function rankingText(answers: readonly SeatedAnswer[], ranking: Ranking | undefined): string {
  if (!ranking || ranking.places.every((place) => place.votes === 0)) {
    return 'No ranking: no reviews were held, or none could be read.';
  }
  const nameOf = namesOf(answers.map(({ seat }) => seat.sage));
  return [
    'Each reviewer put the answers in order without knowing whose they were. Best first, with the share of pairwise comparisons that each won:',
    ...ranking.places.map(
      ({ position, sage, score }) =>
        `${position}. ${oneLine(nameOf(sage))}: ${Math.round(score * 100)} %`,
    ),
    ...(ranking.agreement === undefined ? [] : [agreementInWords(ranking.agreement)]),
  ].join('\n');
}

/** @param agreement - Mean Kendall tau, -1 to 1. */
function agreementInWords(agreement: number): string {
  if (agreement >= 0.6) return 'The reviewers largely agree on this order.';
  if (agreement >= 0.2) return 'The reviewers agree on this order in part.';
  return 'The reviewers do not agree on this order: little can be read from it.';
}
