/** Turns a stored turn into a list of messages for people, verdict first, independent of the output format. */

import { z } from 'zod';
import { agreementChart } from '../charts/agreement-chart.ts';
import { rankingChart } from '../charts/bar-charts.ts';
import { type Chart, page } from '../charts/drawing.ts';
import type { Faced } from '../charts/face.ts';
import { rebuttalSchema } from '../domain/docket.ts';
import { anyAnswerSchema, questionContentSchema, stepSchemas } from '../domain/stored-turn.ts';
import {
  dissentSchema,
  rankingSchema,
  reviewSchema,
  sageSchema,
  settlementSchema,
  verdictSchema,
} from '../domain/turn.ts';
import {
  ballotInWords,
  confidenceInWords,
  placeInWords,
  rebuttalInWords,
  settlementLines,
  shareBar,
  uniqueLines,
  verdictTitle,
} from '../domain/turn-words.ts';
import { namesOf, oneLine } from '../domain/words.ts';

/** The fields of a message that are read. */
export interface SaidMessage {
  readonly role: 'human' | 'ai';
  readonly sage?: string;
  readonly author?: string;
  readonly content: unknown;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The fields of a turn, from a store or an export, that are read. */
export interface SaidTurn {
  readonly createdAt: number;
  /** Absent until it has ended. */
  readonly endedAt?: number;
  readonly messages: readonly SaidMessage[];
  readonly steps: readonly { readonly kind: string; readonly data: unknown }[];
}

/** A message as people read it. */
export interface Spoken {
  readonly kind: 'question' | 'answer' | 'verdict' | 'review';
  /** One line. */
  readonly speaker: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The original Markdown. */
  readonly text: string;
  readonly notes: readonly Note[];
  /** The sage, if the turn lists it. */
  readonly sage?: Faced;
}

/** A titled sentence or list about a message. */
export interface Note {
  readonly name: string;
  readonly lines: readonly string[];
  /** A chart of the same. */
  readonly chart?: Chart;
}

/** Schemas of the shown fields, lenient because exports can come from older versions and from elsewhere. */
const questionSchema = questionContentSchema.pick({ text: true });
const answerSchema = anyAnswerSchema.omit({ summary: true });
const seatedSchema = z.object({
  seats: z.array(
    z.object({
      sage: sageSchema
        .pick({ key: true, name: true })
        .extend({ source: sageSchema.shape.source.default('predefined') }),
    }),
  ),
});
const shownReviewSchema = reviewSchema
  .pick({ reviewer: true, text: true, labels: true, ballot: true })
  .partial({ ballot: true });
const rankedSchema = z.object({
  ranking: rankingSchema.pick({ places: true, secondBallots: true }),
});
const shownVerdictSchema = verdictSchema
  .pick({
    ...{ verdict: true, consensus: true, disagreements: true, minorityReport: true },
    ...{ unsettled: true, confidenceReason: true },
  })
  .partial({ consensus: true, disagreements: true, minorityReport: true })
  .extend({
    kind: verdictSchema.shape.kind.default('synthesis'),
    confidence: z.string().optional(),
    notice: z.string().optional(),
    settlement: settlementSchema.optional(),
    dissent: z.array(dissentSchema.pick({ sage: true, shown: true })).default([]),
  });

type NameOf = (sage: string) => string;
/** Returns `undefined` for sages that the turn doesn't list. */
type SageOf = (sage: string) => Faced | undefined;

/** Reads a message without a turn; one of unknown shape is shown as JSON. */
export function spokenAlone(message: SaidMessage): readonly Spoken[] {
  return spokenOf(
    message,
    (sage) => sage,
    () => undefined,
  );
}

/** Reads a turn, finished or not: the question, the verdict, the answers, the reviews. */
export function spokenInTurn(turn: SaidTurn): readonly Spoken[] {
  const { steps, messages, createdAt, endedAt = createdAt } = turn;
  const dataOf = <T>(kind: string, schema: z.ZodType<T>): readonly T[] =>
    steps.flatMap((step) => {
      const read = step.kind === kind ? schema.safeParse(step.data) : undefined;
      return read?.success ? [read.data] : [];
    });
  const seats = dataOf('seated', seatedSchema).flatMap((seated) => seated.seats);
  const named = namesOf(seats.map(({ sage }) => sage));
  const nameOf: NameOf = (sage) => oneLine(named(sage));
  const sages = seats.map(({ sage }) => ({ ...sage, name: nameOf(sage.key) }));
  const sageOf: SageOf = (key) => sages.find((sage) => sage.key === key);
  const again = new Set(dataOf('followed', stepSchemas.followed).map(({ sage }) => sage));
  const said = messages.flatMap((message) => {
    const isAgain = message.sage !== undefined && again.has(message.sage);
    const notes = notesOf([['Asked again', isAgain ? 'The later answer stands by itself.' : '']]);
    return spokenOf(message, nameOf, sageOf).map((one) => ({
      ...one,
      notes: [...one.notes, ...notes],
    }));
  });
  const written = dataOf('reviewed', shownReviewSchema);
  const votes = written.flatMap(({ ballot, ...review }) => (ballot ? [{ ...review, ballot }] : []));
  const ballots = written.filter(({ ballot }) => ballot?.status === 'ranked').length;
  const reviews = written.flatMap(({ reviewer, text, labels, ballot }): Spoken[] =>
    text === ''
      ? []
      : [
          {
            ...{ kind: 'review', speaker: nameOf(reviewer), at: endedAt, text },
            ...seenAs(sageOf(reviewer)),
            notes: notesOf([
              ['Ballot as read', ballot && ballotInWords({ labels, ballot }, nameOf)],
              [
                'Who was who',
                labels.map(({ label, sage }) => `${label}: ${nameOf(sage)}`).join(', '),
              ],
            ]),
          },
        ],
  );
  const [ranked] = dataOf('ranked', rankedSchema).map(({ ranking }) => ranking);
  const places = ranked?.places ?? [];
  const names = { nameOf, inert: oneLine };
  const rebuttals = dataOf('rebutted', rebuttalSchema).map((one) => rebuttalInWords(one, names));
  // A chart without one of the sages would be wrong, so only the words are shown.
  const ranking =
    ranked && places.every(({ sage }) => sageOf(sage))
      ? rankingChart(ranked, ballots, sages, page)
      : undefined;
  const ranks = places.map(
    (place) =>
      `${place.position}. ${nameOf(place.sage)}: ${shareBar(place.score)}, ${placeInWords(place, ballots)}`,
  );
  const agreement = agreementChart(votes, sages, page);
  const agreements = agreement?.table
    .slice(1)
    .map(([one, other, same]) => `${one}, ${other}: ${same}`);
  const verdicts = dataOf('verdict', shownVerdictSchema).map(
    ({ settlement, ...verdict }): Spoken => ({
      ...{ kind: 'verdict', speaker: verdictTitle(verdict), at: endedAt, text: verdict.verdict },
      notes: notesOf([
        ['Notice', verdict.notice],
        ['Consensus', verdict.consensus],
        ['Disagreements', verdict.disagreements],
        ['In dispute', settlement && settlementLines(settlement, names)],
        ['Asked once more', rebuttals],
        ['Said by one alone', settlement && uniqueLines(settlement, names)],
        ['Still open', verdict.unsettled],
        ['Minority report', verdict.minorityReport],
        ['Dissent', verdict.dissent.map(({ shown }) => shown)],
        ['Confidence', confidenceInWords(verdict)],
        ['Ranking', ranks, ranking],
        [agreement?.title ?? '', agreements, agreement],
      ]),
    }),
  );
  return [
    ...said.filter(({ kind }) => kind === 'question'),
    ...verdicts,
    ...said.filter(({ kind }) => kind !== 'question'),
    ...reviews,
  ];
}

function spokenOf(message: SaidMessage, nameOf: NameOf, sageOf: SageOf): readonly Spoken[] {
  const { role, content, createdAt: at } = message;
  const speaker = role === 'human' ? oneLine(message.author ?? '') : nameOf(message.sage ?? '');
  const kind = role === 'human' ? 'question' : 'answer';
  const said = {
    ...({ kind, speaker: speaker || 'Someone', at } as const),
    ...seenAs(role === 'human' ? undefined : sageOf(message.sage ?? '')),
  };
  const answer = answerSchema.safeParse(content);
  if (!answer.success) {
    const question = questionSchema.safeParse(content);
    const text = question.success ? question.data.text : JSON.stringify(content);
    return [{ ...said, text, notes: [] }];
  }
  const { answer: text, status, reason, review } = answer.data;
  const notes = notesOf([
    ['Gave no answer', status === 'failed' ? (reason ?? 'the reason is unknown') : ''],
    ['Stopped here', status === 'stopped' ? 'This is what had arrived.' : ''],
  ]);
  return [
    { ...said, text, notes },
    ...(review
      ? [
          {
            ...said,
            ...({ kind: 'review', text: review.text } as const),
            notes: notesOf([['Ranking', review.ranking.join(', ')]]),
          },
        ]
      : []),
  ];
}

function seenAs(sage: Faced | undefined): Pick<Spoken, 'sage'> {
  return sage ? { sage } : {};
}

type Lines = string | readonly string[];

/** Leaves out notes in which nothing is said. */
function notesOf(
  all: readonly (readonly [name: string, said: Lines | undefined, chart?: Chart | undefined])[],
): readonly Note[] {
  return all.flatMap(([name, said = [], chart]) => {
    const lines = [said].flat().filter((line) => line !== '');
    return lines.length === 0 ? [] : [{ name, lines, ...(chart && { chart }) }];
  });
}
