/** Renders minutes as Markdown, JSON and an HTML page with charts. Every claim names its speaker. */

import { agreementChart } from '../../charts/agreement-chart.ts';
import { rankingChart } from '../../charts/bar-charts.ts';
import { page } from '../../charts/drawing.ts';
import type { Ranked } from '../../domain/stored-turn.ts';
import type { Review, Seated, TurnRequest } from '../../domain/turn.ts';
import { escapeHtml, inlineMarkdown, oneLine, printable } from '../../domain/words.ts';
import { chartHtml, pageBegin, pageEnd } from '../../pages/page.ts';
import { saidBlock } from '../../pages/said-html.ts';
import { dateIn } from '../recall/situation.ts';
import { pointInWords } from '../summaries/coverage.ts';
import type { ChartedQuestion, Minutes } from './minutes.ts';

const maxMissingShown = 12;

/** The role tells a member from a sage of the same name. */
interface Speaker {
  readonly role: 'member' | 'sage' | 'chair';
  readonly name: string;
}

const roles = { question: 'member', answer: 'sage', verdict: 'chair' } as const;

type DecisionRecord = NonNullable<ReturnType<typeof decisionRecord>>;

/** The record with names instead of numbers, readable without the discussion; `undefined` if there is none. */
function decisionRecord({ record, discussion }: Pick<Minutes, 'record' | 'discussion'>) {
  if (!record) return undefined;
  const by = (said: number): Speaker => {
    const cited = discussion.said.find(({ number }) => number === said);
    if (!cited) throw new Error(`The record cites ${said}, which its shape had to refuse.`);
    return { role: roles[cited.kind], name: cited.by };
  };
  const { said: settledIn, ...decision } = record.decision;
  return {
    question: record.question,
    options: record.options,
    positions: record.positions.map(({ said, position }) => ({ sage: by(said).name, position })),
    ...(decision.status !== 'none' && { decision: { ...decision, by: by(settledIn) } }),
    rationale: record.rationale,
    dissent: record.dissent.map(({ said, text }) => ({ by: by(said), text })),
    openQuestions: record.open_questions,
    actions: record.actions.map(({ action, owner, said }) => ({
      action,
      ...(owner !== '' && { owner }),
      by: by(said),
    })),
  };
}

/** @param at - When they were written; milliseconds since 1970. */
export function minutesMarkdown(minutes: Minutes, at: number): string {
  const sections = [postedMinutes(minutes, at), ...(minutes.record ? [briefSection(minutes)] : [])];
  return printable(sections.join('\n\n'));
}

/** The minutes as posted in chat: the record, or the brief if there is none. */
export function postedMinutes(minutes: Minutes, at: number): string {
  const record = decisionRecord(minutes);
  return [
    `# Minutes of ${dateIn(minutes.timeZone, at)}`,
    ...notices(minutes).map((notice) => `> ${notice}`),
    ...(record ? recordSections(record) : [briefSection(minutes)]),
  ].join('\n\n');
}

function briefSection({ brief }: Minutes): string {
  return section('Brief, as the model wrote it', brief.text.split(/\n+/));
}

