/** How the answers of a turn were ranked: a bar for each, best first. */

import { placeInWords, shareNote } from '../domain/ballot-words.ts';
import type { Ranking } from '../domain/turn.ts';
import { counted } from '../domain/words.ts';
import { type Chart, chartSvg, fitted, type Medium, textAt } from './drawing.ts';
import { type Faced, faceShapes, hueOf, labelIn } from './face.ts';

const width = 720;
const margin = 28;
const top = 88;
const rowHeight = 62;
const radius = 20;
const barHeight = 12;

/**
 * @param ballots - How many ballots were read.
 * @param sages - All that sat.
 */
export function rankingChart(
  { places }: Pick<Ranking, 'places'>,
  ballots: number,
  sages: readonly Faced[],
  medium: Medium,
): Chart {
  const rows = places.flatMap((place) => {
    const sage = sages.find(({ key }) => key === place.sage);
    return sage ? [{ place, sage, share: `${Math.round(place.score * 100)} %` }] : [];
  });
  const words = {
    title: `Ranking by ${counted(ballots, 'blind ballot')}`,
    description: `${rows.map(({ place, sage, share }) => `${place.position}. ${sage.name}: ${share}`).join(', ')}. ${shareNote}`,
  };
  const left = margin + 2 * radius + 16;
  const right = width - margin;
  const parts = rows.flatMap(({ place, sage, share }, index) => {
    const { position, score } = place;
    const y = top + index * rowHeight;
    const label = fitted(`${position}. ${labelIn(medium, sage, sages)}`, 17, right - left - 190);
    const bar = (barWidth: number, fill: string) =>
      `<rect x="${left}" y="${y + 26}" width="${barWidth}" height="${barHeight}" rx="6" fill="${fill}"/>`;
    return [
      faceShapes(sage, { x: margin + radius, y: y + radius + 2, radius }, medium),
      textAt(label, left, y + 16, { size: 17, fill: medium.ink }),
      textAt(placeInWords(place, ballots), right - 62, y + 16, {
        ...{ size: 13, fill: medium.quiet, anchor: 'end' },
      }),
      textAt(share, right, y + 16, { size: 17, fill: medium.ink, anchor: 'end' }),
      bar(right - left, medium.line),
      ...(score > 0
        ? [bar(Math.max(barHeight, (right - left) * score), medium.bar(hueOf(sage.key)))]
        : []),
    ];
  });
  const height = top + rows.length * rowHeight + 4;
  const heading = [
    textAt(words.title, margin, 42, { size: 21, fill: medium.ink }),
    textAt(shareNote, margin, 66, { size: 13, fill: medium.quiet }),
  ];
  return {
    ...words,
    table: [
      ['Place', 'Sage', 'Comparisons won', 'Ballots'],
      ...rows.map(({ place, sage, share }) => [
        ...[String(place.position), sage.name, share],
        placeInWords(place, ballots),
      ]),
    ],
    svg: chartSvg(words, medium, { width, height }, [...heading, ...parts]),
  };
}
