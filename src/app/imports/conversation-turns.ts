/** Converts conversations of LLM Council to turns. Reviews are read and ranked like those of this council. */

import { createHash } from 'node:crypto';
import { type Ballot, readBallot } from '../../council/ballot.ts';
import { evaluateReviews } from '../../council/ranked.ts';
import { tidyName } from '../../council/sage-name.ts';
import { findDissent } from '../../council/verdict.ts';
import type {
  Dissent,
  Review,
  Sage,
  SageAnswer,
  Seat,
  TurnRequest,
  Verdict,
} from '../../domain/turn.ts';
import { firstSentences } from '../../domain/words.ts';
import type { ExportedTurn } from '../../memory/export/export.ts';
import { exportedTurn } from '../recordings.ts';
import type { Asked, Contribution, Conversation, FileReview } from './conversation.ts';

export interface ConversationChoices {
  /** Returns the author of the questions in a thread; the file does not name one. */
  readonly askerIn: (threadId: string) => TurnRequest['author'];
}

/** Length of the summary made from an answer. */
const maxSummaryChars = 400;
const firstLabel = 'A'.charCodeAt(0);

/** Converts the questions of a conversation to turns, in order. The same file gives the same turns. */
export function turnsOfConversation(
  { id, created_at: createdAt }: Pick<Conversation, 'id' | 'created_at'>,
  threadId: string,
  { askerIn }: ConversationChoices,
): { turnOf(asked: Asked): ExportedTurn; unread(): number } {
  let unread = 0;
  let last = createdAt - 1;
  return {
    turnOf: (asked) => {
      // Most files have a single time for all questions; adding a millisecond each keeps their order.
      const askedAt = Math.max(last + 1, asked.at ?? 0);
      last = askedAt;
      const hash = createHash('sha256').update(JSON.stringify([id, asked.index]));
      const turnId = `imported-${hash.digest('base64url').slice(0, 16)}`;
      const turn = convertTurn(asked, {
        turnId,
        threadId,
        question: asked.question,
        askedAt,
        eventId: `llm-council:${id}:${asked.index}`,
        author: askerIn(threadId),
      });
      unread += turn.unread;
      return turn.exported;
    },
    /** Number of rankings so far that can't be found in their reviews. */
    unread: () => unread,
  };
}

/** @returns The turn, and the number of rankings in the file whose reviews contain none. */
function convertTurn(asked: Asked, request: TurnRequest) {
  const seats = seatsOf(asked.answers);
  const answers = asked.answers.map((answer, at) => answerOf(answer, seats[at]?.sage.key ?? ''));
  const shown = answers.flatMap(({ sage, status }) => (status === 'answered' ? [sage] : []));
  const reviews = withReviewers(asked.reviews, seats).map(({ review, reviewer }) =>
    reviewOf(review, reviewer, seats, shown),
  );
  const answered = answers.filter(({ status }) => status === 'answered');
  const ranked = reviews.length > 0 ? evaluateReviews(reviews, answered, {}) : undefined;
  const dissent = findDissent(reviews, ranked?.ranking, answered, seats);
  const verdict = asked.verdict?.text ? verdictOf(asked.verdict, dissent) : undefined;
  const isAnswered = verdict !== undefined || answered.length > 0;
  const exported = exportedTurn(
    {
      request,
      seated: { seats: [...seats], how: 'fixed', dropped: [], latencyMs: 0 },
      answers,
      reviews,
      ...(ranked && { ranked }),
      ...(verdict && { verdict }),
    },
    isAnswered ? undefined : 'The imported file holds no answer to it.',
  );
  const unread = reviews.filter(
    ({ ballot }, at) => ballot.status === 'abstained' && asked.reviews[at]?.ranking.length,
  ).length;
  return { exported, unread };
}

