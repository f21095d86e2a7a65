/** What charts and faces are drawn with: colours, letters, the parts of an SVG that all of them have, and what makes pictures (PNG) of it. */

import { fileURLToPath } from 'node:url';
import { escapeHtml } from '../domain/words.ts';

/** One picture of a turn, with all that it shows in words. */
export interface Chart {
  readonly title: string;
  /** What it shows, in a few sentences: its alternative text. */
  readonly description: string;
  /** Its numbers; the first row names the columns. */
  readonly table: readonly (readonly string[])[];
  /** Complete, with nothing loaded from elsewhere. */
  readonly svg: string;
}

/** What a chart is drawn for. Colours are as SVG or CSS writes them. */
export interface Medium {
  readonly card: string;
  readonly ink: string;
  readonly quiet: string;
  readonly line: string;
  /** Of a sage's bar, at this angle of the colour wheel. */
  readonly bar: (hue: number) => string;
  /** Of more or less agreement, 0 to 1. */
  readonly shade: (share: number) => string;
  /** Whether it has the letters of a text. */
  readonly canWrite: (text: string) => boolean;
}

/** The letters that the shipped font has: Latin, Greek, Cyrillic and their signs. A test holds it against the font. */
const drawable =
  /^[ -~\u00a0-\u00ac\u00ae-\u0148\u014a-\u017f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u045f\u1e80-\u1e85\u1ea0-\u1ef9\u2013\u2014\u2018-\u201e\u2026]+$/u;

/** A picture has its own card, read on light and on dark, because it can't know what it stands on. */
export const picture: Medium = {
  card: '#1e2025',
  ink: '#f2f3f5',
  quiet: '#b0b4bd',
  line: '#3a3d44',
  bar: (hue) => `hsl(${hue}, 62%, 62%)`,
  shade: (share) => `hsl(152, ${Math.round(12 + 34 * share)}%, ${Math.round(18 + 24 * share)}%)`,
  canWrite: (text) => drawable.test(text.normalize('NFC')),
};

/** A page of an export: light by day and dark by night, as its variables are. */
export const page: Medium = {
  card: 'var(--card)',
  ink: 'var(--ink)',
  quiet: 'var(--dim)',
  line: 'var(--line)',
  bar: (hue) => `hsl(${hue}, 55%, 50%)`,
  shade: (share) =>
    `color-mix(in srgb, var(--verdict) ${Math.round(6 + 44 * share)}%, var(--card))`,
  canWrite: () => true,
};

/** `Inter` is shipped for pictures; pages fall back to what the reader's machine has. One family is enough for resvg. */
export const fontStack = 'Inter, system-ui, sans-serif';

/** Of a letter beside its size, in the widest common text. */
const letterWidth = 0.58;

/** A text that fits into a width, in the units of the drawing. */
export function fitted(text: string, size: number, width: number): string {
  const letters = Array.from(text.normalize('NFC'));
  const most = Math.floor(width / (size * letterWidth));
  return letters.length <= most
    ? letters.join('')
    : `${letters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
}

/** A line of text. */
export function textAt(
  text: string,
  x: number,
  y: number,
  style: { readonly size: number; readonly fill: string; readonly anchor?: 'middle' | 'end' },
): string {
  const anchor = style.anchor ? ` text-anchor="${style.anchor}"` : '';
  return `<text x="${x}" y="${y}" font-size="${style.size}" fill="${style.fill}"${anchor}>${escapeHtml(text)}</text>`;
}

/** A whole chart: its card, its title and description for those who can't see it, and its parts. */
export function chartSvg(
  chart: Omit<Chart, 'svg' | 'table'>,
  medium: Medium,
  size: { readonly width: number; readonly height: number },
  parts: readonly string[],
): string {
  const { width, height } = size;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${fontStack}" font-weight="600" role="img">`,
    `<title>${escapeHtml(chart.title)}</title>`,
    `<desc>${escapeHtml(chart.description)}</desc>`,
    `<rect width="${width}" height="${height}" rx="12" fill="${medium.card}"/>`,
    ...parts,
    '</svg>',
  ].join('');
}

const font = fileURLToPath(new URL('inter.ttf', import.meta.url));

/**
 * Draws an SVG, beside what else the process does.
 *
 * @param scale - Pixels of the picture for one of the drawing.
 * @returns The bytes of a PNG; `undefined` where this machine can't draw. Throws what is wrong with the SVG.
 */
export async function pictureOf(svg: string, scale = 2): Promise<Buffer | undefined> {
  // Loaded by the first drawing; absent where its program for this kind of machine was not installed.
  const resvg = await import('@resvg/resvg-js').catch(() => undefined);
  // The machine's own fonts are left out: the same turn gives the same picture everywhere.
  const fonts = { fontFiles: [font], loadSystemFonts: false, defaultFontFamily: 'Inter' };
  const image = await resvg?.renderAsync(svg, {
    font: fonts,
    fitTo: { mode: 'zoom', value: scale },
  });
  return image?.asPng();
}
