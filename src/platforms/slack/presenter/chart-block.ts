/** A ranking as Slack's own chart, which is light or dark as the reader's Slack is, and as text where Slack takes none. */

import { shareBar } from '../../../domain/ballot-words.ts';
import { firstCharacters } from '../../../domain/words.ts';
import type { RankingWords } from '../../chat/show/verdict-words.ts';
import type { Block, ChartBlock } from '../api/messages.ts';
import { bold, code, paragraphs, words } from './blocks.ts';

/** Slack's bounds, in characters and bars. */
const longestLabel = 20;
const mostBars = 20;

/** @returns Nothing where there are more bars than Slack draws. */
export function rankingChartBlock({ rows }: Pick<RankingWords, 'rows'>): ChartBlock | undefined {
  if (rows.length > mostBars) return undefined;
  // Bars are known by their labels, which must differ; the place in front sees to that.
  const bars = rows.map(({ name, score }, index) => ({
    label: firstCharacters(`${index + 1}. ${name}`, longestLabel),
    value: Math.round(score * 100),
  }));
  return {
    type: 'data_visualization',
    title: 'Share of comparisons won, in %',
    chart: {
      type: 'bar',
      series: [{ name: 'Comparisons won', data: bars }],
      axis_config: { categories: bars.map(({ label }) => label) },
    },
  };
}

/** The same blocks for a Slack that takes no charts: bars of text in their place; absent where there are none. */
export function withoutCharts(blocks: readonly Block[]): readonly Block[] | undefined {
  if (!blocks.some(({ type }) => type === 'data_visualization')) return undefined;
  return blocks.map((block) => (block.type === 'data_visualization' ? inText(block) : block));
}

function inText({ chart }: ChartBlock): Block {
  const rows = chart.series.flatMap(({ data }) => data);
  return paragraphs(
    ...rows.map(({ label, value }) => [code(shareBar(value / 100)), words(' '), bold(label)]),
  );
}
