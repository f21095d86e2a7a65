/** How sages or models have fared over many turns: a bar for each, best first, with how sure it is. */

import { counted } from '../domain/words.ts';
import { type Chart, chartSvg, fitted, type Medium, textAt } from './drawing.ts';
import { hueOf } from './face.ts';

const width = 720;
const margin = 28;
const top = 88;
const rowHeight = 62;
const barHeight = 12;

const note = 'Share of head-to-head comparisons won; the thin line is its interval of 95 %.';

/** One sage or model. */
export interface Fared {
  readonly id: string;
  readonly name: string;
  /** How many turns it was judged in. */
  readonly turns: number;
  /** Share of comparisons won, and its interval, 0 to 1. */
  readonly won: { readonly share: number; readonly from: number; readonly to: number };
}

/** @param over - Of which turns, e.g. `24 ranked turns in this channel, last 90 days`. */
export function leaderboardChart(ranked: readonly Fared[], over: string, medium: Medium): Chart {
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const range = ({ from, to }: Fared['won']) => `${percent(from)} to ${percent(to)}`;
  const words = {
    title: 'Leaderboard',
    description: `${over}. ${ranked.map(({ name, won }, at) => `${at + 1}. ${name}: ${percent(won.share)}, ${range(won)}`).join('; ')}. ${note}`,
  };
  const right = width - margin;
  const across = right - margin;
  const parts = ranked.flatMap(({ id, name, turns, won }, at) => {
    const y = top + at * rowHeight;
    // Below the bar, so that it is seen on every colour.
    const below = y + 26 + barHeight + 7;
    const x = (share: number) => Math.round(margin + across * share);
    const bar = (barWidth: number, fill: string) =>
      `<rect x="${margin}" y="${y + 26}" width="${barWidth}" height="${barHeight}" rx="6" fill="${fill}"/>`;
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
      bar(across, medium.line),
      ...(won.share > 0
        ? [bar(Math.max(barHeight, x(won.share) - margin), medium.bar(hueOf(id)))]
        : []),
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
