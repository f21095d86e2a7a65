/** The basics of charts and faces: colours, text and the frame of an SVG, and rendering to PNG. */

import { escapeHtml, shortened } from '../domain/words.ts';

/** A chart with its alternative text. */
export interface Chart {
  readonly title: string;
  /** Its alternative text: a few sentences. */
  readonly description: string;
  /** Its numbers; the first row names the columns. */
  readonly table: readonly (readonly string[])[];
  /** Self-contained. */
  readonly svg: string;
}

/** The target of a drawing, with its colours as CSS values. */
export interface Medium {
  readonly card: string;
  readonly ink: string;
  readonly quiet: string;
  readonly line: string;
  /** The colour of a sage's bar by its hue in degrees. */
  readonly bar: (hue: number) => string;
  /** The colour of agreement, from 0 to 1. */
  readonly shade: (share: number) => string;
  /** Whether its font has every letter of a text. */
  readonly canWrite: (text: string) => boolean;
}

/** The letters of the shipped font: Latin, Greek, Cyrillic and punctuation. A test compares it with the font. */
const drawable =
  /^[ -~\u00a0-\u00ac\u00ae-\u0148\u014a-\u017f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u045f\u1e80-\u1e85\u1ea0-\u1ef9\u2013\u2014\u2018-\u201e\u2026]+$/u;

/** PNG pictures have a background of their own, because they may be shown on light or dark. */
export const picture: Medium = {
  card: '#1e2025',
  ink: '#f2f3f5',
  quiet: '#b0b4bd',
  line: '#3a3d44',
  bar: (hue) => `hsl(${hue}, 62%, 62%)`,
  shade: (share) => `hsl(152, ${Math.round(12 + 34 * share)}%, ${Math.round(18 + 24 * share)}%)`,
  canWrite: (text) => drawable.test(text.normalize('NFC')),
};

/** HTML pages: light or dark, by the page's CSS variables. */
export const page: Medium = {
  card: 'var(--card)',
  ink: 'var(--ink)',
  quiet: 'var(--dim)',
  line: 'var(--line)',
  bar: (hue) => `hsl(${hue}, 55%, 50%)`,
  shade: (share) => `color-mix(in srgb, var(--accent) ${Math.round(6 + 44 * share)}%, var(--card))`,
  canWrite: () => true,
};

/** `Inter` is shipped for pictures; pages fall back to the reader's fonts. */
export const fontStack = 'Inter, system-ui, sans-serif';

/** The width of a letter relative to the font size, for the widest common text. */
const letterWidth = 0.58;

/** Shortens a text to a width, in the drawing's units. */
export function fitted(text: string, size: number, width: number): string {
  return shortened(text.normalize('NFC'), Math.floor(width / (size * letterWidth)));
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

/** Left and right of every chart. */
export const margin = 28;

/**
 * A complete SVG: the background, the title and description for screen readers, the heading and the parts.
 *
 * @param heading - A line and a smaller one below it.
 */
export function chartSvg(
  chart: Omit<Chart, 'svg' | 'table'>,
  [heading, note]: readonly [heading: string, note: string],
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
    textAt(fitted(heading, 21, width - 2 * margin), margin, 42, { size: 21, fill: medium.ink }),
    textAt(note, margin, 66, { size: 13, fill: medium.quiet }),
    ...parts,
    '</svg>',
  ].join('');
}

const font = `${import.meta.dirname}/inter.ttf`;

/**
 * Renders an SVG in the background.
 *
 * @param scale - Pixels per unit of the drawing.
 * @returns A PNG; `undefined` if this machine can't draw. Throws for an invalid SVG.
 */
export async function pictureOf(svg: string, scale = 2): Promise<Buffer | undefined> {
  // Loaded on first use; fails if its binary for this platform is not installed.
  const resvg = await import('@resvg/resvg-js').catch(() => undefined);
  // Without system fonts, the same turn gives the same picture everywhere.
  const fonts = { fontFiles: [font], loadSystemFonts: false, defaultFontFamily: 'Inter' };
  const image = await resvg?.renderAsync(svg, {
    font: fonts,
    fitTo: { mode: 'zoom', value: scale },
  });
  return image?.asPng();
}

/**
 * A file for a chat, which shows no SVG: that becomes a PNG.
 *
 * @returns `undefined` if this machine can't draw it.
 */
export async function chatFile(file: {
  readonly name: string;
  readonly mediaType: string;
  readonly content: string;
}): Promise<{ readonly name: string; readonly data: Buffer } | undefined> {
  const { name, mediaType, content } = file;
  if (mediaType !== 'image/svg+xml') return { name, data: Buffer.from(content) };
  const data = await pictureOf(content);
  return data && { name: name.replace(/svg$/, 'png'), data };
}
