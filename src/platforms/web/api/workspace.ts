/** Routes for a workspace: its sages, settings and leaderboard, and charts as files. */

import { createRoute, z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { agreementChart } from '../../../charts/agreement-chart.ts';
import { leaderboardChart, rankingChart } from '../../../charts/bar-charts.ts';
import { type Chart, picture, pictureOf } from '../../../charts/drawing.ts';
import { type Leaderboard, leaderboardOf } from '../../../council/leaderboard.ts';
import { counted } from '../../../domain/words.ts';
import { type Caller, callerIn } from '../caller.ts';
import { turnOrThrow } from '../council-replies.ts';
import type { WebCouncil, WebTurn } from '../web-council.ts';
import {
  type Api,
  contentOf,
  failed,
  jsonOf,
  leaderboardBody,
  sagesBody,
  settingsBody,
  turnPath,
} from './schemas.ts';

const dayMs = 86_400_000;
const defaultDays = 90;

const sages = createRoute({
  method: 'get',
  path: '/sages',
  summary: 'List the sages that can be seated',
  responses: { 200: jsonOf('The bench', sagesBody), default: failed },
});

const settings = createRoute({
  method: 'get',
  path: '/settings',
  summary: 'Read the settings',
  responses: { 200: jsonOf('The settings', settingsBody), default: failed },
});

const leaderboardQuery = z.object({
  by: z.enum(['sage', 'model']).default('sage'),
  days: z.coerce.number().int().min(1).max(3650).default(defaultDays),
});

/** The leaderboard of a caller's workspace. */
async function boardFor(
  council: WebCouncil,
  caller: Caller,
  { by, days }: z.infer<typeof leaderboardQuery>,
): Promise<Leaderboard> {
  return leaderboardOf(await council.scoredTurns(caller, Date.now() - days * dayMs), by);
}

const leaderboard = createRoute({
  method: 'get',
  path: '/leaderboard',
  summary: 'How sages or models rank in blind reviews, with 95 % intervals',
  request: { query: leaderboardQuery },
  responses: { 200: jsonOf('The standings', leaderboardBody), default: failed },
});

/** Adds the routes for sages, settings and the leaderboard. */
export function workspaceRoutes(api: Api, council: WebCouncil): void {
  api.openapi(sages, async (context) => {
    const { bench } = await council.overview(callerIn(context));
    return context.json(sagesBody.parse({ sages: bench }), 200);
  });

  api.openapi(settings, async (context) => {
    const { defaults } = await council.overview(callerIn(context));
    return context.json(settingsBody.parse({ settings: defaults }), 200);
  });

  api.openapi(leaderboard, async (context) => {
    const query = context.req.valid('query');
    const board = await boardFor(council, callerIn(context), query);
    return context.json(leaderboardBody.parse({ days: query.days, ...board }), 200);
  });
}

const mediaTypes = { svg: 'image/svg+xml; charset=utf-8', png: 'image/png' } as const;
const kinds = ['ranking', 'agreement'] as const;

const formQuery = z.object({ form: z.enum(['svg', 'png']).default('svg') });

const chart = createRoute({
  method: 'get',
  path: '/turns/{turn}/charts/{kind}',
  summary: 'A chart of how the answers were ranked, or of how far the reviewers agree',
  request: {
    params: turnPath.extend({ kind: z.enum(kinds) }),
    query: formQuery,
  },
  responses: { 200: contentOf('image/*', 'The picture'), default: failed },
});

const standings = createRoute({
  method: 'get',
  path: '/leaderboard/chart',
  summary: 'A chart of the leaderboard',
  request: { query: leaderboardQuery.extend(formQuery.shape) },
  responses: { 200: contentOf('image/*', 'The picture'), default: failed },
});

/** Adds the routes for charts. */
export function chartRoutes(api: Api, council: WebCouncil): void {
  api.openapi(chart, async (context) => {
    const { turn: turnId, kind } = context.req.valid('param');
    const drawing = chartOf(kind, await turnOrThrow(council, callerIn(context), turnId));
    if (drawing) return drawn(drawing, context.req.valid('query').form);
    throw new HTTPException(404, { message: 'That turn has too few ballots for this chart.' });
  });

  api.openapi(standings, async (context) => {
    const { form, ...query } = context.req.valid('query');
    const { ranked, turns } = await boardFor(council, callerIn(context), query);
    const over = `${counted(turns, 'ranked turn')}, last ${counted(query.days, 'day')}`;
    if (ranked.length > 0) return drawn(leaderboardChart(ranked, over, picture), form);
    throw new HTTPException(404, { message: 'Too few turns were ranked for a comparison.' });
  });
}

function chartOf(kind: (typeof kinds)[number], { past }: WebTurn): Chart | undefined {
  const { ranked, reviews, seated } = past;
  const sages = (seated?.seats ?? []).map(({ sage }) => sage);
  if (kind === 'agreement') return agreementChart(reviews, sages, picture);
  const ballots = reviews.filter(({ ballot }) => ballot.status === 'ranked').length;
  return ranked && rankingChart(ranked.ranking, ballots, sages, picture);
}

async function drawn({ svg }: Chart, form: keyof typeof mediaTypes): Promise<Response> {
  const content = form === 'svg' ? svg : await pictureOf(svg);
  if (content) return new Response(content, { headers: { 'content-type': mediaTypes[form] } });
  throw new HTTPException(501, {
    message: 'This machine can’t draw PNG files. Request form=svg.',
  });
}
