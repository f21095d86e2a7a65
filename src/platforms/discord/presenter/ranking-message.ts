/** Shows a turn's ranking: charts below the winner's face, or bars of text. */

import { agreementChart } from '../../../charts/agreement-chart.ts';
import { rankingChart } from '../../../charts/bar-charts.ts';
import { type Chart, picture, pictureOf } from '../../../charts/drawing.ts';
import { winnerMark } from '../../../domain/turn-words.ts';
import { goDeeper } from '../../chat/asking/turn-actions.ts';
import type { ShownTurn } from '../../chat/show/canvas.ts';
import { type RankingWords, rankingWords } from '../../chat/show/verdict-words.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import { inertDiscordLine } from '../discord-text.ts';
import {
  button,
  buttonRow,
  type Component,
  container,
  gallery,
  section,
  textPart,
} from './components.ts';
import { nameOf } from './persona.ts';
import { markOf } from './turn-marks.ts';
import { type CouncilMessage, longestPiece } from './turn-messages.ts';

/** An invisible mark, without which a name that runs from right to left would take the next number for its own. */
const leftToRight = '\u200e';

export type RankedTurn = Pick<ShownTurn, 'turnId' | 'words' | 'progress' | 'reviews' | 'personas'>;

/**
 * @param faceOf - Public URL of a sage's picture, if it has one.
 * @returns `undefined` if nothing was ranked. Bars of text replace charts that this machine can't draw, and
 *   are the fallback where files are not allowed.
 */
export async function rankingMessage(
  turn: RankedTurn,
  faceOf: (sage: string) => Promise<string | undefined>,
): Promise<CouncilMessage | undefined> {
  const { turnId, words: own, progress, reviews, personas } = turn;
  const { ranked } = progress;
  const winner = ranked?.ranking.places[0]?.sage;
  if (!ranked || winner === undefined) return undefined;
  const mark = markOf(turnId, 'ranking');
  const buttons = buttonRow([
    button(own.reviews, { kind: 'view', view: 'reviews', turnId }),
    button(own.whySages, { kind: 'view', view: 'seats', turnId }),
    ...goDeeper(turnId, ranked, progress.docket).map((action) => button(own.deeper, action)),
  ]);
  const words = rankingWords(ranked, reviews, {
    words: own,
    nameOf: (sage) => nameOf(sage, personas),
    inert: inertDiscordLine,
  });
  const piece = (markdown: string) => splitMarkdown(markdown, longestPiece)[0] ?? '';
  const message = (...parts: Parameters<typeof container>[0]): readonly Component[] => [
    container([...parts, ...buttons]),
  ];
  const inText = { mark, components: message(textPart(piece(textMarkdown(words)), mark)) };
  const pictures = await picturesOf(turn);
  if (pictures.length === 0) return inText;
  const face = await faceOf(winner);
  // For search, and for names in scripts that the chart's font lacks.
  const order = words.rows
    .map(
      ({ position, name }) => `${position}\\. **${name}**${position === 1 ? ` ${winnerMark}` : ''}`,
    )
    .join(` ${leftToRight}· `);
  const head = textPart(piece(`### ${words.title}\n${order}`), mark);
  const description = personas.get(winner)?.name ?? '';
  // The pictures say themselves what their bars show, in English where their font lacks the script.
  const isDrawn = (note: string) => note === own.bars && picture.canWrite(note);
  const notes = smallPrint(words.notes.filter((note) => !isDrawn(note)));
  return {
    mark,
    components: message(
      face === undefined ? head : section(head, { url: face, description }),
      gallery(
        pictures.map(({ file, chart }) => ({ name: file.name, description: chart.description })),
      ),
      ...(notes === '' ? [] : [textPart(notes)]),
    ),
    files: pictures.map(({ file }) => file),
    fallback: [inText],
  };
}

async function picturesOf({ words, progress, reviews, personas }: RankedTurn) {
  const { ranked } = progress;
  if (!ranked) return [];
  const sages = [...personas.values()].map(({ face, name }) => ({ ...face, name }));
  const ballots = reviews.filter(({ ballot }) => ballot.status === 'ranked').length;
  const charts: readonly (readonly [string, Chart | undefined])[] = [
    ['ranking.png', rankingChart(ranked.ranking, ballots, sages, picture, words)],
    ['agreement.png', agreementChart(reviews, sages, picture, words)],
  ];
  const drawn = charts.map(async ([name, chart]) => {
    const data = chart && (await pictureOf(chart.svg));
    return chart && data ? [{ chart, file: { name, data, contentType: 'image/png' } }] : [];
  });
  return (await Promise.all(drawn)).flat();
}

function textMarkdown(words: RankingWords): string {
  return [
    `### ${words.title}`,
    ...words.rows.map(
      ({ position, bar, name, words: why }) => `${position}\\. \`${bar}\` **${name}**${why}`,
    ),
    smallPrint(words.notes),
  ].join('\n');
}

function smallPrint(notes: RankingWords['notes']): string {
  return notes.map((note) => `-# ${note}`).join('\n');
}
