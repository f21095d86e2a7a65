/** What holds in a workspace: who may sit, the settings, and how sages and models have fared; with the charts, as files. */

import { createRoute, z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { agreementChart } from '../../../charts/agreement-chart.ts';
import { leaderboardChart, rankingChart } from '../../../charts/bar-charts.ts';
import { type Chart, picture, pictureOf } from '../../../charts/drawing.ts';
import { type Leaderboard, leaderboardOf } from '../../../council/leaderboard.ts';
import { counted } from '../../../domain/words.ts';
import { assertMay, type Caller, callerIn } from '../caller.ts';
import type { WebTurn } from '../web-council.ts';
import { type WebCouncil, webName } from '../web-council.ts';
import { type Api, said, saidAs, turnFor, turnPath, wrong } from './answering.ts';
import { leaderboardBody, sagesBody, settingsBody } from './schemas.ts';

const dayMs = 86_400_000;
const usualDays = 90;

const sages = createRoute({
  method: 'get',
  path: '/sages',
  summary: 'List who may sit in the council',
  responses: { 200: said('The bench', sagesBody), default: wrong },
});

const settings = createRoute({
  method: 'get',
  path: '/settings',
  summary: 'Read what the council is set to',
  responses: { 200: said('The settings', settingsBody), default: wrong },
});

export const leaderboardQuery = z.object({
  by: z.enum(['sage', 'model']).default('sage'),
  days: z.coerce.number().int().min(1).max(3650).default(usualDays),
});

/** The leaderboard of a caller's workspace. */
export async function boardFor(
  council: WebCouncil,
  caller: Caller,
  { by, days }: z.infer<typeof leaderboardQuery>,
): Promise<Leaderboard> {
  return leaderboardOf(await council.scoredTurns(caller, Date.now() - days * dayMs), by);
}

const leaderboard = createRoute({
  method: 'get',
  path: '/leaderboard',
  summary: 'How the sages or models have fared in blind reviews, and how sure that is',
  request: { query: leaderboardQuery },
  responses: { 200: said('The standings', leaderboardBody), default: wrong },
});

/** Adds the routes. */
export function workspaceRoutes(api: Api, council: WebCouncil): void {
  const overview = (caller: Caller) => {
    assertMay(caller, 'read');
    const { workspace, person } = caller;
    return council.ingress.overview({ platform: webName, workspace }, person.id);
  };

  api.openapi(sages, async (context) => {
    const { bench } = await overview(callerIn(context));
    return context.json(sagesBody.parse({ sages: bench }), 200);
  });

  api.openapi(settings, async (context) => {
    const { defaults } = await overview(callerIn(context));
    return context.json(settingsBody.parse({ settings: defaults }), 200);
  });

  api.openapi(leaderboard, async (context) => {
    const query = context.req.valid('query');
    const board = await boardFor(council, callerIn(context), query);
    return context.json(leaderboardBody.parse({ days: query.days, ...board }), 200);
  });
}

const forms = ['svg', 'png'] as const;
const kinds = ['ranking', 'agreement'] as const;

const formQuery = z.object({ form: z.enum(forms).default('svg') });

const chart = createRoute({
  method: 'get',
  path: '/turns/{turn}/charts/{kind}',
  summary: 'How the answers were ranked, or who ranked them like whom, as a picture',
  request: {
    params: turnPath.extend({ kind: z.enum(kinds) }),
    query: formQuery,
  },
  responses: { 200: saidAs('image/*', 'The picture'), default: wrong },
});

const standings = createRoute({
  method: 'get',
  path: '/leaderboard/chart',
  summary: 'The leaderboard as a picture',
  request: { query: leaderboardQuery.extend(formQuery.shape) },
  responses: { 200: saidAs('image/*', 'The picture'), default: wrong },
});

/** Adds the routes. */
export function chartRoutes(api: Api, council: WebCouncil): void {
  api.openapi(chart, async (context) => {
    const { turn: turnId, kind } = context.req.valid('param');
    const drawing = chartOf(kind, await turnFor(council, callerIn(context), turnId));
    if (drawing) return drawn(drawing, context.req.valid('query').form);
    throw new HTTPException(404, { message: 'That turn has too few ballots for this chart.' });
  });

  api.openapi(standings, async (context) => {
    const { form, ...query } = context.req.valid('query');
    const { ranked, turns } = await boardFor(council, callerIn(context), query);
    const over = `${counted(turns, 'ranked turn')}, last ${counted(query.days, 'day')}`;
    if (ranked.length > 0) return drawn(leaderboardChart(ranked, over, picture), form);
    throw new HTTPException(404, { message: 'Too few turns were ranked to compare anything.' });
  });
}

function chartOf(kind: (typeof kinds)[number], { past }: WebTurn): Chart | undefined {
  const { ranked, reviews, seated } = past;
  const sages = (seated?.seats ?? []).map(({ sage }) => sage);
  if (kind === 'agreement') return agreementChart(reviews, sages, picture);
  const ballots = reviews.filter(({ ballot }) => ballot.status === 'ranked').length;
  return ranked && rankingChart(ranked.ranking, ballots, sages, picture);
}

async function drawn({ svg }: Chart, form: (typeof forms)[number]): Promise<Response> {
  if (form === 'svg') return file(svg, 'image/svg+xml; charset=utf-8');
  const png = await pictureOf(svg);
  if (png) return file(new Uint8Array(png), 'image/png');
  throw new HTTPException(501, {
    message: 'Pictures can’t be drawn on this machine. Ask for the form svg.',
  });
}

function file(content: string | Uint8Array<ArrayBuffer>, mediaType: string): Response {
  return new Response(content, { headers: { 'content-type': mediaType } });
}
