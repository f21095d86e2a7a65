/** What the council itself says of a turn: the one message that is edited, and the verdict with the ranking below it. */

import type { Docket } from '../../../domain/docket.ts';
import type { Seat, Verdict } from '../../../domain/turn.ts';
import { verdictTitle } from '../../../domain/turn-words.ts';
import {
  deeperLabel,
  goDeeper,
  postLabel,
  type VerdictOffers,
} from '../../chat/asking/turn-actions.ts';
import type { Part, ShownTurn } from '../../chat/show/canvas.ts';
import type { Personas } from '../../chat/show/personas.ts';
import {
  progressSentence,
  seatMark,
  seatsInWords,
  seatWords,
} from '../../chat/show/progress-words.ts';
import { seatState } from '../../chat/show/turn-progress.ts';
import {
  certaintyLines,
  rankingWords,
  roundMarkdown,
  verdictMarkdown,
} from '../../chat/show/verdict-words.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import { shortName } from '../../chat/text/visible-text.ts';
import type { MessageBody } from '../api/messages.ts';
import { escapeSlackText, inertSlackMarkdown, slackNotice } from '../slack-text.ts';
import {
  againMenu,
  type Block,
  bold,
  button,
  buttonRow,
  code,
  feedbackRow,
  link,
  markdownBlock,
  mostMarkdownChars,
  paragraphs,
  type RichTextPart,
  rankingChartBlock,
  smallPrint,
  words,
} from './blocks.ts';
import { inertName, nameOf } from './persona.ts';
import { planBlock } from './plan.ts';
import { verdictPieces, verdictVoice } from './voices.ts';

const longestReason = 300;
const longestExplanation = 1500;

export interface ProgressForm {
  /** As Slack's own plan while it lasts, where Slack takes one; else in lines of text. */
  readonly isPlan: boolean;
  /** Address of the verdict; absent while there is none. */
  readonly verdictUrl?: string | undefined;
}

export function progressMessage(
  state: ShownTurn,
  { isPlan, verdictUrl }: ProgressForm,
): MessageBody {
  const { progress, notes } = state;
  return {
    text: escapeSlackText(sentenceOf(state)),
    blocks: [
      progress.end
        ? paragraphs(ending(state, verdictUrl))
        : isPlan
          ? planBlock(sentenceOf(state), state)
          : paragraphs(present(state)),
      // The verdict has the ranking below it; until then, and where there is none, it is here.
      ...(progress.verdict ? [] : rankingBlocks({ ...state, ranked: progress.ranked }, 'text')),
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
  const explanation = outcome === 'stopped' ? '' : shortName(why, longestExplanation);
  const seats = seatsInWords(
    progress,
    (sage) => nameOf(sage, personas),
    (reason) => shortName(reason, longestReason),
  );
  return [
    bold(sentenceOf(state)),
    words(explanation === '' ? '' : ` ${explanation}`),
    ...(verdictUrl === undefined ? [] : [words(' '), link('Read the verdict', verdictUrl)]),
    words(seats === '' ? '' : `\n${seats}`),
  ];
}

/** The ranking; nothing where there is none. */
function rankingBlocks(
  { ranked, reviews, personas }: Ranked,
  form: 'chart' | 'text',
): readonly Block[] {
  if (!ranked || ranked.ranking.places.length === 0) return [];
  const ranking = rankingWords(ranked, reviews, {
    nameOf: (sage) => nameOf(sage, personas),
    inert: (reason) => shortName(reason, longestReason),
  });
  const { title, rows, notes } = ranking;
  const chart = form === 'chart' ? rankingChartBlock(ranking) : undefined;
  const lines = rows.flatMap(({ position, bar, name, words: why }) => [
    words(`\n${position}. `),
    ...(chart ? [] : [code(bar), words(' ')]),
    bold(name),
    words(why),
  ]);
  return [paragraphs([bold(title), ...lines]), ...(chart ? [chart] : []), ...smallPrint(notes)];
}

/** What is in dispute, or what a party says to it. */
export function roundMessage(
  { said }: Extract<Part, { kind: 'round' }>,
  personas: Personas,
): MessageBody {
  const markdown = roundMarkdown(said, {
    nameOf: (sage) => inertName(nameOf(sage, personas)),
    inert: inertSlackMarkdown,
  });
  const [piece = ''] = splitMarkdown(markdown, mostMarkdownChars);
  return { text: slackNotice(piece, longestReason), blocks: [markdownBlock(piece)] };
}

function stopButton({ turnId }: ShownTurn) {
  return button('Stop', { kind: 'stop', turnId }, 'danger');
}

interface Ranked extends Pick<ShownTurn, 'reviews' | 'personas'> {
  readonly ranked: ShownTurn['progress']['ranked'];
}

export interface ShownVerdict extends Ranked {
  readonly turnId: string;
  readonly verdict: Verdict;
  /** At depth `deep`. */
  readonly docket: Docket | undefined;
  readonly offers: VerdictOffers;
}

/** The last message of a verdict. */
export function verdictBody(piece: string, below: readonly Block[]): MessageBody {
  return { text: verdictVoice.notice(piece), blocks: [markdownBlock(piece), ...below] };
}

/** The verdict as Markdown in pieces, at least one, and the blocks below the last. */
export function verdictParts(shown: ShownVerdict): {
  readonly pieces: readonly string[];
  readonly below: readonly Block[];
} {
  const { verdict, personas } = shown;
  const markdown = verdictMarkdown(verdict, {
    inert: inertSlackMarkdown,
    inertBody: inertSlackMarkdown,
    nameOf: (sage) => inertName(nameOf(sage, personas)),
  });
  return { pieces: verdictPieces(verdictTitle(verdict), markdown), below: below(shown) };
}

function below({ turnId, verdict, docket, offers, ...ranked }: ShownVerdict): readonly Block[] {
  const ranking = rankingBlocks(ranked, 'chart');
  const reviews =
    ranking.length === 0
      ? []
      : [button('Reviews and ballots', { kind: 'view', view: 'reviews', turnId })];
  return [
    ...smallPrint(certaintyLines(verdict, ranked.ranked, (line) => shortName(line, longestReason))),
    ...ranking,
    ...buttonRow([
      ...reviews,
      button('Why these sages', { kind: 'view', view: 'seats', turnId }),
      button('Receipt', { kind: 'view', view: 'receipt', turnId }),
      ...goDeeper(turnId, ranked.ranked, docket).map((action) => button(deeperLabel, action)),
      ...(offers.mayPost ? [button(postLabel, { kind: 'post', turnId })] : []),
    ]),
    ...againMenu(turnId, offers.again),
    ...buttonRow(
      offers.next.map(({ question, number }) =>
        button(question, { kind: 'next', turnId, number }, 'primary'),
      ),
    ),
    ...smallPrint(offers.notes),
    ...feedbackRow(turnId),
  ];
}
