/** An archive as one page of HTML, for people. */

import { setImmediate as breathe } from 'node:timers/promises';

import { page } from '../../charts/drawing.ts';
import { type Faced, faceSvg } from '../../charts/face.ts';
import { inertHtml } from '../../domain/inert-html.ts';
import { shownTime } from '../../domain/words.ts';
import type { ArchiveWriter, ReadableThread } from './archive.ts';
import { spokenInOrder } from './in-order.ts';
import { chartHtml, pageBegin, pageEnd } from './page.ts';
import { saidHtml, saidInline } from './said-html.ts';
import type { Note, Spoken } from './spoken.ts';

const labels: Readonly<Record<Spoken['kind'], string>> = {
  question: 'Question',
  answer: 'Answer',
  verdict: '',
  review: 'Review',
};

export const htmlWriter = {
  begin: (place) => pageBegin(`What was said in ${place}`, 'Times are UTC.'),
  thread: threadHtml,
  between: '\n',
  end: pageEnd,
} as const satisfies ArchiveWriter;

/** Lets others go first after each turn: reading the Markdown of a long channel takes seconds. */
async function* threadHtml(thread: ReadableThread): AsyncGenerator<string> {
  yield `<section>\n<h2>${inertHtml(thread.threadId)}</h2>`;
  for await (const said of spokenInOrder(thread)) {
    yield said.map((one) => `\n${spokenHtml(one)}`).join('');
    await breathe();
  }
  yield '\n</section>';
}

function spokenHtml({ kind, speaker, at, text, notes, sage }: Spoken): string {
  const time = `<time datetime="${new Date(at).toISOString()}">${shownTime(at)}</time>`;
  const label = labels[kind] === '' ? '' : `<span class="label">${labels[kind]}</span>`;
  return `<article class="${kind}">
<h3>${sage ? faceHtml(sage) : ''}<bdi>${inertHtml(speaker)}</bdi>${label}${time}</h3>
<div class="said">${saidHtml(text)}</div>${notes.map(noteHtml).join('')}
</article>`;
}

/** Beside the name, which says whose it is. */
function faceHtml(sage: Faced): string {
  return `<span class="face" aria-hidden="true">${faceSvg(sage, page)}</span>`;
}

function noteHtml({ name, lines, chart }: Note): string {
  if (chart) return chartHtml(chart);
  const [only = ''] = lines;
  const said =
    lines.length === 1
      ? ` <span>${saidInline(only)}</span>`
      : `<ul>${lines.map((line) => `<li>${saidInline(line)}</li>`).join('')}</ul>`;
  return `\n<div class="note"><strong>${name}</strong>${said}</div>`;
}
