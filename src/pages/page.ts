/** The HTML page of a conversation: no scripts, nothing loaded from elsewhere, fit for print and phones. */

import { type Chart, page } from '../charts/drawing.ts';
import { type Faced, faceSvg } from '../charts/face.ts';
import { escapeHtml, shownTime } from '../domain/words.ts';
import { langOf, saidBlock, saidInline } from './said-html.ts';
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
<details><summary>${escapeHtml(title)}, in numbers</summary><div class="table" tabindex="0"><table>
<caption>${escapeHtml(title)}</caption>
<thead>${cells('th', heads)}</thead>
<tbody>${rows.map((row) => cells('td', row)).join('')}</tbody>
</table></div></details></figure>`;
}

/**
 * The style that all pages share, for screens of any width, light and dark mode, and print: two fonts and one accent
 * colour. Text has a contrast of at least 4.5.
 */
export const baseStyle = `
:root {
  color-scheme: light dark;
  --ink: #1d2329; --dim: #57616a; --page: #f7f6f3; --card: #fff; --line: #dedbd4; --accent: #2a6549;
  --edge: #8b9299; --on-accent: #fff; --warn: #7a4a00; --bad: #9b2c20;
  --small: .875rem;
  --text: Georgia, "Iowan Old Style", "Times New Roman", serif;
}
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6e4df; --dim: #a3adb5; --page: #15181b; --card: #1d2125; --line: #343a40; --accent: #79c99d; --edge: #69727a; --on-accent: #10231a; --warn: #f0bd70; --bad: #ff9d90; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h2, h3 { font-size: 1rem; line-height: 1.3; margin: 0 0 .75rem; }
a { color: var(--accent); text-underline-offset: .15em; }
summary { cursor: pointer; }
time, dt, .small { color: var(--dim); font-size: var(--small); font-weight: 400; }
.said { font-family: var(--text); line-height: 1.6; }
.said :is(p, ul, ol, pre, blockquote, div) { margin: 0 0 .75em; }
h1, h2, textarea, aside li a, .focus, .next, .said :is(p, li, h4, h5, h6, th, td), .note :is(span, li) { unicode-bidi: plaintext; text-align: start; }
.said :is(h4, h5, h6) { font: 600 1rem/1.3 system-ui, sans-serif; margin: 1.2em 0 .4em; }
.said :is(ul, ol), .note ul { padding-inline-start: 1.5em; }
.said li > :is(ul, ol, p) { margin: .15em 0; }
li:has(> .task) { list-style: none; }
.task { margin-inline-start: -1.3em; }
.said blockquote { padding-inline-start: .9em; border-inline-start: 3px solid var(--line); color: var(--dim); }
.said hr { border: 0; border-top: 1px solid var(--line); margin: 1.2em 0; }
.said > :first-child { margin-top: 0; }
.said > :last-child, .said blockquote > :last-child, .note ul { margin-bottom: 0; }
.written { white-space: pre-wrap; }
code, pre { background: var(--page); border-radius: .4rem; direction: ltr; unicode-bidi: isolate; }
code { font: .86em/1.5 ui-monospace, "SF Mono", Consolas, monospace; padding: .1em .3em; }
pre { padding: .7rem .9rem; overflow-x: auto; }
pre code { padding: 0; overflow-wrap: normal; }
.table { overflow-x: auto; margin-bottom: 1rem; }
table { border-collapse: collapse; font: var(--small)/1.45 system-ui, sans-serif; }
caption { text-align: start; color: var(--dim); padding: 0 .7rem .3rem; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .7rem; vertical-align: top; overflow-wrap: normal; min-width: 4.5rem; text-align: start; }
.said .right { text-align: end; }
.said .center { text-align: center; }
.host { color: var(--dim); font: .8em system-ui, sans-serif; }
.note { margin-top: 1rem; padding-top: .75rem; border-top: 1px solid var(--line); }
.note > :is(strong, span) { display: block; }
.note > strong { font-size: var(--small); color: var(--dim); }
.note > span::first-letter { text-transform: uppercase; }
.note ul { margin-top: 0; }
figure { margin: 1rem 0; font-size: var(--small); }
figure > svg { display: block; max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: .6rem; }
.face svg { display: block; width: 1.7rem; height: 1.7rem; }
@media (max-width: 34rem) {
  /* Charts would be too small to read on a phone; their tables show the same data. */
  figure > svg { display: none; }
  @supports selector(::details-content) { figure summary { display: none; } }
  figure details::details-content { content-visibility: visible; height: auto; }
  th, td { padding: .4rem .3rem; min-width: 0; }
}
@media print {
  :root { color-scheme: light; --page: #fff; }
  h2, h3 { break-after: avoid; }
  .said { orphans: 3; widows: 3; }
  pre { white-space: pre-wrap; }
  tr, pre { break-inside: avoid; }
  details::details-content { content-visibility: visible; height: auto; }
}
@page { margin: 18mm 16mm; }
`;

const pageStyle = `${baseStyle}
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; }
header p, .label { color: var(--dim); font-size: var(--small); font-weight: 400; }
h2 { color: var(--dim); border-bottom: 1px solid var(--line); padding-bottom: .3rem; margin-top: 2.5rem; }
article { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.1rem; margin: 0 0 1rem; }
h3 { display: flex; flex-wrap: wrap; gap: .2rem .7rem; align-items: center; }
h3 time { margin-inline-start: auto; }
.question { border-inline-start: .3rem solid var(--accent); }
.verdict { border: 2px solid var(--accent); }
.verdict h3 { color: var(--accent); }
.review { margin-inline-start: 1.2rem; }
@media print { main { max-width: none; padding: 0; } }
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
${saidBlock(text)}${notes.map(noteHtml).join('')}
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
  const lang = langOf(lines.join('\n'));
  const said =
    lines.length === 1
      ? ` <span${lang}>${saidInline(only)}</span>`
      : `<ul dir="auto"${lang}>${lines.map((line) => `<li>${saidInline(line)}</li>`).join('')}</ul>`;
  return `\n<div class="note"><strong>${name}</strong>${said}</div>`;
}
