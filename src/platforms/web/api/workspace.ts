/** What holds in a workspace: who may sit, the settings, and how sages and models have fared. */

import { createRoute, z } from '@hono/zod-openapi';
import { type Leaderboard, leaderboardOf } from '../../../council/leaderboard.ts';
import { assertMay, type Caller, callerIn } from '../caller.ts';
import { type WebCouncil, webName } from '../web-council.ts';
import { type Api, said, wrong } from './answering.ts';
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
