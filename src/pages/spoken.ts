/** Turns a stored turn into a list of messages for people, verdict first, independent of the output format. */

import { agreementChart } from '../charts/agreement-chart.ts';
import { rankingChart } from '../charts/bar-charts.ts';
import { type Chart, page } from '../charts/drawing.ts';
import type { Faced } from '../charts/face.ts';
import {
  anyAnswerSchema,
  questionContentSchema,
  schemaOfStep,
  type TurnStepData,
} from '../domain/stored-turn.ts';
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
  readonly sage?: Faced | undefined;
}

/** A titled sentence or list about a message. */
export interface Note {
  readonly name: string;
  readonly lines: readonly string[];
  /** A chart of the same. */
  readonly chart?: Chart;
}

const questionSchema = questionContentSchema.pick({ text: true });
const answerSchema = anyAnswerSchema.omit({ summary: true });

/** The data of all steps of a kind, also of earlier versions; what can't be read is left out. */
function dataOf<Kind extends keyof TurnStepData>(
  { steps }: SaidTurn,
  wanted: Kind,
): readonly TurnStepData[Kind][] {
  return steps.flatMap(({ kind, data }) => {
    const read = kind === wanted ? schemaOfStep[wanted].safeParse(data) : undefined;
    return read?.success ? [read.data] : [];
  });
}

type NameOf = (sage: string) => string;
/** Returns `undefined` for sages that the turn doesn't list. */
type SageOf = (sage: string) => Faced | undefined;

/** Reads a turn, finished or not: the question, the verdict, the answers, the reviews. */
export function spokenInTurn(turn: SaidTurn): readonly Spoken[] {
  const { messages, createdAt, endedAt = createdAt } = turn;
  const { nameOf, sageOf } = seatedIn(turn);
  const again = new Set(dataOf(turn, 'followed').map(({ sage }) => sage));
  const said = messages.map((message): Spoken => {
    const isAgain = message.sage !== undefined && again.has(message.sage);
    const notes = notesOf([['Asked again', isAgain ? 'The later answer stands by itself.' : '']]);
    const one = spokenOf(message, nameOf, sageOf);
    return { ...one, notes: [...one.notes, ...notes] };
  });
  const written = dataOf(turn, 'reviewed');
  const reviews = written
    .filter(({ text }) => text !== '')
    .map(
      ({ reviewer, text, labels, ballot }): Spoken => ({
        kind: 'review',
        speaker: nameOf(reviewer),
        at: endedAt,
        text,
        sage: sageOf(reviewer),
        notes: notesOf([
          ['Ballot as read', ballotInWords({ labels, ballot }, nameOf)],
          ['Who was who', labels.map(({ label, sage }) => `${label}: ${nameOf(sage)}`).join(', ')],
        ]),
      }),
    );
  const names = { nameOf, inert: oneLine };
  const rebuttals = dataOf(turn, 'rebutted').map((one) => rebuttalInWords(one, names));
  const verdicts = dataOf(turn, 'verdict').map(
    ({ settlement, ...verdict }): Spoken => ({
      kind: 'verdict',
      speaker: verdictTitle(verdict),
      at: endedAt,
      text: verdict.verdict,
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
      ]).concat(rankingNotes(turn)),
    }),
  );
  return [
    ...said.filter(({ kind }) => kind === 'question'),
    ...verdicts,
    ...said.filter(({ kind }) => kind !== 'question'),
    ...reviews,
  ];
}

/** The ranking, and how far the reviewers agree, with their charts; empty until the ballots are counted. */
export function rankingNotes(turn: SaidTurn): readonly Note[] {
  const { nameOf, sages, sageOf } = seatedIn(turn);
  const [ranked] = dataOf(turn, 'ranked').map(({ ranking }) => ranking);
  const places = ranked?.places ?? [];
  const written = dataOf(turn, 'reviewed');
  const ballots = written.filter(({ ballot }) => ballot.status === 'ranked').length;
  // A chart without one of the sages would be wrong, so only the words are shown.
  const ranking =
    ranked && places.every(({ sage }) => sageOf(sage))
      ? rankingChart(ranked, ballots, sages, page)
      : undefined;
  const ranks = places.map(
    (place) =>
      `${place.position}. ${nameOf(place.sage)}: ${shareBar(place.score)}, ${placeInWords(place, ballots)}`,
  );
  const agreement = agreementChart(written, sages, page);
  const agreements = agreement?.table
    .slice(1)
    .map(([one, other, same]) => `${one}, ${other}: ${same}`);
  return notesOf([
    ['Ranking', ranks, ranking],
    [agreement?.title ?? '', agreements, agreement],
  ]);
}

function seatedIn(turn: SaidTurn) {
  const seats = dataOf(turn, 'seated').flatMap((seated) => seated.seats);
  const named = namesOf(seats.map(({ sage }) => sage));
  const nameOf: NameOf = (sage) => oneLine(named(sage));
  const sages = seats.map(({ sage }) => ({ ...sage, name: nameOf(sage.key) }));
  const sageOf: SageOf = (key) => sages.find((sage) => sage.key === key);
  return { nameOf, sages, sageOf };
}

/** Reads a message, by default without a turn; one of unknown shape is shown as JSON. */
export function spokenOf(
  message: SaidMessage,
  nameOf: NameOf = (sage) => sage,
  sageOf: SageOf = () => undefined,
): Spoken {
  const { role, content, createdAt: at } = message;
  const speaker = role === 'human' ? oneLine(message.author ?? '') : nameOf(message.sage ?? '');
  const kind: Spoken['kind'] = role === 'human' ? 'question' : 'answer';
  const said = {
    kind,
    speaker: speaker || 'Someone',
    at,
    sage: role === 'human' ? undefined : sageOf(message.sage ?? ''),
  };
  const answer = answerSchema.safeParse(content);
  if (!answer.success) {
    const question = questionSchema.safeParse(content);
    const text = question.success ? question.data.text : JSON.stringify(content);
    return { ...said, text, notes: [] };
  }
  const { answer: text, status } = answer.data;
  const arrived = text === '' ? 'Nothing had arrived.' : 'This is what had arrived.';
  return { ...said, text, notes: notesOf([['Stopped here', status === 'stopped' ? arrived : '']]) };
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
