/** The API: what programs can do with the council, and the document that says so. */

import { OpenAPIHono } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import type { WebEnv } from '../caller.ts';
import type { WebParts, WebRoutes } from '../server.ts';
import { threadRoutes } from './threads.ts';
import { afterVerdictRoutes, turnRoutes } from './turns.ts';
import { chartRoutes, workspaceRoutes } from './workspace.ts';

/** A thousand messages of some length. */
const mostBodyBytes = 4_000_000;

const about = {
  title: 'Council',
  version: '1',
  description:
    'Ask a council of AI sages, watch it deliberate, and read what came of it. A key reaches one workspace: `Authorization: Bearer ck_live_…`. A limit that is used up answers 429 with Retry-After.',
};

/** The routes below `/api`. */
export function apiRoutes({ council, log }: Pick<WebParts, 'council' | 'log'>): WebRoutes {
  const api = new OpenAPIHono<WebEnv>({
    defaultHook: (result) => {
      if (result.success) return;
      const problems = result.error.issues.map(
        ({ path, message }) => `${path.map(String).join('.') || 'the whole'}: ${message}`,
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
  return { path: '/api', app: api, mostBodyBytes, isForPages: true };
}