function seatsOf(answers: readonly Contribution[]): readonly Seat[] {
  const taken = new Set<string>();
  return answers.map(({ author, model }) => {
    const name = tidyName(author);
    const key = uniqueName(
      name
        .toLowerCase()
        .match(/[a-z0-9]+/g)
        ?.join('_')
        .slice(0, 56) || 'sage',
      taken,
    );
    const description = `Answered in LLM Council, by ${tidyName(model)}.`;
    const sage: Sage = { key, name, description, source: 'dynamic' };
    return { sage, model };
  });
}

/** Appends a number to a name that is taken, and adds the result to `taken`. */
function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique); number += 1) unique = `${name}_${number}`;
  taken.add(unique);
  return unique;
}

function answerOf({ model, text }: Contribution, sage: string): SageAnswer {
  const by = { sage, model, latencyMs: 0 };
  if (text.trim() !== '') {
    return {
      ...by,
      status: 'answered',
      answer: text,
      summary: firstSentences(text, maxSummaryChars),
    };
  }
  const answer = 'Error: it gave no answer.';
  return { ...by, status: 'failed', answer, summary: 'Error invoking sage.', reason: 'empty' };
}

/** Gives each review a unique reviewer key: that of its author's seat, else the author's name. */
function withReviewers(reviews: readonly FileReview[], seats: readonly Seat[]) {
  const taken = new Set<string>();
  return reviews.map((review) => {
    const { author, model } = review;
    const seat = seatOf(author, seats, taken) ?? seatOf(model, seats, taken);
    return { review, reviewer: uniqueName(seat?.sage.key ?? tidyName(author), taken) };
  });
}

/** Finds a seat by title, or else by model. @param used - Keys of seats that are matched already. */
function seatOf(name: string, seats: readonly Seat[], used: ReadonlySet<string>): Seat | undefined {
  const left = seats.filter(({ sage }) => !used.has(sage.key));
  return (
    left.find(({ sage }) => sage.name === tidyName(name)) ??
    left.find(({ model }) => model === name)
  );
}

function reviewOf(
  { model, text, labels, ranking }: FileReview,
  reviewer: string,
  seats: readonly Seat[],
  shown: readonly string[],
): Review {
  const shownAs = labels ? labelled(labels, seats) : inOrder(shown);
  return {
    reviewer,
    model,
    text,
    latencyMs: 0,
    labels: [...shownAs],
    ballot: ballotOf(
      text,
      ranking,
      shownAs.map(({ label }) => label),
    ),
  };
}

type Labels = Review['labels'];

function inOrder(shown: readonly string[]): Labels {
  return shown.map((sage, at) => ({ label: String.fromCharCode(firstLabel + at), sage }));
}

/** `Response A` means label A. A model with two seats has two labels. */
function labelled(labels: Readonly<Record<string, string>>, seats: readonly Seat[]): Labels {
  const used = new Set<string>();
  return Object.entries(labels).flatMap(([written, name]) => {
    const seat = seatOf(name, seats, used);
    if (!seat) return [];
    used.add(seat.sage.key);
    return [{ label: written.trim().split(/\s+/).at(-1) ?? written, sage: seat.sage.key }];
  });
}

/** Reads the ballot from the review's text, or from the ranking if there is no text. */
function ballotOf(text: string, ranking: readonly string[], labels: readonly string[]): Ballot {
  if (text.trim() !== '' || ranking.length === 0) return readBallot(text, labels);
  const lines = ranking.map((label, at) => `${at + 1}. ${label}`);
  return readBallot(['FINAL RANKING:', ...lines].join('\n'), labels);
}

function verdictOf({ text, model }: Contribution, dissent: readonly Dissent[]): Verdict {
  return {
    kind: 'synthesis',
    verdict: text,
    by: model,
    latencyMs: 0,
    dissent: [...dissent],
    consensus: [],
    disagreements: [],
    minorityReport: '',
    unsettled: [],
    notice: 'Imported from LLM Council.',
  };
}
