/** Extends a recorded council with what it lacks: the deep round and suggested questions. */

import type { TurnEvent } from '../../../council/events.ts';
import type { SageAnswer } from '../../../domain/turn.ts';

/** Text of the round. This and {@link nextQuestion} are used as regular expressions. */
export const disputed = 'What has to come first, made up for this trial';
/** Text of a button below the verdict. */
export const nextQuestion = 'Say what would change your minds.';

/** @param recorded - The events of a council without a round, with two or more answers. */
export function inFull(recorded: readonly TurnEvent[]): readonly TurnEvent[] {
  const answers = recorded.flatMap((event) => (event.type === 'answered' ? [event.answer] : []));
  return recorded.flatMap((event): readonly TurnEvent[] => {
    if (event.type === 'ranked') return [...roundOf(answers), event];
    if (event.type !== 'concluded') return [event];
    return [{ ...event, verdict: { ...event.verdict, nextQuestions: [nextQuestion] } }];
  });
}

/** The turn that goes deeper from a recorded one; its answers are recalled instead of given. */
export function goneDeeper(events: readonly TurnEvent[]): readonly TurnEvent[] {
  const answers = events.flatMap((event) => (event.type === 'answered' ? [event.answer] : []));
  return events.flatMap((event): readonly TurnEvent[] => {
    if (event.type === 'seated') return [{ type: 'recalled', seated: event.seated, answers }];
    const isOfAnswers =
      ['sage_started', 'answered'].includes(event.type) ||
      (event.type === 'stage_started' && ['moderator', 'sages'].includes(event.stage));
    return isOfAnswers ? [] : [event];
  });
}

function roundOf([one, other]: readonly SageAnswer[]): readonly TurnEvent[] {
  if (!one || !other) return [];
  const stances = [
    { sage: one.sage, stance: 'The first thing.', quote: quoteOf(one) },
    { sage: other.sage, stance: 'Another thing.', quote: quoteOf(other) },
  ];
  const untimed = { model: one.model, latencyMs: 0 };
  const held = { flaw: '', opposing: 'Time is short.' };
  return [
    { type: 'stage_started', stage: 'docket' },
    {
      type: 'docketed',
      docket: {
        ...{ consensus: [], contradictions: [{ topic: disputed, stances }], unique: [] },
        ...{ blindSpots: [], droppedQuotes: 0, by: one.model, latencyMs: 0 },
      },
    },
    { type: 'stage_started', stage: 'rebuttals' },
    {
      type: 'rebutted',
      rebuttal: { sage: one.sage, position: 'held', because: 'it stands.', ...held, ...untimed },
    },
    {
      type: 'rebutted',
      rebuttal: {
        ...{ sage: other.sage, position: 'conceded', because: 'it comes too late.' },
        ...{ ...held, flaw: quoteOf(other), ...untimed },
      },
    },
    { type: 'stage_started', stage: 'second_ballots' },
  ];
}

/** The first words of the answer. */
function quoteOf({ answer }: SageAnswer): string {
  return answer.split(/\s+/, 8).join(' ');
}
