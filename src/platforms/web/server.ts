/** The HTTP server, and the rules that apply to every request. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { timeout } from 'hono/timeout';
import type { Log } from '../../domain/log.ts';
import { SetupError } from '../chat/pacing/platform-error.ts';
import { type Callers, callerIn, hostOf, isLoopback, type WebEnv } from './caller.ts';
import type { Uploads } from './question-fields.ts';
import { failureOf, requestLimits } from './refusals.ts';
import type { ShareRecords, WebCouncil } from './web-council.ts';

/** What the routes work with. */
export interface WebParts {
  readonly log: Log;
  readonly shares: ShareRecords;
  readonly council: WebCouncil;
  readonly callers: Callers;
  /** Recorded councils. */
  readonly examples: readonly { readonly turnId: string; readonly title: string }[];
  readonly uploads: Uploads;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
}

/** Routes below a path, with their limits. */
export interface WebRoutes {
  /** e.g. `/v1`; `/` for the page. */
  readonly path: string;
  readonly app: Hono<WebEnv>;
  /** Default: 256 000. */
  readonly mostBodyBytes?: number;
  /** Scripts of the origins that the operator lists may call them. Default: they may not. */
  readonly allowsOrigins?: true;
  /** Shows people an error below its path. Default: JSON. */
  readonly showError?: (error: Error, context: Context<WebEnv>) => Response;
  /** How long a reply to a complete request may take to begin, in milliseconds; streams last longer. Default: 30 000. */
  readonly withinMs?: number;
}

export interface WebServerOptions {
  readonly log: Log;
  /** Address to listen on. Any other than loopback requires a key. */
  readonly host: string;
  /** The URL for other machines, e.g. `https://council.example.org`; absent: reachable only from this machine. */
  readonly publicUrl?: string | undefined;
  /** Origins of other sites whose scripts may call `/v1` and `/api`; absent: none. */
  readonly origins?: readonly string[];
  /** 0 picks a free port. */
  readonly port: number;
  readonly callers: Callers;
  /** The first match handles a request. */
  readonly routes: readonly WebRoutes[];
}

export type WebServer = Awaited<ReturnType<typeof startWebServer>>;

const defaults = { mostBodyBytes: 256_000, withinMs: 30_000 } as const;
/** How long headers may take to arrive, in milliseconds. For the body Node allows five minutes: lines may be slow. */
const arrivalLimits = { headersTimeout: 10_000 } as const;
const mostConnections = 2000;
/** Without credentials: scripts of other sites send a key instead of the session cookie. */
const corsOptions = {
  exposeHeaders: ['retry-after', 'x-request-id', 'x-council-ignored', 'x-should-retry'],
  maxAge: 600,
};

/** Starts listening. @throws {SetupError} if the address is not available. */
export async function startWebServer(options: WebServerOptions) {
  const { host, port, log } = options;
  const { fetch } = webApp(options);
  const server = createAdaptorServer({ fetch, serverOptions: arrivalLimits });
  if ('maxConnections' in server) server.maxConnections = mostConnections;
  server.listen({ port, host });
  await once(server, 'listening').catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SetupError(
      `The web can’t listen on ${host}, port ${port} (${why}). Set another web.port or web.host, or stop the program that uses it.`,
      { cause },
    );
  });
  server.on('error', (error) => log.warn({ error }, 'a request could not be handled'));
  const replies = new Set<ServerResponse>();
  server.on('request', (_request, response: ServerResponse) => {
    replies.add(response);
    response.once('close', () => replies.delete(response));
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    /** Stops listening, and waits for the replies that have begun. @param over - Cuts them off. */
    async close(over: AbortSignal): Promise<void> {
      server.close();
      const ended = Array.from(replies, (reply) => once(reply, 'close'));
      const cut = () => 'closeAllConnections' in server && server.closeAllConnections();
      if (over.aborted) cut();
      else over.addEventListener('abort', cut, { once: true });
      await Promise.allSettled(ended);
    },
  };
}