/** @param at - When they were written; milliseconds since 1970. */
export function minutesJson(minutes: Minutes, at: number): string {
  const { brief, discussion, problem } = minutes;
  const content = {
    writtenAt: new Date(at).toISOString(),
    record: decisionRecord(minutes) ?? null,
    ...(problem === undefined ? {} : { problem }),
    brief: {
      text: brief.text,
      isComplete: brief.missing.length + brief.strange.length === 0,
      missing: brief.missing.map(({ kind, by, text }) => ({ kind, by, text })),
      strange: brief.strange,
    },
    leftOut: discussion.leftOut,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function notices({ brief, discussion, record }: Minutes): readonly string[] {
  const missing = brief.missing.map((point) => plainLine(pointInWords(point)));
  const shown = missing.slice(0, maxMissingShown).join('; ');
  const more =
    missing.length > maxMissingShown ? ` and ${missing.length - maxMissingShown} more` : '';
  return [
    ...discussion.leftOut,
    missing.length > 0 && `Incomplete: the brief lacks ${shown}${more}.`,
    brief.strange.length > 0 &&
      `Lines of the brief name no speaker: ${brief.strange.map(quoted).join('; ')}.`,
    !record && 'The model could not write a record of it: this is the brief alone.',
  ].filter((notice) => notice !== false);
}

function recordSections(record: DecisionRecord): readonly string[] {
  const { question, decision, rationale, options, positions, dissent, openQuestions } = record;
  const actions = record.actions.map(
    ({ action, owner, by }) =>
      `${action} (${owner ? inlineMarkdown(owner) : 'no one yet'}; said by ${who(by)})`,
  );
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Question', [question]],
    ['Decision', [decision ? decisionLine(decision) : 'Nothing was decided.']],
    ['Rationale', rationale === '' ? [] : [rationale]],
    ['Options', options.map(item)],
    [
      'Positions',
      positions.map(({ sage, position }) => item(`**${inlineMarkdown(sage)}**: ${position}`)),
    ],
    ['Dissent', dissent.map(({ by, text }) => item(`${who(by)}: ${text}`))],
    ['Open questions', openQuestions.map(item)],
    ['Actions', actions.map(item)],
  ];
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => section(title, lines));
}

function decisionLine({ status, text, by }: NonNullable<DecisionRecord['decision']>): string {
  return status === 'recommended'
    ? `Recommended by the council's chair, not decided: ${oneLine(text)}`
    : `Decided, as ${who(by)} said: ${oneLine(text)}`;
}

function who({ role, name: called }: Speaker): string {
  return role === 'chair' ? 'the chair' : `${inlineMarkdown(called)} (${role})`;
}

function section(title: string, lines: readonly string[]): string {
  return `## ${title}\n\n${lines.map(plainLine).join('\n')}`;
}

function item(text: string): string {
  return `- ${plainLine(text)}`;
}

function quoted(text: string): string {
  return `“${plainLine(text)}”`;
}

/** One line, escaped so that it can't become a heading or a quotation. */
function plainLine(text: string): string {
  return oneLine(text).replace(/^(?=[#>])/, '\\');
}

/** The charts of a turn; `undefined` if nothing was ranked. */
export function chartsOf({
  request,
  seated,
  reviews,
  ranked,
}: {
  readonly request: Pick<TurnRequest, 'question'>;
  readonly seated?: Pick<Seated, 'seats'>;
  readonly reviews: readonly Review[];
  readonly ranked?: Ranked;
}): ChartedQuestion | undefined {
  if (!ranked || ranked.ranking.places.length === 0) return undefined;
  const sages = (seated?.seats ?? []).map(({ sage }) => sage);
  const ballots = reviews.filter(({ ballot }) => ballot.status === 'ranked').length;
  const agreement = agreementChart(reviews, sages, page);
  return {
    question: request.question,
    charts: [rankingChart(ranked.ranking, ballots, sages, page), ...(agreement ? [agreement] : [])],
  };
}

/** @param at - When they were written; milliseconds since 1970. */
export function minutesHtml(minutes: Minutes, at: number): string {
  const [, ...below] = minutesMarkdown(minutes, at).split('\n');
  const charts = minutes.questions.map(
    ({ question, charts: drawn }) =>
      `<section>\n<h2>${escapeHtml(oneLine(question))}</h2>${drawn.map(chartHtml).join('')}\n</section>`,
  );
  const said = `<article>${saidBlock(below.join('\n'))}</article>`;
  return [
    pageBegin(`Minutes of ${dateIn(minutes.timeZone, at)}`, 'Written by a model.'),
    [said, ...charts].join('\n'),
    pageEnd,
  ].join('');
}
