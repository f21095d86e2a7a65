/** The web platform: pages for people and endpoints for programs, served by the bot's own process. */

import { OpenAPIHono } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import type { TurnEvent } from '../../council/events.ts';
import { partsOf } from '../../domain/thread-id.ts';
import { SetupError } from '../chat/pacing/platform-error.ts';
import type { Ingress, PresentedTurn, ServedPlatform } from '../platform.ts';
import { threadRoutes } from './api/threads.ts';
import { afterVerdictRoutes, turnRoutes } from './api/turns.ts';
import { chartRoutes, workspaceRoutes } from './api/workspace.ts';
import { createCallers, isLoopback, type KeyRecords, type WebEnv } from './caller.ts';
import { LiveTurns } from './live-turns.ts';
import { mcpRoutes } from './mcp.ts';
import { pageRoutes } from './page/page-routes.ts';
import { Uploads } from './question-fields.ts';
import {
  startWebServer,
  type WebParts,
  type WebRoutes,
  type WebServer,
  type WebServerOptions,
} from './server.ts';
import { type V1Options, v1Routes } from './v1/v1-routes.ts';
import {
  createWebCouncil,
  type ShareRecords,
  type WebCouncil,
  type WebRecords,
  webName,
} from './web-council.ts';

export interface WebOptions
  extends Pick<WebServerOptions, 'log' | 'host' | 'publicUrl' | 'origins'> {
  /** 0 picks a free port; absent: does not listen, and only this process uses the council. */
  readonly port?: number | undefined;
  readonly keys: KeyRecords;
  /** Reads the key that signs sessions: at least 32 random bytes, the same at every start. */
  readonly sessionSecret: () => Promise<string>;
  readonly records: WebRecords;
  readonly shares: ShareRecords;
  /** Recorded councils to list; they are in the store. */
  readonly examples?: WebParts['examples'];
  readonly v1: V1Options;
}

export interface Web extends ServedPlatform {
  /** Its URL, e.g. `http://127.0.0.1:8010`. Throws before {@link start}. */
  address(): string;
  /** The port that it listens on; `undefined` while it does not listen. */
  readonly port: number | undefined;
  readonly council: WebCouncil;
}

/** @throws {SetupError} if other machines can reach the web and no key is needed, because there is none. */
export async function assertGuarded(
  { host, publicUrl }: Pick<WebOptions, 'host' | 'publicUrl'>,
  keys: Pick<KeyRecords, 'any'>,
): Promise<void> {
  if ((publicUrl === undefined && isLoopback(host)) || (await keys.any())) return;
  throw new SetupError(
    'Other machines can reach the web, but there is no key, so anyone could ask. Make a key with `npm run council -- keys make NAME`, or set web.host to 127.0.0.1 and remove web.publicUrl.',
  );
}

export function createWeb(options: WebOptions): Web {
  const { host, port, publicUrl, keys, examples = [] } = options;
  const live = new LiveTurns();
  const uploads = new Uploads();
  const closing = new AbortController();
  let server: WebServer | undefined;
  let bot: Ingress | undefined;
  const started = <Part>(part: Part | undefined): Part => {
    if (part) return part;
    throw new Error('The web platform has not been started.');
  };
  const council = createWebCouncil(() => started(bot), live, options.records, keys);
  const address = () => {
    const { port: actualPort } = started(server);
    const name = host.includes(':') ? `[${host}]` : host;
    return publicUrl ?? `http://${name}:${actualPort}`;
  };

  return {
    name: webName,
    council,
    address,
    finished: new Promise(() => undefined),
    get port() {
      return server?.port;
    },
    async start(ingress) {
      bot = ingress;
      if (port === undefined) return;
      await assertGuarded(options, keys);
      const callers = createCallers(keys, await options.sessionSecret(), publicUrl);
      const { signal } = closing;
      const parts = { ...options, council, callers, uploads, examples, closing: signal };
      const routes = [
        v1Routes(parts, options.v1),
        apiRoutes(parts),
        mcpRoutes(parts),
        pageRoutes(parts, options.v1.limits),
      ];
      server = await startWebServer({ ...options, port, callers, routes });
    },
    async stop(over = AbortSignal.abort()) {
      closing.abort();
      const closed = server?.close(over);
      server = undefined;
      await closed;
    },
    health() {
      const text = server ? `listens on ${address()}` : 'is not listening yet';
      // A start that fails ends the process.
      return { isListening: server !== undefined, silentMs: 0, text };
    },
    present: (turn, events, shutdown) => publish(turn, events, shutdown, live),
    retract: async ({ request }) => live.drop(request.turnId),
    // Every page is rendered from the store.
    redraw: async () => undefined,
    // A workspace has a single channel, with nothing outside its threads.
    post: async () => undefined,
    unpost: async () => undefined,
    hear: async () => undefined,
    openFile: async (_place, address) => uploads.open(address),
    isIn: async () => true,
    linkTo: (threadId) =>
      publicUrl && new URL(`/threads/${partsOf(threadId).thread}`, publicUrl).href,
  };
}

/** Publishes the events of a turn to the readers in this process, while this process holds the turn. */
async function publish(
  turn: PresentedTurn,
  events: AsyncIterable<TurnEvent>,
  shutdown: AbortSignal,
  live: LiveTurns,
): Promise<void> {
  if (turn.isAlreadyShown) return;
  const { turnId } = turn.request;
  const published = live.begin(turnId);
  let hasEnded = false;
  try {
    for await (const event of events) {
      shutdown.throwIfAborted();
      if (event.type !== 'answer_grew' && event.type !== 'verdict_grew') await turn.assertHeld();
      published.add(event);
      hasEnded = event.type === 'ended';
    }
    if (!hasEnded) shutdown.throwIfAborted();
  } finally {
    // Readers of an interrupted turn continue from the store or from the process that now holds it.
    if (hasEnded) published.end();
    else if (live.get(turnId) === published) live.drop(turnId);
  }
}

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
