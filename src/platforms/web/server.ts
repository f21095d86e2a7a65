/** The HTTP server: what holds for every request, whichever route it takes. */

import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { timeout } from 'hono/timeout';
import type { Log } from '../../domain/log.ts';
import { type Callers, hostOf, isLoopback, type WebEnv } from './caller.ts';
import type { Uploads } from './question.ts';
import { replyTo, requestLimits } from './refusals.ts';
import type { ShareRecords, WebCouncil } from './web-council.ts';

/** A recorded council. */
export interface WebExample {
  readonly turnId: string;
  readonly title: string;
}

/** What the routes are made from. */
export interface WebParts {
  readonly council: WebCouncil;
  readonly callers: Callers;
  readonly log: Log;
  readonly publicUrl: string | undefined;
  readonly examples: readonly WebExample[];
  readonly shares: ShareRecords;
  readonly uploads: Uploads;
}

/** Routes below a path, with what they need beyond the usual. */
export interface WebRoutes {
  /** e.g. `/v1`; `/` for the page. */
  readonly path: string;
  readonly app: Hono<WebEnv>;
  /** Default: 256 kB. */
  readonly mostBodyBytes?: number;
  /** Pages of other sites that the operator names may call them from a browser. Default: they may not. */
  readonly isForPages?: true;
  /** How long a reply may take to begin, in milliseconds; a stream goes on as long as it likes. Default: 30 s. */
  readonly withinMs?: number;
}

export interface WebServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Address under which it is reached from elsewhere; absent: only from this machine. */
  readonly publicUrl?: string | undefined;
  /** Origins of pages of other sites that may call what is `isForPages`, e.g. `https://chat.example.org`. */
  readonly origins?: readonly string[];
  readonly callers: Callers;
  /** The first that fits takes a request. */
  readonly routes: readonly WebRoutes[];
  readonly log: Log;
}

export interface WebServer extends AsyncDisposable {
  readonly port: number;
}

const usual = { mostBodyBytes: 256_000, withinMs: 30_000 } as const;
/** How long a request may take to arrive, in milliseconds. */
const patience = { requestTimeout: 30_000, headersTimeout: 10_000 } as const;
const mostConnections = 2000;
/** Never with the session: a page of another site has a key of its own. */
const toPages = {
  exposeHeaders: ['retry-after', 'x-request-id', 'x-council-ignored', 'x-should-retry'],
  maxAge: 600,
};

/** The web can't be served as it is set. The message is for the operator: what to change. */
export class WebSetupError extends Error {
  override readonly name = 'WebSetupError';
}

/** Starts to listen. @throws {WebSetupError} where that address can't be listened on. */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const { host, port, log } = options;
  const { fetch } = webApp(options);
  const server = createAdaptorServer({ fetch, serverOptions: patience });
  if ('maxConnections' in server) server.maxConnections = mostConnections;
  server.listen({ port, host });
  await once(server, 'listening').catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WebSetupError(
      `The web can’t listen on ${host}, port ${port} (${why}). Set another web.port or web.host, or end what listens there.`,
      { cause },
    );
  });
  server.on('error', (error) => log.warn({ error }, 'a request could not be handled'));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async [Symbol.asyncDispose]() {
      server.close();
      // Streams end by themselves never.
      if ('closeAllConnections' in server) server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The whole app, as it is served. No request ends in an error that is not a reply. */
export function webApp(options: Omit<WebServerOptions, 'port'>): Hono<WebEnv> {
  const { publicUrl, callers, routes, log, origins = [] } = options;
  const app = new Hono<WebEnv>();
  app.onError((error, context) => {
    const { status, message, headers } = replyTo(error, log);
    return context.json(errorBody(message, status), status, headers);
  });
  app.notFound((context) => context.json(errorBody('There is nothing here.', 404), 404));
  app.use(headers(publicUrl), onlyHosts(options));
  for (const { path, isForPages } of origins.length > 0 ? routes : []) {
    // A browser asks beforehand without a key.
    if (isForPages) app.use(`${path}/*`, cors({ ...toPages, origin: [...origins] }));
  }
  app.use(async (context, next) => {
    context.set('caller', await callers.of(context));
    await next();
  });
  app.use(
    sameOrigin(),
    requestLimits(() => performance.now()),
  );
  for (const { path, app: below, ...bounds } of routes) {
    const { mostBodyBytes, withinMs } = { ...usual, ...bounds };
    const onError = () => {
      throw new HTTPException(413, { message: `A request may have ${mostBodyBytes} bytes here.` });
    };
    const late = new HTTPException(503, { message: 'That took too long. Try again.' });
    app.route(
      path,
      new Hono<WebEnv>()
        .use(bodyLimit({ maxSize: mostBodyBytes, onError }), timeout(withinMs, late))
        .route('/', below),
    );
  }
  return app;
}

/** Every field that programs read of an error; a string always, because strict ones refuse anything else. */
function errorBody(message: string, status: number) {
  const type = typeOf(status);
  return { error: { message, type, code: type, param: '' } };
}

/** What kind of error a status is, in a word for programs. */
function typeOf(status: number): string {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status < 500 ? 'invalid_request' : 'server_error';
}

function headers(publicUrl: string | undefined): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    // With none at all, browsers would not say where a form was sent from.
    referrerPolicy: 'same-origin',
    strictTransportSecurity: publicUrl?.startsWith('https:')
      ? 'max-age=31536000; includeSubDomains'
      : false,
  });
}

/** A name that another site has pointed at this machine must not reach what only this machine may. */
function onlyHosts({
  host,
  publicUrl,
}: Pick<WebServerOptions, 'host' | 'publicUrl'>): MiddlewareHandler {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  return async ({ req }, next) => {
    const named = hostOf(req.header('host'));
    const isKnown = named === known || isLoopback(named) || (!isLoopback(host) && !known);
    if (!isKnown) throw new HTTPException(421, { message: 'This server has another name.' });
    await next();
  };
}

/** What changes something comes from a page of this server, or from a program; never from another site. */
function sameOrigin(): MiddlewareHandler<WebEnv> {
  const safe: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
  return async ({ req }, next) => {
    const origin = req.header('origin');
    const isOwn = origin === undefined || hostIn(origin) === req.header('host');
    const site = req.header('sec-fetch-site') ?? 'none';
    const isForeign = !isOwn || !['same-origin', 'none'].includes(site);
    // A browser sends a key along by itself never.
    const hasKey = req.header('authorization') !== undefined;
    // A link leads here without naming where it stands; a script always does.
    if ((!safe.has(req.method) || !isOwn) && isForeign && !hasKey) {
      throw new HTTPException(403, { message: 'This came from another site.' });
    }
    await next();
  };
}

function hostIn(origin: string): string | undefined {
  return URL.parse(origin)?.host;
}
