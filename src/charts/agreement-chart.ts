/** Draws how often the ballots of each two reviewers agree, as a triangle of squares. */

import { english } from '../domain/languages/english.ts';
import type { Review } from '../domain/turn.ts';
import { type Chart, chartSvg, fitted, type Medium, margin, textAt } from './drawing.ts';
import { type Faced, faceShapes, labelIn } from './face.ts';

const top = 132;
const cell = 56;
const gap = 6;
const radius = 18;
/** The width of the names' column, including faces. */
const namesWidth = { least: 120, most: 270 } as const;
const letterWidth = 10;
const least = { width: 480, ballots: 3 } as const;

type Vote = Pick<Review, 'labels' | 'ballot'>;

/**
 * How often two ballots agree.
 *
 * @returns The comparisons of two answers that both ballots make, and how many they decide alike.
 */
export function agreementOf(
  one: Vote,
  other: Vote,
): { readonly same: number; readonly compared: number } {
  const [first, second] = [placesIn(one), placesIn(other)];
  const shared = [...first.keys()].filter((sage) => second.has(sage));
  const orders = shared.flatMap((a, index) =>
    shared.slice(index + 1).map((b) => [first, second].map((places) => order(places, a, b))),
  );
  return {
    same: orders.filter(([mine, theirs]) => mine === theirs).length,
    compared: orders.length,
  };
}

/** The rank that a ballot gives each answer, by author. */
function placesIn({ labels, ballot }: Vote): ReadonlyMap<string, number> {
  if (ballot.status === 'abstained') return new Map();
  const sageOf = new Map(labels.map(({ label, sage }) => [label, sage]));
  return new Map(
    ballot.groups.flatMap((group, index) =>
      group.map((label) => [sageOf.get(label) ?? label, index] as const),
    ),
  );
}

function order(places: ReadonlyMap<string, number>, one: string, other: string): number {
  return Math.sign((places.get(one) ?? 0) - (places.get(other) ?? 0));
}

/** @returns `undefined` for fewer than three ballots, which need no chart. */
export function agreementChart(
  reviews: readonly (Vote & Pick<Review, 'reviewer'>)[],
  sages: readonly Faced[],
  medium: Medium,
  words = english,
): Chart | undefined {
  const drawn = medium.canWrite(words.alike) ? words : english;
  const voters = reviews.flatMap((review) => {
    const sage = sages.find(({ key }) => key === review.reviewer);
    return sage && review.ballot.status === 'ranked' ? [{ sage, review }] : [];
  });
  if (voters.length < least.ballots) return undefined;
  const pairs = voters.flatMap((one, row) =>
    voters.slice(0, row).map((other, column) => ({
      one: one.sage,
      other: other.sage,
      row,
      column,
      ...agreementOf(one.review, other.review),
    })),
  );
  const said = {
    title: drawn.whoAgreed,
    description: `${words.alike} ${pairs.map(({ one, other, same, compared }) => `${other.name}, ${one.name}: ${same}/${compared}`).join('; ')}.`,
  };
  const longest = Math.max(...voters.map(({ sage }) => labelIn(medium, sage, sages).length));
  const names = Math.min(
    namesWidth.most,
    Math.max(namesWidth.least, 2 * radius + 30 + longest * letterWidth),
  );
  const at = (index: number) => margin + names + index * (cell + gap);
  const down = (index: number) => top + index * (cell + gap);
  const heads = voters.flatMap(({ sage }, index) => [
    ...(index < voters.length - 1
      ? [faceShapes(sage, { x: at(index) + cell / 2, y: top - radius - 8, radius }, medium)]
      : []),
    ...(index > 0
      ? [
          faceShapes(sage, { x: margin + radius, y: down(index - 1) + cell / 2, radius }, medium),
          textAt(
            fitted(labelIn(medium, sage, sages), 16, names - 2 * radius - 26),
            margin + 2 * radius + 12,
            down(index - 1) + cell / 2 + 6,
            { size: 16, fill: medium.ink },
          ),
        ]
      : []),
  ]);
  const squares = pairs.flatMap(({ row, column, same, compared }) => [
    `<rect x="${at(column)}" y="${down(row - 1)}" width="${cell}" height="${cell}" rx="8" fill="${compared === 0 ? medium.card : medium.shade(same / compared)}" stroke="${medium.line}"/>`,
    textAt(
      compared === 0 ? '–' : `${same}/${compared}`,
      at(column) + cell / 2,
      down(row - 1) + cell / 2 + 6,
      { size: 16, fill: medium.ink, anchor: 'middle' },
    ),
  ]);
  const width = Math.max(least.width, at(voters.length - 1) + margin - gap);
  const height = down(voters.length - 1) + margin - gap - 6;
  return {
    ...said,
    table: [
      ['Ballot of', 'and of', 'agree in'],
      ...pairs.map(({ one, other, same, compared }) => [
        ...[other.name, one.name, `${same} of ${compared}`],
      ]),
    ],
    svg: chartSvg(said, [said.title, drawn.alike], medium, { width, height }, [
      ...heads,
      ...squares,
    ]),
  };
}
