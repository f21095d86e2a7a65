/** Bar charts, best first: the ranking of a turn's answers, and the leaderboard of sages or models over many turns. */

import { english } from '../domain/languages/english.ts';
import type { Ranking } from '../domain/turn.ts';
import { placeInWords, rankingTitle } from '../domain/turn-words.ts';
import { counted } from '../domain/words.ts';
import { type Chart, chartSvg, fitted, type Medium, margin, textAt } from './drawing.ts';
import { type Faced, faceShapes, hueOf, labelIn } from './face.ts';

const width = 720;
const right = width - margin;
const top = 88;
const rowHeight = 62;
const radius = 20;
const barHeight = 12;
/** The room for the share, e.g. `100 %`. */
const shareWidth = 62;

/** A row: the label with what stands beside the share, and below it the bar on a background for the whole. */
function rowAt(
  [left, y]: readonly [left: number, y: number],
  row: Readonly<Record<'label' | 'aside', string>> & { share: number; hue: number },
  medium: Medium,
): readonly string[] {
  const { label, aside, share, hue } = row;
  const across = right - left;
  // The letters of what stands beside the share are about 7.6 wide.
  const labelWidth = across - shareWidth - 7.6 * (aside.length + 2);
  const bar = (barWidth: number, fill: string) =>
    `<rect x="${left}" y="${y + 26}" width="${barWidth}" height="${barHeight}" rx="6" fill="${fill}"/>`;
  const won = bar(Math.max(barHeight, Math.round(across * share)), medium.bar(hue));
  return [
    textAt(fitted(label, 17, labelWidth), left, y + 16, { size: 17, fill: medium.ink }),
    textAt(aside, right - shareWidth, y + 16, { size: 13, fill: medium.quiet, anchor: 'end' }),
    textAt(percent(share), right, y + 16, { size: 17, fill: medium.ink, anchor: 'end' }),
    bar(across, medium.line) + (share === 0 ? '' : won),
  ];
}

/** E.g. `83 %`. @param share - From 0 to 1. */
export function percent(share: number): string {
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
  words = english,
): Chart {
  const drawn = medium.canWrite(words.bars) ? words : english;
  const rows = places.flatMap((place) => {
    const sage = sages.find(({ key }) => key === place.sage);
    return sage ? [{ place, sage, share: percent(place.score) }] : [];
  });
  const said = {
    title: rankingTitle(ballots, secondBallots, drawn),
    description: `${rows.map(({ place, sage, share }) => `${place.position}. ${sage.name}: ${share}`).join(', ')}. ${words.bars}`,
  };
  const left = margin + 2 * radius + 16;
  const parts = rows.flatMap(({ place, sage }, index) => {
    const y = top + index * rowHeight;
    const label = `${place.position}. ${labelIn(medium, sage, sages)}`;
    const aside = placeInWords(place, ballots, drawn);
    const row = { label, aside, share: place.score, hue: hueOf(sage.key) };
    return [
      faceShapes(sage, { x: margin + radius, y: y + radius + 2, radius }, medium),
      ...rowAt([left, y], row, medium),
    ];
  });
  const height = top + rows.length * rowHeight + 4;
  return {
    ...said,
    table: [
      ['Place', 'Sage', 'Comparisons won', 'Ballots'],
      ...rows.map(({ place, sage, share }) => [
        ...[String(place.position), sage.name, share],
        placeInWords(place, ballots),
      ]),
    ],
    svg: chartSvg(said, [said.title, drawn.bars], medium, { width, height }, parts),
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
  const parts = ranked.flatMap(({ id, name, turns, won }, at) => {
    const y = top + at * rowHeight;
    // Below the bar, to be visible on any colour.
    const below = y + 26 + barHeight + 7;
    const x = (share: number) => Math.round(margin + (right - margin) * share);
    const end = (share: number) =>
      `<path d="M${x(share)} ${below - 4}v8" stroke="${medium.ink}" stroke-width="2"/>`;
    const row = { label: `${at + 1}. ${name}`, aside: counted(turns, 'turn'), hue: hueOf(id) };
    return [
      ...rowAt([margin, y], { ...row, share: won.share }, medium),
      `<path d="M${x(won.from)} ${below}H${x(won.to)}" stroke="${medium.ink}" stroke-width="2"/>`,
      end(won.from),
      end(won.to),
    ];
  });
  const height = top + ranked.length * rowHeight + 4;
  return {
    ...words,
    table: [
      ['Place', 'Name', 'Comparisons won', '95 %', 'Turns'],
      ...ranked.map(({ name, turns, won }, at) => [
        ...[String(at + 1), name, percent(won.share), range(won), String(turns)],
      ]),
    ],
    svg: chartSvg(words, [over, note], medium, { width, height }, parts),
  };
}
