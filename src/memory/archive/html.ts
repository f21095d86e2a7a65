/** An archive as one page of HTML, for people: no scripts, nothing loaded from elsewhere, fit for paper and phone. */

import type { Archive } from './archive.ts';
import { inertHtml } from './inert-html.ts';
import { shownTime } from './markdown.ts';
import { pageStyle } from './page-style.ts';
import { saidHtml, saidInline } from './said-html.ts';
import { type Note, type Spoken, spokenThreads } from './spoken.ts';

const labels: Readonly<Record<Spoken['kind'], string>> = {
  question: 'Question',
  answer: 'Answer',
  verdict: '',
  review: 'Review',
};

/** Even if a browser took something for a script or an address, it would not run or load it. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function archiveHtml(archive: Archive): string {
  const title = `What was said in ${archive.place}`;
  const threads = spokenThreads(archive).map(
    ({ threadId, spoken }) =>
      `<section>\n<h2>${inertHtml(threadId)}</h2>\n${spoken.map(spokenHtml).join('\n')}\n</section>`,
  );
  const count = archive.threads.length;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<title>${inertHtml(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<header>
<h1>${inertHtml(title)}</h1>
<p>${count} ${count === 1 ? 'thread' : 'threads'}. Times are UTC.</p>
</header>
${threads.join('\n')}
</main>
</body>
</html>
`;
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
