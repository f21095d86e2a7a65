import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { agreementChart, agreementOf } from '../../src/charts/agreement-chart.ts';
import { leaderboardChart, rankingChart } from '../../src/charts/bar-charts.ts';
import { page, picture, pictureOf } from '../../src/charts/drawing.ts';
import { faceSize, faceSvg, hueOf, initialsOf } from '../../src/charts/face.ts';
import type { Review } from '../../src/domain/turn.ts';
import { readSages } from '../../src/settings/sages.ts';

const sages = [
  { key: 'taleb', name: 'Nassim Taleb', source: 'predefined' },
  { key: 'confucius', name: '孔子', source: 'predefined' },
  { key: 'custom_ab12', name: '老子', source: 'custom' },
  { key: 'new_critic', name: 'A <Critic>', source: 'dynamic' },
] as const;

const places = [
  { sage: 'taleb', score: 1, position: 1, averagePosition: 1, votes: 3 },
  { sage: 'confucius', score: 0.5, position: 2, averagePosition: 2, votes: 3 },
  { sage: 'custom_ab12', score: 0.25, position: 3, averagePosition: 3, votes: 2 },
  { sage: 'new_critic', score: 0, position: 4, votes: 0 },
];

/** A ballot on the sages above, which had the labels A to D; those of one group are tied. */
function reviewBy(reviewer: string, groups: readonly string[] | undefined): Review {
  return {
    reviewer,
    model: 'test:model',
    labels: sages.map(({ key }, index) => ({ label: 'ABCD'[index] ?? '', sage: key })),
    text: '',
    ballot: groups
      ? { status: 'ranked', groups: groups.map((group) => [...group]), partial: false }
      : { status: 'abstained', reason: 'unreadable' },
    latencyMs: 1,
  };
}

/** Text that is drawn, in order. */
function drawn(svg: string): readonly string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);
}

/** Width and height of a PNG, in pixels. */
function sizeOf(png: Buffer): readonly [number, number] {
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe('the chart of a ranking', () => {
  const chart = rankingChart({ places }, 3, sages, picture);

  test('counts the ballots after a rebuttal too', () => {
    const { title } = rankingChart({ places, secondBallots: 3 }, 3, sages, picture);
    expect(title).toBe('Ranking by 3 blind ballots and 3 after the rebuttal');
  });

  test('says all that it shows in its description and its table', () => {
    expect(chart.title).toBe('Ranking by 3 blind ballots');
    expect(chart.description).toBe(
      '1. Nassim Taleb: 100 %, 2. 孔子: 50 %, 3. 老子: 25 %, 4. A <Critic>: 0 %. The bars show how often sages who saw no names ranked each answer above another.',
    );
    expect(chart.table).toEqual([
      ['Place', 'Sage', 'Comparisons won', 'Ballots'],
      ['1', 'Nassim Taleb', '100 %', 'average place 1.0'],
      ['2', '孔子', '50 %', 'average place 2.0'],
      ['3', '老子', '25 %', 'average place 3.0, on 2 of 3 ballots'],
      ['4', 'A <Critic>', '0 %', 'on no ballot'],
    ]);
    expect(chart.svg).toContain('<desc>1. Nassim Taleb: 100 %');
  });

  test('cuts a long name where what stands beside the share begins', () => {
    const name = 'An Economist of the Old School, Who Is Never Wrong';
    const named = [{ key: 'economist', name, source: 'custom' }] as const;
    const labelWith = (votes: number) => {
      const ranked = [{ sage: 'economist', score: 1, position: 1, averagePosition: 1, votes }];
      return drawn(rankingChart({ places: ranked }, 3, named, picture).svg)[3];
    };
    expect(labelWith(3)).toBe('1. An Economist of the Old School, Who…');
    expect(labelWith(2)).toBe('1. An Economist of the Ol…');
  });

  test('names in a picture whom its font can’t write by key or seat', () => {
    const text = drawn(chart.svg);
    expect(text).toContain('2. Confucius');
    expect(text).toContain('3. Sage 3');
    expect(text).toContain('4. A &lt;Critic&gt;');
    expect(text.every((one) => picture.canWrite(one))).toBe(true);
    expect(drawn(rankingChart({ places }, 3, sages, page).svg)).toContain('2. 孔子');
  });

  test('draws a bar as long as its share, and none for nothing', () => {
    const widths = [...chart.svg.matchAll(/<rect x="84" y="\d+" width="([\d.]+)"/g)].map(
      ([, width]) => Number(width),
    );
    expect(widths).toEqual([608, 608, 608, 304, 608, 152, 608]);
  });

  test('becomes a picture of the same shape, with letters in it', async () => {
    const png = (await pictureOf(chart.svg, 1)) ?? Buffer.alloc(0);
    expect(sizeOf(png)).toEqual([720, 340]);
    const blank = chart.svg.replace(/<text[^>]*>[^<]*<\/text>/g, '');
    const without = (await pictureOf(blank, 1)) ?? Buffer.alloc(0);
    expect(png.length).toBeGreaterThan(1.5 * without.length);
  });
});

describe('the chart of agreement', () => {
  test('counts the comparisons that two ballots decide alike, ties included', () => {
    const one = reviewBy('taleb', ['A', 'B', 'C']);
    const other = reviewBy('confucius', ['A', 'C', 'B']);
    const tied = reviewBy('custom_ab12', ['AB', 'C']);
    expect(agreementOf(one, one)).toEqual({ same: 3, compared: 3 });
    expect(agreementOf(one, other)).toEqual({ same: 2, compared: 3 });
    expect(agreementOf(one, tied)).toEqual({ same: 2, compared: 3 });
    expect(agreementOf(one, reviewBy('taleb', undefined))).toEqual({ same: 0, compared: 0 });
  });

  test('names every two who voted, and leaves out who abstained', () => {
    const reviews = [
      reviewBy('taleb', ['A', 'B', 'C', 'D']),
      reviewBy('confucius', ['A', 'B', 'C', 'D']),
      reviewBy('custom_ab12', undefined),
      reviewBy('new_critic', ['D', 'C', 'B', 'A']),
    ];
    const chart = agreementChart(reviews, sages, picture);
    expect(chart?.description).toBe(
      'How many pairs of answers two sages put in the same order. Nassim Taleb, 孔子: 6/6; Nassim Taleb, A <Critic>: 0/6; 孔子, A <Critic>: 0/6.',
    );
    expect(chart?.table.slice(1)).toEqual([
      ['Nassim Taleb', '孔子', '6 of 6'],
      ['Nassim Taleb', 'A <Critic>', '0 of 6'],
      ['孔子', 'A <Critic>', '0 of 6'],
    ]);
    expect(drawn(chart?.svg ?? '')).toEqual(expect.arrayContaining(['6/6', '0/6', 'Confucius']));
  });

  test('is not drawn of fewer than three ballots', () => {
    const reviews = [reviewBy('taleb', ['A', 'B']), reviewBy('confucius', ['A', 'B'])];
    expect(agreementChart(reviews, sages, picture)).toBeUndefined();
  });
});

describe('a face', () => {
  test.each([
    ['Marcus Aurelius', 'MA'],
    ['Devil’s Advocate', 'DA'],
    ['The Gardener', 'G'],
    ['the', 'T'],
    ['José Ortega y Gasset', 'JG'],
    ['Фёдор Достоевский', 'ФД'],
    ['ßtefan', 'S'],
    ['孔子', ''],
    ['🙂', ''],
  ])('of %s has the initials %s', (name, initials) => {
    expect(initialsOf(name, picture)).toBe(initials);
  });

  test('has initials of every script on a page, whose reader has the letters', () => {
    expect(initialsOf('孔子', page)).toBe('孔');
  });

  test('has a colour of its own among those that come with the council', () => {
    const hues = readSages('config/sages').files.map(({ key }) => hueOf(key));
    const sorted = hues.toSorted((one, other) => one - other);
    const gaps = sorted.map((hue, index) => (sorted[index + 1] ?? (sorted[0] ?? 0) + 360) - hue);
    expect(sorted.length).toBeGreaterThan(10);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(11);
  });

  test('is the same for all sages that were invented for a turn', () => {
    const shapes = (key: string, name: string) =>
      faceSvg({ key, name, source: 'dynamic' }).replace(/<title>.*?<\/title>/, '');
    expect(shapes('new_one', 'One')).toBe(shapes('new_two', 'Two'));
    expect(shapes('new_one', 'One')).not.toBe(
      faceSvg({ key: 'new_one', name: 'One', source: 'custom' }),
    );
  });

  test('becomes a square picture small enough for an emoji of Discord', async () => {
    const png = (await pictureOf(faceSvg(sages[0]), 1)) ?? Buffer.alloc(0);
    expect(sizeOf(png)).toEqual([faceSize, faceSize]);
    expect(png.length).toBeLessThan(32 * 1024);
  });
});

describe('the font', () => {
  test('has every letter that pictures are drawn with', () => {
    const letters = lettersOf(readFileSync('src/charts/inter.ttf'));
    const wanted = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code)).filter(
      (letter) => picture.canWrite(letter),
    );
    expect(wanted.length).toBeGreaterThan(600);
    expect(
      wanted.filter((letter) => !letters.has(letter.normalize('NFC').codePointAt(0) ?? 0)),
    ).toEqual([]);
  });
});

