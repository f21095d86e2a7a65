/** What was said, as HTML. */

import { page } from '../charts/drawing.ts';
import { type Faced, faceSvg } from '../charts/face.ts';
import { inertHtml, shownTime } from '../domain/words.ts';
import { chartHtml } from './page.ts';
import { saidHtml, saidInline } from './said-html.ts';
import type { Note, Spoken } from './spoken.ts';

const labels: Readonly<Record<Spoken['kind'], string>> = {
  question: 'Question',
  answer: 'Answer',
  verdict: '',
  review: 'Review',
};

/** One article, with its notes below what was said. */
export function spokenHtml({ kind, speaker, at, text, notes, sage }: Spoken): string {
  const time = `<time datetime="${new Date(at).toISOString()}">${shownTime(at)}</time>`;
  const label = labels[kind] === '' ? '' : `<span class="label">${labels[kind]}</span>`;
  return `<article class="${kind}">
<h3>${sage ? faceHtml(sage) : ''}<bdi>${inertHtml(speaker)}</bdi>${label}${time}</h3>
<div class="said">${saidHtml(text)}</div>${notes.map(noteHtml).join('')}
</article>`;
}

/** Beside the name, which says whose it is. */
export function faceHtml(sage: Faced): string {
  return `<span class="face" aria-hidden="true">${faceSvg(sage, page)}</span>`;
}

/** A sentence or a list under its name, or a chart with its table. */
export function noteHtml({ name, lines, chart }: Note): string {
  if (chart) return chartHtml(chart);
  const [only = ''] = lines;
  const said =
    lines.length === 1
      ? ` <span>${saidInline(only)}</span>`
      : `<ul>${lines.map((line) => `<li>${saidInline(line)}</li>`).join('')}</ul>`;
  return `\n<div class="note"><strong>${name}</strong>${said}</div>`;
}
