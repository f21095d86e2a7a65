/** An archive as one page of HTML, for people. */

import { setImmediate as breathe } from 'node:timers/promises';

import { page } from '../../charts/drawing.ts';
import { type Faced, faceSvg } from '../../charts/face.ts';
import { inertHtml } from '../../domain/inert-html.ts';
import { shownTime } from '../../domain/words.ts';
import type { ArchivedThread, ArchiveWriter } from './archive.ts';
import { chartHtml, pageBegin, pageEnd } from './page.ts';
import { saidHtml, saidInline } from './said-html.ts';
import { type Note, type Spoken, spokenIn } from './spoken.ts';

/** This many take some milliseconds. */
const readAtOnce = 10;

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

/** Lets others go first now and then: reading the Markdown of a long channel takes seconds. */
async function threadHtml(thread: ArchivedThread): Promise<string> {
  const articles: string[] = [];
  for (const one of spokenIn(thread)) {
    articles.push(spokenHtml(one));
    if (articles.length % readAtOnce === 0) await breathe();
  }
  await breathe();
  return `<section>\n<h2>${inertHtml(thread.threadId)}</h2>\n${articles.join('\n')}\n</section>`;
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
