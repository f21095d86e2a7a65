/** The REST API for programs, with its OpenAPI document. */

import { OpenAPIHono } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import type { WebEnv } from '../caller.ts';
import type { WebParts, WebRoutes } from '../server.ts';
import { threadRoutes } from './threads.ts';
import { afterVerdictRoutes, turnRoutes } from './turns.ts';
import { chartRoutes, workspaceRoutes } from './workspace.ts';

/** Enough for 1,000 messages of 4 kB. */
const mostBodyBytes = 4_000_000;

const about = {
  title: 'Council',
  version: '1',
  description:
    'Ask a council of AI sages, watch it deliberate, and read the results. A key opens one workspace: `Authorization: Bearer ck_live_…`. When a limit is used up, requests fail with 429 and Retry-After.',
};

/** The routes below `/api`. */
export function apiRoutes({ council, log }: Pick<WebParts, 'council' | 'log'>): WebRoutes {
  const api = new OpenAPIHono<WebEnv>({
    defaultHook: (result) => {
      if (result.success) return;
      const problems = result.error.issues.map(
        ({ path, message }) => `${path.map(String).join('.') || 'The request'}: ${message}`,
      );
      throw new HTTPException(400, { message: `${problems.join('; ')}.` });
    },
  });
  turnRoutes(api, council, log);
  afterVerdictRoutes(api, council);
  chartRoutes(api, council);
  threadRoutes(api, council);
  workspaceRoutes(api, council);
  api.openAPIRegistry.registerComponent('securitySchemes', 'key', {
    type: 'http',
    scheme: 'bearer',
  });
  api.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: about,
    servers: [{ url: '/api' }],
    security: [{ key: [] }],
  });
  return { path: '/api', app: api, mostBodyBytes, allowsOrigins: true };
}