/** The complete app. Every error becomes a reply. */
export function webApp(options: Omit<WebServerOptions, 'port'>): Hono<WebEnv> {
  const { publicUrl, callers, routes, log, origins = [] } = options;
  const app = new Hono<WebEnv>();
  const failed = (error: Error, context: Context<WebEnv>) => {
    const { req } = context;
    const showError = routes.find(({ path }) => req.path.startsWith(path))?.showError;
    if (showError && req.header('accept')?.includes('text/html')) return showError(error, context);
    const { body, status, headers } = failureOf(error, log);
    return context.json(body, status, headers);
  };
  app.onError(failed);
  const nothing = new HTTPException(404, {
    message: 'There is no page or endpoint at this address.',
  });
  app.notFound((context) => failed(nothing, context));
  app.use(async (context, next) => {
    await next();
    if (!context.res.headers.has('Cache-Control'))
      context.header('Cache-Control', 'private, no-cache');
    if (context.res.status === 401) context.header('WWW-Authenticate', 'Bearer');
  });
  app.use(securityHeaders(publicUrl), checkHost(options));
  for (const { path, allowsOrigins } of origins.length > 0 ? routes : []) {
    // Before the caller is identified, since preflight requests carry no key.
    if (allowsOrigins) app.use(`${path}/*`, cors({ ...corsOptions, origin: [...origins] }));
  }
  app.use(async (context, next) => {
    context.set('caller', await callers.of(context));
    await next();
  });
  app.use(refuseCrossSite(publicUrl), requestLimits());
  for (const { path, app: below, ...bounds } of routes) {
    const { mostBodyBytes, withinMs } = { ...defaults, ...bounds };
    const most = (mostBodyBytes / 1000).toLocaleString('en');
    const onError = () => {
      throw new HTTPException(413, {
        message: `That is too long to send: at most ${most} kB fit here. Shorten it and send it again.`,
      });
    };
    const late = new HTTPException(503, { message: 'That took too long. Try again.' });
    app.route(
      path,
      new Hono<WebEnv>()
        // Strangers send something only to the page, where they sign in; elsewhere nothing of theirs is read.
        .use((context, next) => {
          const hasBody = context.req.raw.body && context.req.header('content-length') !== '0';
          if (path !== '/' && hasBody) callerIn(context);
          return next();
        })
        .use(bodyLimit({ maxSize: mostBodyBytes, onError }), arrival, timeout(withinMs, late))
        .route('/', below),
    );
  }
  return app;
}

/** Checking more values against a schema blocks the process for seconds, and millions of them take all its memory. */
const mostValues = 50_000;

/** Waits for the whole body, so that a slow line does not count as a slow reply. */
const arrival: MiddlewareHandler = async ({ req }, next) => {
  if (req.raw.body) {
    const body = await req.raw.arrayBuffer();
    if (hasTooMany(new Uint8Array(body))) {
      const message = `The JSON of a request may have at most ${mostValues} values.`;
      throw new HTTPException(413, { message });
    }
    req.raw = new Request(req.raw, { body });
  }
  await next();
};

const [quote, backslash, ...beginnings] = Buffer.from('"\\[{,');

/** Whether a body has more values than may be checked, by what opens or separates them outside texts. */
function hasTooMany(body: Uint8Array): boolean {
  let count = 0;
  let isText = false;
  for (let at = 0; at < body.length && count <= mostValues; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === backslash && isText) at += 1;
    else if (byte === quote) isText = !isText;
    else if (!isText && beginnings.includes(byte)) count += 1;
  }
  return count > mostValues;
}

function securityHeaders(publicUrl: string | undefined): MiddlewareHandler {
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
    // With `no-referrer`, browsers would send `Origin: null` with forms.
    referrerPolicy: 'same-origin',
    // Without `includeSubDomains`: other hosts below this name may not be the operator's.
    strictTransportSecurity: publicUrl?.startsWith('https:') ? 'max-age=31536000' : false,
  });
}

/** Refuses unknown host names: another site may have pointed its name at this machine (DNS rebinding). */
function checkHost({
  host,
  publicUrl,
}: Pick<WebServerOptions, 'host' | 'publicUrl'>): MiddlewareHandler {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  return async ({ req }, next) => {
    const named = hostOf(req.header('host'));
    const isKnown = named === known || isLoopback(named) || (!isLoopback(host) && !known);
    if (!isKnown) throw new HTTPException(421, { message: 'This server has a different name.' });
    await next();
  };
}

/** Lets only pages of this server, and programs, change anything; never other sites. */
function refuseCrossSite(publicUrl: string | undefined): MiddlewareHandler<WebEnv> {
  // A proxy may put another name or a port into `Host`.
  const own = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  const safe: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
  return async ({ req }, next) => {
    const origin = req.header('origin') ?? own;
    const isOwn = origin === own || URL.parse(origin ?? '')?.host === req.header('host');
    const site = req.header('sec-fetch-site') ?? 'none';
    const isForeign = !isOwn || !['same-origin', 'none'].includes(site);
    // Browsers never add a key on their own, unlike the password of a proxy (`Basic`).
    const hasKey = /^Bearer /i.test(req.header('authorization') ?? '');
    // Following a link sends no `Origin`; a script on another site always sends one.
    if ((!safe.has(req.method) || !isOwn) && isForeign && !hasKey) {
      throw new HTTPException(403, { message: 'Requests from other sites are refused.' });
    }
    await next();
  };
}
