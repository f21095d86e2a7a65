/** Minutes as a page for people, with the charts of the turns that they are about. */

import { agreementChart } from '../../charts/agreement-chart.ts';
import { page } from '../../charts/drawing.ts';
import { rankingChart } from '../../charts/bar-charts.ts';
import { inertHtml } from '../../domain/inert-html.ts';
import type { Ranked } from '../../domain/stored-turn.ts';
import type { Review, Seated, TurnRequest } from '../../domain/turn.ts';
import { dayOf, oneLine } from '../../domain/words.ts';
import { chartHtml, pageBegin, pageEnd } from '../../pages/page.ts';
import { saidHtml } from '../../pages/said-html.ts';
import type { ChartedQuestion, Minutes } from './minutes.ts';
import { minutesMarkdown } from './report.ts';

/** The charts of a turn; absent where nothing was ranked. */
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
      `<section>\n<h2>${inertHtml(oneLine(question))}</h2>${drawn.map(chartHtml).join('')}\n</section>`,
  );
  const said = `<article><div class="said">${saidHtml(below.join('\n'))}</div></article>`;
  return [
    pageBegin(`Minutes of ${dayOf(at)}`, 'Written by a model.'),
    [said, ...charts].join('\n'),
    pageEnd,
  ].join('');
}
