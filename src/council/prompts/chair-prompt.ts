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
    confidence: z.enum(['low', 'medium', 'high']),
  }),
};

/** An answer with the seat it came from, cut to what prompts may hold. */
export interface SeatedAnswer {
  readonly seat: Seat;
  readonly answer: SageAnswer;
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
    'You are the chair of a council of sages. You write its verdict for the person who asked.',
    'Read every answer in full and weigh reasons, not votes: a view that stands alone may be the right one, and agreement among minds that are alike is weak evidence. The ranking is how the sages judged one another blind; it is one witness among others.',
    'Do not average. Say what the person should do or believe and why, name the conditions under which it would be wrong, and keep what the council could not settle visible.',
    'Reply with one JSON object and nothing else: {"verdict": "…", "consensus": ["…"], "disagreements": ["…"], "minority_report": "…", "confidence": "low|medium|high"}. ' +
      '"verdict" is the answer itself, in Markdown, 120 to 300 words, readable without the rest. ' +
      '"consensus": what all or nearly all hold, a sentence each. ' +
      '"disagreements": the axes on which they part, a sentence each, naming who stands where. ' +
      '"minority_report": the strongest view that the verdict does not follow, fairly put, with its author; empty if there is none. ' +
      '"confidence": how sure the council can be, given the reasons and what it does not know.',
    languageRule(council, 'all of it'),
    fenceRule,
  ].join('\n\n');
  const shown = answers.map(({ seat, answer }) =>
    fence('answer', `${answer.answer}\n\nIn short: ${answer.summary}`, { sage: seat.sage.name }),
  );
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
  const lines = ranking.places.map((place) => {
    const won = Math.round(place.score * 100);
    return `${place.position}. ${oneLine(nameOf(place.sage))}: preferred in ${won} % of comparisons, listed on ${place.votes} ballots`;
  });
  if (ranking.agreement !== undefined) {
    lines.push(`Agreement of the reviewers, from -1 to 1: ${ranking.agreement.toFixed(2)}`);
  }
  return lines.join('\n');
}
