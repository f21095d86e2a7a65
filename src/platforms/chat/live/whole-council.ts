/** Extends a recorded council with what it lacks: the deep round and suggested questions. */

import type { Round } from '../../../domain/docket.ts';
import type { SageAnswer, Verdict } from '../../../domain/turn.ts';

/** Text of the round. This and {@link nextQuestion} are used as regular expressions. */
export const disputed = 'What has to come first, made up for this trial';
/** Text of a button below the verdict. */
export const nextQuestion = 'Say what would change your minds.';

/** @param recorded - A council without a round, with two or more answers. */
export function inFull<
  Turn extends { readonly answers: readonly SageAnswer[]; readonly verdict: Verdict },
>(recorded: Turn): Turn & { readonly round: Round } {
  const [one, other] = recorded.answers;
  if (!one || !other) throw new Error('A deep round takes two answers.');
  const stances = [
    { sage: one.sage, stance: 'The first thing.', quote: quoteOf(one) },
    { sage: other.sage, stance: 'Another thing.', quote: quoteOf(other) },
  ];
  const said = { opposing: 'Time is short.', model: one.model, latencyMs: 0 };
  const round: Round = {
    docket: {
      consensus: [],
      contradictions: [{ topic: disputed, stances }],
      unique: [],
      blindSpots: [],
      droppedQuotes: 0,
      by: one.model,
      latencyMs: 0,
    },
    rebuttals: [
      { sage: one.sage, position: 'held', because: 'it stands.', flaw: '', ...said },
      {
        sage: other.sage,
        position: 'conceded',
        because: 'it comes too late.',
        flaw: quoteOf(other),
        ...said,
      },
    ],
    recasts: [],
  };
  const verdict = { ...recorded.verdict, nextQuestions: [nextQuestion] };
  return { ...recorded, verdict, round };
}

/** The first words of the answer. */
function quoteOf({ answer }: SageAnswer): string {
  return answer.split(/\s+/, 8).join(' ');
}
