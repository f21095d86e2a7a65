/** The faces and labels of sages in charts. Faces are drawn, so nothing is loaded from elsewhere. */

import { createHash } from 'node:crypto';
import type { Sage } from '../domain/turn.ts';
import { escapeHtml, nameFromKey, wordsIn } from '../domain/words.ts';
import { fontStack, type Medium, picture } from './drawing.ts';

/** A sage, as far as its face needs it. */
export type Faced = Pick<Sage, 'key' | 'name' | 'source'>;

/** Width and height of a face, in pixels. */
export const faceSize = 128;

/** Words of a name that give no initial. */
const articles: ReadonlySet<string> = new Set('the a an of der die das le la'.split(' '));

/**
 * The initials of the first and last word of a sage's name.
 *
 * @returns One or two capitals; empty if the font lacks them.
 */
export function initialsOf(name: string, medium: Medium): string {
  const all = wordsIn(name);
  const significant = all.filter((word) => !articles.has(word.toLowerCase()));
  const [first = '', ...rest] = significant.length > 0 ? significant : all;
  const initials = [first, rest.at(-1) ?? '']
    .map((word) => Array.from(word.normalize('NFC').toUpperCase())[0] ?? '')
    .join('');
  return medium.canWrite(initials) ? initials : '';
}

/** Chosen so that the colours of the shipped sages are at least 11 degrees apart. */
const salt = '4978';

/** The hue of a sage, 0 to 359; the same in every turn. */
export function hueOf(key: string): number {
  return createHash('sha256').update(`${salt} ${key}`).digest().readUInt16BE() % 360;
}

/** Dark enough for white letters: a contrast of at least 4.5 at every hue. */
function groundOf({ key, source }: Faced): string {
  return source === 'dynamic' ? 'hsl(220, 9%, 34%)' : `hsl(${hueOf(key)}, 52%, 31%)`;
}

/**
 * A face as SVG elements.
 *
 * @param at - Its centre and radius, in the SVG's units.
 */
export function faceShapes(
  sage: Faced,
  { x, y, radius }: { readonly x: number; readonly y: number; readonly radius: number },
  medium: Medium,
): string {
  const ground = `<circle cx="${x}" cy="${y}" r="${radius}" fill="${groundOf(sage)}"/>`;
  const initials = sage.source === 'dynamic' ? '' : initialsOf(sage.name, medium);
  if (initials === '') return `${ground}${bust(x, y, radius)}`;
  const size = Math.round(radius * (initials.length > 1 ? 0.86 : 1.05) * 10) / 10;
  return `${ground}<text x="${x}" y="${y + size * 0.36}" text-anchor="middle" font-size="${size}" font-weight="600" fill="#fff">${escapeHtml(initials)}</text>`;
}

/** Head and shoulders, for dynamic sages and names that the font can't write. */
function bust(x: number, y: number, radius: number): string {
  const head = `<circle cx="${x}" cy="${y - radius * 0.22}" r="${radius * 0.28}" fill="#fff"/>`;
  const [left, right] = [x - radius * 0.5, x + radius * 0.5];
  const [top, low] = [y + radius * 0.2, y + radius * 0.56];
  return `${head}<path d="M ${left} ${low} C ${left} ${top}, ${right} ${top}, ${right} ${low} Z" fill="#fff"/>`;
}

/** A face as a complete SVG, {@link faceSize} pixels wide and high. */
export function faceSvg(sage: Faced, medium: Medium = picture): string {
  const middle = faceSize / 2;
  const title = escapeHtml(
    sage.source === 'dynamic' ? 'A sage invented for this question' : sage.name,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${faceSize} ${faceSize}" width="${faceSize}" height="${faceSize}" font-family="${fontStack}" role="img"><title>${title}</title>${faceShapes(sage, { x: middle, y: middle, radius: middle }, medium)}</svg>`;
}

/** A sage's name; if the font can't write it, its key in words or its number among the seated sages. */
export function labelIn(medium: Medium, sage: Faced, sages: readonly Faced[]): string {
  if (medium.canWrite(sage.name)) return sage.name;
  return sage.source === 'predefined' ? nameFromKey(sage.key) : `Sage ${sages.indexOf(sage) + 1}`;
}
