/** The one message of a turn that is edited: who sits, what they do, and in the end how it ended. */

import type { Review, Seat } from '../../../council/events.ts';
import { progressSentence, seatMark, seatWords } from '../../chat/show/progress-words.ts';
import { type RankingWords, rankingWords } from '../../chat/show/ranking-words.ts';
import { seatState, type TurnProgress } from '../../chat/show/turn-progress.ts';
import { shortName, visibleName } from '../../chat/text/visible-text.ts';
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
import type { Personas } from './persona.ts';

/** Everything that the message shows of a turn. */
export interface ProgressState {
  readonly turnId: string;
  readonly progress: TurnProgress;
  readonly reviews: readonly Review[];
  readonly personas: Personas;
  /** Address of the verdict; absent while there is none. */
  readonly verdictUrl: string | undefined;
  /** Small print, e.g. how a follow-up is asked. */
  readonly notes: readonly string[];
}

const longestReason = 300;
const longestExplanation = 1500;

export function progressMessage(state: ProgressState): MessageBody {
  const { progress, notes } = state;
  return {
    text: escapeSlackText(sentenceOf(state)),
    blocks: [
      paragraphs(progress.end ? ending(state) : present(state)),
      ...rankingWithoutVerdict(state),
      ...smallPrint(notes),
      ...(progress.end ? [] : buttonRow([stopButton(state)])),
    ],
  };
}

function sentenceOf({ progress, personas }: ProgressState): string {
  return progressSentence(progress, ({ sage }: Seat) => nameOf(sage.key, personas));
}

function present(state: ProgressState): readonly RichTextPart[] {
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

function ending(state: ProgressState): readonly RichTextPart[] {
  const { progress, personas, verdictUrl } = state;
  const { outcome, explanation: why = '' } = progress.end ?? {};
  // That it was stopped is said by then.
  const explanation = outcome === 'stopped' ? '' : oneLine(why, longestExplanation);
  const seats = progress.seats.map(({ sage }) => {
    const seat = seatState(progress, sage.key);
    const reason = seat.doing === 'failed' ? ` (${oneLine(seat.explanation, longestReason)})` : '';
    return `${nameOf(sage.key, personas)} ${seatWords(seat)}${reason}`;
  });
  return [
    bold(sentenceOf(state)),
    words(explanation === '' ? '' : ` ${explanation}`),
    ...(verdictUrl === undefined ? [] : [words(' '), link('Read the verdict', verdictUrl)]),
    words(seats.length === 0 ? '' : `\n${seats.join(' · ')}`),
  ];
}

/** The verdict has the ranking below it; until then, and where there is none, it is here. */
function rankingWithoutVerdict({ progress, reviews, personas }: ProgressState) {
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

function stopButton({ turnId }: ProgressState) {
  return button('Stop', { kind: 'stop', turnId }, 'danger');
}

/** Name of a sage in our own words. */
export function nameOf(sage: string, personas: Personas): string {
  return personas.get(sage)?.name ?? visibleName(sage);
}

/** A reason of a model or a provider, on one line, for text in which nothing is read as marks. */
export function oneLine(text: string, longest: number): string {
  return shortName(text, longest);
}
