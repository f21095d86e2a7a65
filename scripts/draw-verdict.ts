/**
 * Draws a recorded council as the picture of the README: `npm run picture`. A test holds the picture
 * against the recording, so that it can't age.
 */

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readRecording } from '../src/app/recordings.ts';
import type { RecordedTurn } from '../src/council/recording.ts';
import { namesOf } from '../src/domain/words.ts';

/** Which council is drawn. */
export const drawnRecording = 'rewrite';
export const picturePath = fileURLToPath(new URL('../docs/verdict.svg', import.meta.url));

const width = 860;
const margin = 32;
const fontFamily = "-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";
/** Of a letter beside its size, by weight, in the widest of these fonts: no line may run over. */
const letterWidth = { 400: 0.55, 600: 0.62 };
const colours = {
  ink: '#1f2328',
  quiet: '#59636e',
  line: '#d1d9e0',
  bar: '#0969da',
  bed: '#eaeef2',
};

interface Style {
  readonly size: number;
  readonly weight?: 400 | 600;
  readonly colour?: string;
  readonly italic?: boolean;
}

/** Draws from top to bottom; `top` is where the next thing goes. */
class Drawing {
  readonly #parts: string[] = [];
  top = margin;

  /** Wraps a text and moves `top` below it. */
  text(text: string, style: Style, left = margin, right = width - margin): void {
    const most = Math.floor((right - left) / (style.size * letterWidth[style.weight ?? 400]));
    for (const line of wrapped(text, most)) {
      this.top += Math.round(style.size * 1.45);
      this.line(line, style, left, this.top);
    }
  }

  line(
    text: string,
    { size, weight = 400, colour = colours.ink, italic }: Style,
    x: number,
    y: number,
  ) {
    const slant = italic ? ' font-style="italic"' : '';
    this.#parts.push(
      `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${colour}"${slant}>${escaped(text)}</text>`,
    );
  }

  box(x: number, y: number, wide: number, high: number, fill: string): void {
    this.#parts.push(
      `<rect x="${x}" y="${y}" width="${wide}" height="${high}" rx="3" fill="${fill}"/>`,
    );
  }

  rule(): void {
    this.top += 20;
    this.#parts.push(
      `<line x1="${margin}" y1="${this.top}" x2="${width - margin}" y2="${this.top}" stroke="${colours.line}"/>`,
    );
    this.top += 4;
  }

  svg(title: string): string {
    const height = this.top + margin;
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${fontFamily}" role="img" aria-label="${escaped(title)}">`,
      `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="12" fill="#ffffff" stroke="${colours.line}"/>`,
      ...this.#parts,
      '</svg>\n',
    ].join('\n');
  }
}

/** The question, each sage's position with what it won, the verdict, and who would not follow it. */
export function drawVerdict(turn: RecordedTurn): string {
  const drawing = new Drawing();
  const small = { size: 13, colour: colours.quiet };
  drawing.text('A council, recorded', small);
  drawing.text(turn.request.question, { size: 16, weight: 600 });
  drawing.rule();
  const { seats } = turn.seated;
  const nameOf = namesOf(seats.map(({ sage }) => sage));
  for (const { sage, score } of turn.ranked.ranking.places) {
    const answer = turn.answers.find((one) => one.sage === sage)?.answer ?? '';
    const begun = drawing.top;
    drawing.line(nameOf(sage), { size: 14, weight: 600 }, margin, begun + 26);
    drawing.top += 6;
    drawing.text(positionOf(answer), { size: 14 }, 210, width - 180);
    drawing.box(width - 160, begun + 17, 80, 9, colours.bed);
    drawing.box(width - 160, begun + 17, Math.round(80 * score), 9, colours.bar);
    drawing.line(`${Math.round(score * 100)} %`, small, width - 70, begun + 26);
    drawing.top += 4;
  }
  drawing.text('Ranked by the sages themselves, blind: the share of comparisons won.', small);
  drawing.rule();
  drawing.text('Verdict', small);
  const [opening = '', ...paragraphs] = turn.verdict.verdict.split(/(?<=\*\*) |\n\n/);
  drawing.text(unmarked(opening), { size: 18, weight: 600 });
  drawing.top += 4;
  for (const paragraph of paragraphs) {
    drawing.text(unmarked(paragraph), { size: 14 });
    drawing.top += 6;
  }
  drawing.rule();
  drawing.text(`Minority report: ${turn.verdict.minorityReport}`, { size: 14, italic: true });
  return drawing.svg(`A verdict on: ${turn.request.question}`);
}

/** The bold sentence that an answer opens with. */
function positionOf(answer: string): string {
  return /^\*\*(.+?)\*\*/.exec(answer)?.[1] ?? answer;
}

function unmarked(markdown: string): string {
  return markdown.replaceAll('**', '');
}

function wrapped(text: string, most: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < most)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(picturePath, drawVerdict(readRecording(drawnRecording)));
}