/** The code points of a TrueType font, by its table of format 4. */
function lettersOf(font: Buffer): ReadonlySet<number> {
  const tables = Array.from({ length: font.readUInt16BE(4) }, (_, index) => 12 + 16 * index);
  const entry = tables.find((at) => font.toString('latin1', at, at + 4) === 'cmap') ?? 0;
  const cmap = font.readUInt32BE(entry + 8);
  const starts = Array.from(
    { length: font.readUInt16BE(cmap + 2) },
    (_, index) => cmap + font.readUInt32BE(cmap + 4 + 8 * index + 4),
  );
  const at = starts.find((start) => font.readUInt16BE(start) === 4) ?? 0;
  const segments = font.readUInt16BE(at + 6) / 2;
  const codes = Array.from({ length: segments }, (_, index) => {
    const end = font.readUInt16BE(at + 14 + 2 * index);
    const begin = font.readUInt16BE(at + 16 + 2 * segments + 2 * index);
    return Array.from({ length: end - begin + 1 }, (_unused, offset) => begin + offset);
  });
  return new Set(codes.flat());
}

describe('the chart of a leaderboard', () => {
  const ranked = [
    { id: 'taleb', name: 'Nassim <Taleb>', turns: 24, won: { share: 0.75, from: 0.55, to: 0.88 } },
    { id: 'confucius', name: '孔子', turns: 12, won: { share: 0, from: 0, to: 0.24 } },
  ];

  test('has a bar with its interval for each, and says all of it in words', () => {
    const { svg, description, table } = leaderboardChart(ranked, '24 ranked turns', picture);
    expect(drawn(svg)).toContain('1. Nassim &lt;Taleb&gt;');
    expect(svg).toContain('M393 133H612');
    expect(description).toContain(
      '1. Nassim <Taleb>: 75 %, 55 % to 88 %; 2. 孔子: 0 %, 0 % to 24 %.',
    );
    expect(table.at(-1)).toEqual(['2', '孔子', '0 %', '0 % to 24 %', '12']);
  });
});
