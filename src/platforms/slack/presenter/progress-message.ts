/** The one message of a turn that is edited: who sits, what they do, and in the end how it ended. */

import type { Seat } from '../../../council/events.ts';
import type { ShownTurn } from '../../chat/show/canvas.ts';
import {
  progressSentence,
  seatMark,
  seatsInWords,
  seatWords,
} from '../../chat/show/progress-words.ts';
import { seatState } from '../../chat/show/turn-progress.ts';
import { type RankingWords, rankingWords } from '../../chat/show/verdict-words.ts';
import { shortName } from '../../chat/text/visible-text.ts';
import type { MessageBody } from '../api/messages.ts';
import { escapeSlackText } from '../slack-text.ts';
import {
  bold,
  button,
  buttonRow,
  link,
  paragraphs,
  type RichTextPart,
  smallPrint,
  words,
} from './blocks.ts';
import { nameOf } from './persona.ts';

const longestReason = 300;
const longestExplanation = 1500;

/** @param verdictUrl - Address of the verdict; absent while there is none. */
export function progressMessage(state: ShownTurn, verdictUrl?: string): MessageBody {
  const { progress, notes } = state;
  return {
    text: escapeSlackText(sentenceOf(state)),
    blocks: [
      paragraphs(progress.end ? ending(state, verdictUrl) : present(state)),
      ...rankingWithoutVerdict(state),
      ...smallPrint(notes),
      ...(progress.end ? [] : buttonRow([stopButton(state)])),
    ],
  };
}

function sentenceOf({ progress, personas }: ShownTurn): string {
  return progressSentence(progress, ({ sage }: Seat) => nameOf(sage.key, personas));
}

function present(state: ShownTurn): readonly RichTextPart[] {
  const { progress, personas } = state;
  const seats = progress.seats.flatMap(({ sage }) => {
    const seat = seatState(progress, sage.key);
    return [
      words(`${seatMark(seat)} `),
      bold(nameOf(sage.key, personas)),
      words(` ${seatWords(seat)}\n`),
    ];
  });
  return [...seats, words(`⏳ ${sentenceOf(state)}`)];
}

function ending(state: ShownTurn, verdictUrl: string | undefined): readonly RichTextPart[] {
  const { progress, personas } = state;
  const { outcome, explanation: why = '' } = progress.end ?? {};
  // That it was stopped is said by then.
  const explanation = outcome === 'stopped' ? '' : oneLine(why, longestExplanation);
  const seats = seatsInWords(
    progress,
    (sage) => nameOf(sage, personas),
    (reason) => oneLine(reason, longestReason),
  );
  return [
    bold(sentenceOf(state)),
    words(explanation === '' ? '' : ` ${explanation}`),
    ...(verdictUrl === undefined ? [] : [words(' '), link('Read the verdict', verdictUrl)]),
    words(seats === '' ? '' : `\n${seats}`),
  ];
}

/** The verdict has the ranking below it; until then, and where there is none, it is here. */
function rankingWithoutVerdict({ progress, reviews, personas }: ShownTurn) {
  const { ranked, verdict } = progress;
  if (!ranked || verdict || ranked.ranking.places.length === 0) return [];
  const shown = rankingWords(ranked, reviews, {
    nameOf: (sage) => nameOf(sage, personas),
    inert: (reason) => oneLine(reason, longestReason),
  });
  return rankingBlocks(shown);
}

export function rankingBlocks({ title, rows, notes }: RankingWords) {
  const lines = rows.flatMap(({ position, name, words: why }) => [
    words(`\n${position}. `),
    bold(name),
    words(`: ${why}`),
  ]);
  return [paragraphs([bold(title), ...lines]), ...smallPrint(notes)];
}

function stopButton({ turnId }: ShownTurn) {
  return button('Stop', { kind: 'stop', turnId }, 'danger');
}

/** A reason of a model or a provider, on one line, for text in which nothing is read as marks. */
export function oneLine(text: string, longest: number): string {
  return shortName(text, longest);
}
