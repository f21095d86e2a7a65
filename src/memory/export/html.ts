/** An archive as one page of HTML, for people: no scripts, nothing loaded from elsewhere, fit for paper and phone. */

import { setImmediate as breathe } from 'node:timers/promises';
import { shownTime } from '../../domain/words.ts';
import type { ArchivedThread, ArchiveWriter } from './archive.ts';
import { inertHtml } from './inert-html.ts';
import { pageStyle } from './page-style.ts';
import { saidHtml, saidInline } from './said-html.ts';
import { type Note, type Spoken, spokenIn } from './spoken.ts';

/** So much takes some milliseconds. */
const readAtOnce = 10;

const labels: Readonly<Record<Spoken['kind'], string>> = {
  question: 'Question',
  answer: 'Answer',
  verdict: '',
  review: 'Review',
};

/** Even if a browser took something for a script or an address, it would not run or load it. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export const htmlWriter = {
  begin: (place) => {
    const title = inertHtml(`What was said in ${place}`);
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<header>
<h1>${title}</h1>
<p>Times are UTC.</p>
</header>
`;
  },
  thread: threadHtml,
  between: '\n',
  end: '\n</main>\n</body>\n</html>\n',
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

function spokenHtml({ kind, speaker, at, text, notes }: Spoken): string {
  const time = `<time datetime="${new Date(at).toISOString()}">${shownTime(at)}</time>`;
  const label = labels[kind] === '' ? '' : `<span class="label">${labels[kind]}</span>`;
  return `<article class="${kind}">
<h3><bdi>${inertHtml(speaker)}</bdi>${label}${time}</h3>
<div class="said">${saidHtml(text)}</div>${notes.map(noteHtml).join('')}
</article>`;
}

function noteHtml({ name, lines }: Note): string {
  const [only = ''] = lines;
  const said =
    lines.length === 1
      ? ` <span>${saidInline(only)}</span>`
      : `<ul>${lines.map((line) => `<li>${saidInline(line)}</li>`).join('')}</ul>`;
  return `\n<div class="note"><strong>${name}</strong>${said}</div>`;
}
