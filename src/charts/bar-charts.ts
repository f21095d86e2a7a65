/** Bar charts, best first: the ranking of a turn's answers, and the leaderboard of sages or models over many turns. */

import type { Ranking } from '../domain/turn.ts';
import { placeInWords, rankingTitle, shareNote } from '../domain/turn-words.ts';
import { counted } from '../domain/words.ts';
import { type Chart, chartSvg, fitted, type Medium, textAt } from './drawing.ts';
import { type Faced, faceShapes, hueOf, labelIn } from './face.ts';

const width = 720;
const margin = 28;
const right = width - margin;
const top = 88;
const rowHeight = 62;
const radius = 20;
const barHeight = 12;

/** A bar for a share, on a background bar for the whole. */
function barAt(left: number, y: number, share: number, hue: number, medium: Medium): string {
  const bar = (barWidth: number, fill: string) =>
    `<rect x="${left}" y="${y + 26}" width="${barWidth}" height="${barHeight}" rx="6" fill="${fill}"/>`;
  const whole = bar(right - left, medium.line);
  if (share === 0) return whole;
  return whole + bar(Math.max(barHeight, Math.round((right - left) * share)), medium.bar(hue));
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/**
 * @param ballots - The number of valid first ballots.
 * @param sages - All seated sages.
 */
export function rankingChart(
  { places, secondBallots }: Pick<Ranking, 'places' | 'secondBallots'>,
  ballots: number,
  sages: readonly Faced[],
  medium: Medium,
): Chart {
  const rows = places.flatMap((place) => {
    const sage = sages.find(({ key }) => key === place.sage);
    return sage ? [{ place, sage, share: percent(place.score) }] : [];
  });
  const words = {
    title: rankingTitle(ballots, secondBallots),
    description: `${rows.map(({ place, sage, share }) => `${place.position}. ${sage.name}: ${share}`).join(', ')}. ${shareNote}`,
  };
  const left = margin + 2 * radius + 16;
  const parts = rows.flatMap(({ place, sage, share }, index) => {
    const { position, score } = place;
    const y = top + index * rowHeight;
    const label = fitted(`${position}. ${labelIn(medium, sage, sages)}`, 17, right - left - 190);
    return [
      faceShapes(sage, { x: margin + radius, y: y + radius + 2, radius }, medium),
      textAt(label, left, y + 16, { size: 17, fill: medium.ink }),
      textAt(placeInWords(place, ballots), right - 62, y + 16, {
        ...{ size: 13, fill: medium.quiet, anchor: 'end' },
      }),
      textAt(share, right, y + 16, { size: 17, fill: medium.ink, anchor: 'end' }),
      barAt(left, y, score, hueOf(sage.key), medium),
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

const note = 'Share of head-to-head comparisons won; the thin line is its interval of 95 %.';

/** A sage or model on the leaderboard. */
interface LeaderboardEntry {
  readonly id: string;
  readonly name: string;
  /** The number of turns in which it was ranked. */
  readonly turns: number;
  /** Its share of comparisons won and the interval of 95 %, from 0 to 1. */
  readonly won: { readonly share: number; readonly from: number; readonly to: number };
}

/** @param over - Describes the turns, e.g. `24 ranked turns in this channel, last 90 days`. */
export function leaderboardChart(
  ranked: readonly LeaderboardEntry[],
  over: string,
  medium: Medium,
): Chart {
  const range = ({ from, to }: LeaderboardEntry['won']) => `${percent(from)} to ${percent(to)}`;
  const words = {
    title: 'Leaderboard',
    description: `${over}. ${ranked.map(({ name, won }, at) => `${at + 1}. ${name}: ${percent(won.share)}, ${range(won)}`).join('; ')}. ${note}`,
  };
  const across = right - margin;
  const parts = ranked.flatMap(({ id, name, turns, won }, at) => {
    const y = top + at * rowHeight;
    // Below the bar, to be visible on any colour.
    const below = y + 26 + barHeight + 7;
    const x = (share: number) => Math.round(margin + across * share);
    const end = (share: number) =>
      `<path d="M${x(share)} ${below - 4}v8" stroke="${medium.ink}" stroke-width="2"/>`;
    return [
      textAt(fitted(`${at + 1}. ${name}`, 17, across - 160), margin, y + 16, {
        ...{ size: 17, fill: medium.ink },
      }),
      textAt(counted(turns, 'turn'), right - 62, y + 16, {
        ...{ size: 13, fill: medium.quiet, anchor: 'end' },
      }),
      textAt(percent(won.share), right, y + 16, { size: 17, fill: medium.ink, anchor: 'end' }),
      barAt(margin, y, won.share, hueOf(id), medium),
      `<path d="M${x(won.from)} ${below}H${x(won.to)}" stroke="${medium.ink}" stroke-width="2"/>`,
      end(won.from),
      end(won.to),
    ];
  });
  const heading = [
    textAt(fitted(over, 21, across), margin, 42, { size: 21, fill: medium.ink }),
    textAt(note, margin, 66, { size: 13, fill: medium.quiet }),
  ];
  const height = top + ranked.length * rowHeight + 4;
  return {
    ...words,
    table: [
      ['Place', 'Name', 'Comparisons won', '95 %', 'Turns'],
      ...ranked.map(({ name, turns, won }, at) => [
        ...[String(at + 1), name, percent(won.share), range(won), String(turns)],
      ]),
    ],
    svg: chartSvg(words, medium, { width, height }, [...heading, ...parts]),
  };
}
