/** What holds in a workspace: who may sit, the settings, and how sages and models have fared. */

import { createRoute, z } from '@hono/zod-openapi';
import { leaderboardOf } from '../../../council/leaderboard.ts';
import { assertMay, callerIn } from '../caller.ts';
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

const leaderboard = createRoute({
  method: 'get',
  path: '/leaderboard',
  summary: 'How the sages or models have fared in blind reviews, and how sure that is',
  request: {
    query: z.object({
      by: z.enum(['sage', 'model']).default('sage'),
      days: z.coerce.number().int().min(1).max(3650).default(usualDays),
    }),
  },
  responses: { 200: said('The standings', leaderboardBody), default: wrong },
});

/** Adds the routes. */
export function workspaceRoutes(api: Api, council: WebCouncil): void {
  const overview = (caller: ReturnType<typeof callerIn>) => {
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
    const { by, days } = context.req.valid('query');
    const turns = await council.scoredTurns(callerIn(context), Date.now() - days * dayMs);
    return context.json(leaderboardBody.parse({ days, ...leaderboardOf(turns, by) }), 200);
  });
}
