/** The HTML page of a conversation: no scripts, nothing loaded from elsewhere, fit for print and phones. */

import { type Chart, page } from '../charts/drawing.ts';
import { type Faced, faceSvg } from '../charts/face.ts';
import { escapeHtml, shownTime } from '../domain/words.ts';
import { saidHtml, saidInline } from './said-html.ts';
import type { Note, Spoken } from './spoken.ts';

/** A second line of defence: the browser runs and loads nothing even if escaping failed. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** @param note - Small print below the title. */
export function pageBegin(title: string, note: string): string {
  const inert = escapeHtml(title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<title>${inert}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<header>
<h1>${inert}</h1>
<p>${escapeHtml(note)}</p>
</header>
`;
}

export const pageEnd = '\n</main>\n</body>\n</html>\n';

/** A chart and its table, for readers who want the numbers or can't see it. */
export function chartHtml({ title, svg, table }: Chart): string {
  const [heads = [], ...rows] = table;
  const cells = (name: 'th' | 'td', row: readonly string[]) =>
    `<tr>${row.map((cell) => `<${name}>${escapeHtml(cell)}</${name}>`).join('')}</tr>`;
  return `
<figure>${svg}
<details><summary>The same in numbers</summary><div class="table" tabindex="0"><table>
<caption>${escapeHtml(title)}</caption>
<thead>${cells('th', heads)}</thead>
<tbody>${rows.map((row) => cells('td', row)).join('')}</tbody>
</table></div></details></figure>`;
}

/** The style of Markdown messages. The page defines the colours --dim, --line, --code and --question. */
export const saidStyle = `
.said :is(p, ul, ol, pre, blockquote, div) { margin: 0 0 .75em; }
.said :is(p, li, h4, h5, h6, th, td), .note :is(span, li) { unicode-bidi: plaintext; text-align: start; }
.said :is(h4, h5, h6) { font-family: system-ui, sans-serif; line-height: 1.3; margin: 1.2em 0 .4em; }
.said h4 { font-size: 1.05rem; }
.said h5 { font-size: 1rem; }
.said h6 { font-size: .92rem; }
.said :is(ul, ol) { padding-inline-start: 1.5em; }
.said li > :is(ul, ol, p) { margin: .15em 0; }
li:has(> .task) { list-style: none; }
.task { margin-inline-start: -1.3em; }
.said blockquote { padding-inline-start: .9em; border-inline-start: 3px solid var(--line); color: var(--dim); }
.said hr { border: 0; border-top: 1px solid var(--line); margin: 1.2em 0; }
.written { white-space: pre-wrap; }
code { font: .86em/1.5 ui-monospace, "SF Mono", Consolas, monospace; background: var(--code); border-radius: .25rem; padding: .1em .3em; }
.said > :first-child { margin-top: 0; }
.said > :last-child, .said blockquote > :last-child { margin-bottom: 0; }
pre { background: var(--code); border-radius: .4rem; padding: .7rem .9rem; overflow-x: auto; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
.table { overflow-x: auto; }
caption { text-align: start; color: var(--dim); padding: 0 .7rem .3rem; }
table { border-collapse: collapse; font: .88rem/1.45 system-ui, sans-serif; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .7rem; vertical-align: top; overflow-wrap: normal; min-width: 4.5rem; text-align: start; }
th { border-bottom-width: 2px; }
.said .right { text-align: end; }
.said .center { text-align: center; }
a { color: var(--question); text-underline-offset: .15em; }
.host { color: var(--dim); font: .8em system-ui, sans-serif; }
.face svg { display: block; width: 1.7rem; height: 1.7rem; }
`;

/** The style of a page for screens of any width, light and dark mode, and print. */
const pageStyle = `
:root { color-scheme: light dark; --ink: #1d2329; --dim: #5b6670; --page: #f6f5f2; --card: #fff; --line: #dcd9d2; --verdict: #2f6f4f; --question: #35589a; --code: #f0eee9; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e4df; --dim: #9aa4ad; --page: #16191c; --card: #1f2327; --line: #343a40; --verdict: #6fc396; --question: #8fb0ea; --code: #16191c; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.6 Georgia, "Times New Roman", serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1, h2, h3, .label, .note, header p { font-family: system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
header p, time { color: var(--dim); font-size: .85rem; }
h2 { font-size: 1rem; color: var(--dim); border-bottom: 1px solid var(--line); padding-bottom: .3rem; margin: 2.5rem 0 1rem; overflow-wrap: anywhere; }
article { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem 1.1rem; margin: 0 0 .9rem; }
h3 { display: flex; flex-wrap: wrap; gap: .2rem .7rem; align-items: baseline; font-size: 1rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
time { margin-left: auto; font-weight: 400; }
.label { color: var(--dim); font-size: .75rem; font-weight: 400; }
.said { overflow-wrap: anywhere; }
${saidStyle}.note { margin-top: .7rem; padding-top: .5rem; border-top: 1px solid var(--line); font-size: .9rem; overflow-wrap: anywhere; }
.note ul { margin: .2rem 0 0; padding-left: 1.2rem; }
figure { margin: .9rem 0 0; font: .85rem/1.45 system-ui, sans-serif; }
figure svg { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: .6rem; }
summary { color: var(--dim); cursor: pointer; }
h3:has(.face) { align-items: center; }
.question { border-left: .3rem solid var(--question); }
.verdict { border: 2px solid var(--verdict); }
.verdict h3 { color: var(--verdict); }
.review { font-size: .9rem; margin-left: 1.2rem; }
@media print {
  :root { --ink: #000; --dim: #444; --page: #fff; --card: #fff; --line: #bbb; --verdict: #1f5a3d; --question: #2b4780; --code: #f3f3f3; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  h2, h3 { break-after: avoid; }
  .said { orphans: 3; widows: 3; }
  pre { white-space: pre-wrap; }
  tr, pre { break-inside: avoid; }
}
@page { margin: 18mm 16mm; }
`;

const labels: Readonly<Record<Spoken['kind'], string>> = {
  question: 'Question',
  answer: 'Answer',
  verdict: '',
  review: 'Review',
};

/** A message as an article, with its notes below the text. */
export function spokenHtml({ kind, speaker, at, text, notes, sage }: Spoken): string {
  const time = `<time datetime="${new Date(at).toISOString()}">${shownTime(at)}</time>`;
  const label = labels[kind] === '' ? '' : `<span class="label">${labels[kind]}</span>`;
  return `<article class="${kind}">
<h3>${sage ? faceHtml(sage) : ''}<bdi>${escapeHtml(speaker)}</bdi>${label}${time}</h3>
<div class="said">${saidHtml(text)}</div>${notes.map(noteHtml).join('')}
</article>`;
}

/** A sage's face, hidden from screen readers: the name is next to it. */
export function faceHtml(sage: Faced): string {
  return `<span class="face" aria-hidden="true">${faceSvg(sage, page)}</span>`;
}

/** A note as a sentence or a list, or as a chart with its table. */
export function noteHtml({ name, lines, chart }: Note): string {
  if (chart) return chartHtml(chart);
  const [only = ''] = lines;
  const said =
    lines.length === 1
      ? ` <span>${saidInline(only)}</span>`
      : `<ul>${lines.map((line) => `<li>${saidInline(line)}</li>`).join('')}</ul>`;
  return `\n<div class="note"><strong>${name}</strong>${said}</div>`;
}
