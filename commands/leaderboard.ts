import { z } from 'zod';
import { leaderboardChart, percent } from '../src/charts/bar-charts.ts';
import { picture } from '../src/charts/drawing.ts';
import {
  fewestTurns,
  leaderboardOf,
  mostTurnsCounted,
  type Share,
  type Standing,
} from '../src/council/leaderboard.ts';
import { shareBar, winnerMark } from '../src/domain/turn-words.ts';
import { counted, listed } from '../src/domain/words.ts';
import { CommandError, type ReplyBlock } from './command.ts';
import { councilCommand } from './context.ts';

export const defaultDays = 90;
export const dayMs = 86_400_000;

const maxShown = 15;
const maxUnranked = 8;

/** `/council leaderboard`: ranks sages or models by blind reviews, with confidence intervals. */
export const leaderboard = councilCommand({
  name: 'leaderboard',
  description: 'How the sages or models did in blind reviews, with confidence intervals',
  options: {
    by: z.enum(['sage', 'model']).optional().describe('sage or model; without it, by sage'),
    scope: z
      .enum(['channel', 'workspace'])
      .optional()
      .describe('this channel, or all of the server or workspace that everybody may read'),
    days: z.int().min(1).max(3650).optional().describe('how many days back; without it, 90'),
  },
  async run(context, { by = 'sage', scope = 'channel', days = defaultDays }) {
    if (scope === 'workspace' && context.place.isOpenOutside) {
      throw new CommandError(
        'People from outside read along here, so only the turns of this channel are counted. Leave the scope out.',
      );
    }
    const turns = await context.scoredTurns({ reach: scope, since: context.now() - days * dayMs });
    const board = leaderboardOf(turns, by);
    const where = scope === 'channel' ? 'in this channel' : 'in this workspace';
    const over = `${counted(board.turns, 'ranked turn')} ${where}, ${days === 1 ? 'last 24 hours' : `last ${days} days`}`;
    const { ranked, unranked } = board;
    const blocks: readonly ReplyBlock[] = [
      { type: 'text', text: `## Leaderboard by ${by}\n${over}` },
      ...(ranked.length === 0 ? [] : rankedBlocks(ranked.slice(0, maxShown), by, over)),
      ...(turns.length < mostTurnsCounted
        ? []
        : [{ type: 'text' as const, text: `There are more: ${mostTurnsCounted} were read.` }]),
      { type: 'text', text: notes(ranked.length, unranked, by) },
    ];
    return { isPrivate: true, blocks };
  },
});

function rankedBlocks(
  ranked: readonly Standing[],
  by: string,
  over: string,
): readonly ReplyBlock[] {
  const fields = ranked.map(({ name, won, turns }, at) => ({
    name: `${at + 1}. ${name}${at === 0 ? ` ${winnerMark}` : ''}`,
    value: `\`${shareBar(won.share)}\` · ${rangeOf(won)} · ${counted(turns, 'turn')}`,
  }));
  const rows = ranked.map((one) => [
    one.name,
    `${one.turns}`,
    percent(one.won.share),
    rangeOf(one.won),
    percent(one.first.share),
    rangeOf(one.first),
    one.ownPlaces === undefined ? '' : one.ownPlaces.toFixed(2),
    `${one.abstained} of ${one.reviews}`,
    `${one.feedback.good} / ${one.feedback.bad}`,
    `$${one.costUsd.toFixed(2)}`,
  ]);
  const { svg, description } = leaderboardChart(ranked, over, picture);
  const header = [by, 'turns', 'won', '95 %', 'first', '95 %', 'own', 'abstained', '👍/👎', 'cost'];
  return [
    { type: 'fields', fields },
    { type: 'table', header, rows },
    {
      type: 'file',
      name: 'leaderboard.svg',
      mediaType: 'image/svg+xml',
      isDrawn: true,
      content: svg,
      description,
    },
  ];
}

function notes(
  ranked: number,
  unranked: readonly Pick<Standing, 'name' | 'turns'>[],
  by: 'sage' | 'model',
): string {
  const few = unranked.map(({ name, turns }) => `${name} (${turns})`);
  return [
    ranked === 0
      ? `No ${by} has ${fewestTurns} turns yet, so none is ranked.`
      : 'won: share of head-to-head comparisons in blind ballots. first: first places. own: how many places higher its own ballots put its answers. 👍/👎: feedback on turns that it sat in. 95 %: Wilson intervals, each turn one trial; where they overlap, the order may be chance.',
    ...(by === 'model' ? ['Turns in which one model spoke for all are left out.'] : []),
    ...(few.length === 0
      ? []
      : [`Not ranked, with fewer than ${fewestTurns} turns: ${listed(few, maxUnranked)}.`]),
  ].join('\n\n');
}

function rangeOf({ from, to }: Share): string {
  return `${Math.round(from * 100)}–${Math.round(to * 100)} %`;
}
