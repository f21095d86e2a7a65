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

/** @param ranking - Absent where no reviews were held. */
export function chairMessages(
  question: string,
  answers: readonly SeatedAnswer[],
  ranking: Ranking | undefined,
  council: Council,
  context: CouncilContext,
): readonly ChatMessage[] {
  const system = [
    'You are the chair of a council of sages. You write the one answer that the person who asked will read.',
    'First think how you would answer this person best on your own, complete and ready to be used. Then let the council improve it: mend what it shows to be wrong, put in the one or two things that you would have missed and that matter most, and ask what everybody has forgotten that this person will run into. What you write must be at least as easy to read and to use as your own answer would have been, and hold something that it would have lacked.',
    'Weigh reasons, not votes. A view that stands alone may be the right one, agreement among minds that are alike is weak evidence, and the ranking is one witness. Reviewers may be wrong too: check an objection before you use it; raised by several, it is still one. Check every figure and look for contradictions before you take them over. A figure that nobody was given or has derived is a guess: leave it out, or call it an assumption where it shows how a sum goes.',
    'Decide. Do not average, and do not join everybody\'s conditions with "and". Where one sage is simply right, follow that sage outright. Where the question builds on something that is not so, say that first.',
    'Reply with one JSON object and nothing else: {"verdict": "…", "consensus": ["…"], "disagreements": ["…"], "minority_report": "…", "unsettled": ["…"], "confidence": "low|medium|high", "confidence_reason": "…"}.',
    [
      '"verdict" is the answer itself, in Markdown, read once and on a phone:',
      '- Understood at one reading: plain, whole, friendly sentences with one thought each, as somebody who knows the matter would say them to this person. Explain what decides until it is clear, and leave a clever aside out.',
      '- As long as the question deserves: up to 120 words for a plain fact with its example, up to 240 where there is much to decide or to do; the marks of lists, tables and code do not count.',
      '- Where the question shows a feeling, meet it first, in a warm sentence or two, and lift what weighs on the person before you advise. Then comes what to do or believe, in one bold sentence. Then why, shown rather than claimed: a sum with all that belongs in it, an example with what goes in and what comes out, the usual mistake with its cure.',
      '- Then what to do, complete: everything that this person has to decide, settle or beware of, a short line each in one list, with the figure, the term or the words to say; first a step that is cheap and can be undone, and the rule by which to go on, mend or stop. Answer every part of the question and do justice to every proposal in it; say where advice would be wrong or dangerous.',
      '- Shaped for the eye: short paragraphs; a bold label of one to three words where a new part begins; a table where it is read faster. No headings, no talk of how the council worked. Name a sage only where it matters whose thought it is, and only for what stands in its answer.',
      '- Say which one fact that the person knows or can find out would turn the answer, and which way, if there is one.',
    ].join('\n'),
    'What else people may look up, a sentence each, only what the verdict does not say, and empty where nothing belongs there: ' +
      '"consensus": what the sages agree on although it was not to be expected. ' +
      '"disagreements": where they part and why, naming who stands where. ' +
      '"minority_report": the strongest view that the verdict does not follow, fairly put, with its author. ' +
      '"unsettled": what nobody here could know, and what would settle it. ' +
      '"confidence": how sure the council can be of the verdict; "confidence_reason": what is sure in it and what is not, in one sentence.',
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
