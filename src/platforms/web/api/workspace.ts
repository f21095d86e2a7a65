/** Routes for a workspace: its conversations and memory, its sages, settings and leaderboard, and charts as files. */

import { createRoute, z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { agreementChart } from '../../../charts/agreement-chart.ts';
import { leaderboardChart, rankingChart } from '../../../charts/bar-charts.ts';
import { type Chart, picture, pictureOf } from '../../../charts/drawing.ts';
import { type Leaderboard, leaderboardOf } from '../../../council/leaderboard.ts';
import { counted } from '../../../domain/words.ts';
import { type Caller, callerIn } from '../caller.ts';
import { exported, notFound, replyOrThrow, turnOrThrow } from '../council-replies.ts';
import { threadName } from '../question-fields.ts';
import { withIsoTimes } from '../refusals.ts';
import type { WebCouncil, WebTurn } from '../web-council.ts';
import {
  type Api,
  bodyIn,
  bodyOf,
  contentOf,
  failed,
  historyBody,
  ingestedBody,
  jsonOf,
  leaderboardBody,
  memoriesBody,
  messagesBody,
  sagesBody,
  settingsBody,
  threadsBody,
  turnPath,
} from './schemas.ts';

const threadPath = z.object({ thread: threadName });

const page = (most: number) => ({
  before: z.coerce
    .number()
    .optional()
    .describe('Only what was asked earlier than this, in milliseconds since 1970'),
  limit: z.coerce.number().int().min(1).max(most).default(most),
});

const list = createRoute({
  method: 'get',
  path: '/threads',
  summary: 'List conversations, newest first',
  request: {
    query: z.object({
      ...page(100),
      search: z.string().max(1000).optional().describe('Words that a conversation must contain'),
    }),
  },
  responses: { 200: jsonOf('The conversations', threadsBody), default: failed },
});

const history = createRoute({
  method: 'get',
  path: '/threads/{thread}',
  summary: 'Read the turns of a conversation, newest first',
  request: { params: threadPath, query: z.object(page(20)) },
  responses: { 200: jsonOf('Its turns', historyBody), default: failed },
});

const exportThread = createRoute({
  method: 'get',
  path: '/threads/{thread}/export',
  summary: 'Export a conversation; `npm run council -- import` reads the json format',
  request: {
    params: threadPath,
    query: z.object({ format: z.enum(['markdown', 'json', 'html']).default('json') }),
  },
  responses: { 200: contentOf('*/*', 'The file'), default: failed },
});

const search = createRoute({
  method: 'get',
  path: '/memory',
  summary: 'Search the memory, as for a question',
  request: {
    query: z.object({
      search: z.string().min(1).max(1000),
      thread: threadName
        .optional()
        .describe('The conversation in which the question would be asked'),
    }),
  },
  responses: { 200: jsonOf('Best matches first', memoriesBody), default: failed },
});

const ingest = createRoute({
  method: 'post',
  path: '/ingest',
  summary: 'Import messages from elsewhere, to be remembered',
  request: { body: bodyIn('At most 1,000 messages', messagesBody) },
  responses: { 200: jsonOf('How many were stored', ingestedBody), default: failed },
});

/** Adds the routes. */
export function threadRoutes(api: Api, council: WebCouncil): void {
  api.openapi(list, async (context) => {
    const threads = await council.threads(callerIn(context), context.req.valid('query'));
    return context.json(threadsBody.parse({ threads }), 200);
  });

  api.openapi(history, async (context) => {
    const { thread } = context.req.valid('param');
    const asked = context.req.valid('query');
    const turns = await council.history(callerIn(context), thread, asked);
    if (turns.length === 0 && asked.before === undefined) throw notFound('conversation');
    return context.json({ thread, turns: turns.map(bodyOf) }, 200);
  });

  api.openapi(exportThread, async (context) => {
    const { thread } = context.req.valid('param');
    return exported(council, callerIn(context), thread, context.req.valid('query'));
  });

  api.openapi(search, async (context) => {
    const { search: what, thread: of } = context.req.valid('query');
    const { blocks } = await replyOrThrow(council, callerIn(context), 'read', {
      ...{ of, command: 'memory', options: { do: 'search', what } },
    });
    const fields = blocks.flatMap((block) => (block.type === 'fields' ? block.fields : []));
    const memories = fields.map(({ name, value }) => ({ id: name, text: withIsoTimes(value) }));
    return context.json({ memories }, 200);
  });

  api.openapi(ingest, async (context) => {
    const { messages } = context.req.valid('json');
    return context.json(await council.ingest(callerIn(context), messages), 200);
  });
}

const dayMs = 86_400_000;

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
  days: z.coerce.number().int().min(1).max(3650).default(90),
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

const formQuery = z.object({ form: z.enum(['svg', 'png']).default('svg') });

const chart = createRoute({
  method: 'get',
  path: '/turns/{turn}/charts/{kind}',
  summary: 'A chart of how the answers were ranked, or of how far the reviewers agree',
  request: {
    params: turnPath.extend({ kind: z.enum(['ranking', 'agreement']) }),
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

function chartOf(kind: 'ranking' | 'agreement', { past }: WebTurn): Chart | undefined {
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
