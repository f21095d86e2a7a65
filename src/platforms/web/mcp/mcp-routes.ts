/** The Model Context Protocol over HTTP: stateless, a server for each request. */

import { createMcpHandler } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import type { Log } from '../../../domain/log.ts';
import { callerIn, type WebEnv } from '../caller.ts';
import type { WebRoutes } from '../server.ts';
import type { WebCouncil } from '../web-council.ts';
import { answerWithinMs, councilServer } from './council-server.ts';

/** A tool's own answer comes first. */
const withinMs = answerWithinMs + 30_000;

export function mcpRoutes({
  council,
  log,
}: {
  readonly council: WebCouncil;
  readonly log: Log;
}): WebRoutes {
  const app = new Hono<WebEnv>();
  app.all('/', async (context) => {
    const caller = callerIn(context);
    const serve = () => councilServer({ council, caller, log, answerWithinMs });
    return createMcpHandler(serve).fetch(context.req.raw);
  });
  return { path: '/mcp', app, withinMs };
}
