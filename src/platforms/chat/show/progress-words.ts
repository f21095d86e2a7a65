/** The progress of a turn in words. Callers pass functions that make names safe to show. */

import type { TurnEnd, TurnStage } from '../../../council/events.ts';
import { partiesOf } from '../../../domain/docket.ts';
import { english, type TurnWords } from '../../../domain/languages/english.ts';
import { listedIn } from '../../../domain/languages/languages.ts';
import type { Seat } from '../../../domain/turn.ts';
import { type SeatState, seatState, type TurnProgress } from './turn-progress.ts';

/** The state of a sage as an emoji, to stand before its name. */
export const seatMarks: Readonly<Record<SeatState['doing'], string>> = {
  waiting: '▫️',
  thinking: '💭',
  answering: '✍️',
  answered: '✅',
  stopped: '⏹️',
  failed: '⚠️',
};

/** The state of a sage, to follow its name, e.g. `answered in 8 s`, `failed: it took too long`. */
export function seatWords(
  state: SeatState,
  { seat, failures, answeredIn, colon } = english,
): string {
  if (state.doing === 'answered') {
    return answeredIn(Math.max(1, Math.round(state.latencyMs / 1000)));
  }
  const why = state.doing === 'failed' && state.reason && failures[state.reason];
  return `${seat[state.doing]}${why ? colon + why : ''}`;
}

/**
 * Who took part, e.g. `Ada · Taleb failed: it took too long`: those who answered by name alone. A reason that the end
 * of the turn or an earlier seat gives is not repeated.
 *
 * @param nameOf - The name of a sage by its key, safe to show.
 * @param inert - Makes the reason of a failure safe to show, on one line.
 */
export function seatsInWords(
  progress: TurnProgress,
  nameOf: (sage: string) => string,
  inert: (reason: string) => string,
  words = english,
): string {
  const given = new Set([progress.end?.explanation]);
  const states = progress.seats.map(({ sage }) => {
    const seat = seatState(progress, sage.key);
    if (seat.doing === 'answered') return nameOf(sage.key);
    const reason = seat.doing === 'failed' ? seat.explanation : undefined;
    const why = reason === undefined || given.has(reason) ? '' : ` (${inert(reason)})`;
    given.add(reason);
    return `${nameOf(sage.key)} ${seatWords(seat, words)}${why}`;
  });
  return states.join(' · ');
}

/** The steps of a turn in order, as people are shown them. */
export const turnSteps = ['Seating', 'Answers', 'Blind reviews', 'Dispute', 'Verdict'] as const;

export const stepOf: Readonly<Record<TurnStage, (typeof turnSteps)[number]>> = {
  moderator: 'Seating',
  sages: 'Answers',
  reviews: 'Blind reviews',
  docket: 'Dispute',
  rebuttals: 'Dispute',
  second_ballots: 'Dispute',
  verdict: 'Verdict',
};

const mostNames = 3;

/**
 * The progress in one sentence, e.g. `3 of 4 answered, waiting for Taleb.`
 *
 * @param nameOf - The name of a seat, safe to show; absent where all seats are listed beside the sentence.
 */
export function progressSentence(
  progress: TurnProgress,
  nameOf: ((seat: Seat) => string) | undefined,
  words = english,
): string {
  const { stage, end, verdict } = progress;
  if (end?.outcome === 'failed') return words.couldNotAnswer;
  if (end?.outcome === 'stopped') return stoppedSentence(end, words);
  if (end) return verdict ? words.hasAnswered : answersSentence(progress, nameOf, words);
  switch (stage) {
    case undefined:
    case 'moderator':
      return words.seated;
    case 'sages':
      return answersSentence(progress, nameOf, words);
    case 'reviews': {
      const done = progress.reviewers.length;
      return words.reviewing(done, Math.max(done, countOf(progress, 'answered')));
    }
    case 'docket':
      return words.checking;
    case 'rebuttals': {
      const all = progress.docket ? partiesOf(progress.docket).length : 0;
      return words.rebutting(progress.rebutted.length, all);
    }
    case 'second_ballots':
      return words.voting(progress.recast.length, countOf(progress, 'answered'));
    case 'verdict':
      return words.writing;
  }
}

/** How a stopped turn ended. Only English says whether something is kept, which people see. */
export function stoppedSentence({ explanation }: TurnEnd, words: TurnWords): string {
  return words === english ? explanation : words.stoppedHere;
}

/** The sentence after the mention of the asker when a turn is done. */
export function doneSentence({ end }: TurnProgress, words: TurnWords): string {
  return end?.outcome === 'failed' ? words.couldNotAnswer : words.hasAnswered;
}

function answersSentence(
  progress: TurnProgress,
  nameOf: ((seat: Seat) => string) | undefined,
  words: TurnWords,
): string {
  const parts = [words.answered(countOf(progress, 'answered'), progress.seats.length)];
  for (const doing of ['failed', 'stopped'] as const) {
    const count = countOf(progress, doing);
    if (count > 0) parts.push(words[doing](count));
  }
  const open = progress.seats.filter(({ sage }) =>
    ['waiting', 'thinking', 'answering'].includes(seatState(progress, sage.key).doing),
  );
  if (nameOf && open.length > 0)
    parts.push(words.waitingFor(listedIn(words, open.map(nameOf), mostNames)));
  // Only English makes a sentence of the counts.
  return words === english ? `${parts.join(', ')}.` : parts.join(' · ');
}

/** How many sages are in a state. */
export function countOf(progress: TurnProgress, doing: SeatState['doing']): number {
  return progress.seats.filter(({ sage }) => seatState(progress, sage.key).doing === doing).length;
}
