/** A verdict as Markdown, without its title and its confidence, which each platform shows its own way. */

import type { Verdict } from '../../../council/events.ts';
import { splitMarkdown } from './split-markdown.ts';
import { unseenSpace } from './visible-text.ts';

export interface VerdictMarkdownOptions {
  /** The platform's own way to make a line of Markdown of models safe. */
  readonly inert: (markdown: string) => string;
  /** The same for what has several lines, written with what the platform shows. */
  readonly inertBody: (markdown: string) => string;
  /** Name of a sage as Markdown in which nothing works. */
  readonly nameOf: (sage: string) => string;
}

/** At the beginning of an item, behind marks of lists and quotes, it would open a block of code and swallow what follows. */
const fenceBegin = /^((?:(?:[-*+>]|\d{1,9}[.)])[ \t]*)*)(?=`{3}|~{3})/;

/** May be longer than one message. */
export function verdictMarkdown(
  verdict: Verdict,
  { inert, inertBody, nameOf }: VerdictMarkdownOptions,
): string {
  const oneLine = (text: string) =>
    inert(text).replace(/\s+/g, ' ').trim().replace(fenceBegin, `$1${unseenSpace}`);
  const section = (heading: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`### ${heading}\n${items.map((item) => `- ${item}`).join('\n')}`];
  const minority = verdict.minorityReport.trim();
  return [
    ...(verdict.notice ? [`> ${oneLine(verdict.notice)}`] : []),
    closed(inertBody(verdict.verdict)),
    ...section('Consensus', verdict.consensus.map(oneLine)),
    ...section('Disagreements', verdict.disagreements.map(oneLine)),
    ...(minority === '' ? [] : [`### Minority report\n${closed(inertBody(minority))}`]),
    ...section(
      'Dissent',
      verdict.dissent.map(
        ({ sage, shown, summary }) => `${nameOf(sage)}: ${oneLine(shown)} ${oneLine(summary)}`,
      ),
    ),
  ].join('\n\n');
}

/** With code that was left open closed, so that what follows is none. */
function closed(markdown: string): string {
  return splitMarkdown(markdown, Number.MAX_SAFE_INTEGER).join('\n');
}

/** A top-ranked answer is never passed off as a synthesis. */
export function verdictTitle({ kind }: Pick<Verdict, 'kind'>): string {
  return kind === 'synthesis' ? 'Verdict' : 'Top-ranked answer, not a verdict';
}
