import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { ErrorSchema, RatelimitedResponseSchema } from 'discord-api-spec/zod';
import { checkAnswer } from '../spec/conformance.ts';
import type { World } from '../world/world.ts';
import { bucketHeaders, limitedBody, limitedHeaders } from './answer-headers.ts';
import { DiscordError, refusal } from './discord-error.ts';
import type { Fault, Faults } from './faults.ts';
import type { Journal, RecordedCall } from './journal.ts';
import type { BucketState, Limited } from './rate-limits.ts';
import { readBody } from './request-body.ts';
import { type Answer, type Call, callOf, type Match, matchRoute, type Route } from './route.ts';

export interface RestOptions {
  readonly world: World;
  readonly routes: readonly Route[];
  readonly journal: Journal;
  readonly faults: Faults;
  readonly isToken: (token: string) => boolean;
}

const apiPath = /^\/api\/v10(?=\/)/;

/** What goes out in the end. */
interface Outgoing extends Answer {
  readonly headers: OutgoingHttpHeaders;
  readonly limitedBy?: RecordedCall['limitedBy'];
}

/** Serves Discord's REST API: reads, notes, limits, checks, answers. */
export function restHandler(options: RestOptions) {
  const { world, routes, journal, faults } = options;

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', world.origin());
    if (serveFile(world, url.pathname, response)) return;
    const path = url.pathname.replace(apiPath, '');
    const match = apiPath.test(url.pathname)
      ? matchRoute(routes, request.method ?? 'GET', path)
      : undefined;
    const body = await readBody(request).catch((error: unknown) => asDiscordError(error));
    const isBroken = body instanceof DiscordError;
    const route =
      match === undefined
        ? `${request.method} ${path}`
        : `${match.route.method} ${match.route.path}`;
    const recorded = journal.open({
      route,
      path: `${path}${url.search}`,
      body: isBroken ? undefined : body.json,
      fileNames: isBroken ? [] : body.files.map(({ name }) => name),
      atMs: world.clock.now(),
    });
    const fault = faults.take(route);
    if (fault?.kind === 'silence' || fault?.kind === 'drop') {
      journal.close(recorded);
      if (fault.kind === 'drop') request.socket.destroy();
      return;
    }

    const outgoing =
      fault === undefined || fault.kind.endsWith('after processing')
        ? isBroken || match === undefined
          ? refused(isBroken ? body : refusal('notFound'))
          : serve(options, request, match, {
              query: url.searchParams,
              files: body.files,
              rawBody: body.json,
            })
        : faultAnswer(fault, world.clock.now());
    noteOutgoing(world, recorded, outgoing);
    journal.close(recorded);
    if (fault?.kind === 'drop after processing') request.socket.destroy();
    else if (fault?.kind !== 'silence after processing') send(response, outgoing);
  };
}

/** Authorises, counts against the limits, and lets the route do it. */
function serve(
  { world, isToken }: RestOptions,
  request: IncomingMessage,
  match: Match,
  parts: Pick<Call, 'query' | 'files' | 'rawBody'>,
): Outgoing {
  const call = callOf(world, match, parts);
  const token = /^Bot (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (match.route.access === 'bot' && (token === undefined || !isToken(token))) {
    return refused(refusal('unauthorized'));
  }
  const { limited, state } = world.rateLimits.take(match.route, call, webhookChannel(world, call));
  if (limited !== undefined) return limitedAnswer(limited, state);
  const headers = bucketHeaders(state);
  try {
    const answer = match.route.handle(world, call);
    if (answer.schema !== undefined) {
      checkAnswer(world.violations, call.route, answer.schema, answer.body);
    }
    return { ...answer, headers };
  } catch (error) {
    return refused(asDiscordError(error), headers);
  }
}

/** The channel whose hidden budget a webhook's message is taken from. */
function webhookChannel(world: World, call: Call): string | undefined {
  if (call.route !== 'POST /webhooks/{webhook_id}/{webhook_token}') return undefined;
  return world.state.webhooks.get(call.param('webhook_id'))?.channelId;
}

function limitedAnswer(limited: Limited, state: BucketState): Outgoing {
  return {
    status: 429,
    body: limitedBody(limited),
    schema: RatelimitedResponseSchema,
    headers: {
      ...(limited.scope === 'global' ? {} : bucketHeaders(state)),
      ...limitedHeaders(limited),
    },
    limitedBy: limited.scope,
  };
}

function faultAnswer(fault: Fault, nowMs: number): Outgoing {
  if (fault.kind !== 'rate limit') {
    const status = fault.kind === 'status' ? fault.status : 500;
    return { status, body: { code: 0, message: `${status}: planned fault` }, headers: {} };
  }
  const scope = fault.scope === 'hidden' ? 'user' : fault.scope;
  return limitedAnswer(
    { scope, retryAfterMs: fault.retryAfterMs },
    {
      bucket: 'planned-fault',
      limit: 5,
      remaining: fault.scope === 'hidden' ? 4 : 0,
      resetAtMs: nowMs + fault.retryAfterMs,
      resetAfterMs: fault.retryAfterMs,
    },
  );
}

function refused(error: DiscordError, headers: OutgoingHttpHeaders = {}): Outgoing {
  const { status, code, message, errors, retryAfterMs } = error;
  const body = { code, message, ...(errors === undefined ? {} : { errors }) };
  if (retryAfterMs === undefined) return { status, body, headers };
  const limited = { scope: 'user', retryAfterMs } as const;
  return {
    status,
    body: { ...body, retry_after: retryAfterMs / 1000, global: false },
    headers: { ...headers, ...limitedHeaders(limited) },
    limitedBy: 'user',
  };
}

/** What a route throws is its refusal; anything else is a mistake of the fake and must be seen. */
function asDiscordError(error: unknown): DiscordError {
  if (error instanceof DiscordError) return error;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new DiscordError(500, 0, `The fake failed: ${text}`);
}

function noteOutgoing(world: World, recorded: RecordedCall, outgoing: Outgoing): void {
  recorded.status = outgoing.status;
  recorded.answer = outgoing.body;
  recorded.limitedBy = outgoing.limitedBy;
  if (outgoing.status >= 400) {
    const { code, message } = ErrorSchema.parse(outgoing.body);
    if (message.startsWith('The fake failed')) {
      world.violations.add({
        kind: 'answer',
        route: recorded.route,
        problems: [`${code}: ${message}`],
      });
    }
  }
}

function serveFile(world: World, path: string, response: ServerResponse): boolean {
  const file = world.state.files.get(path);
  if (file === undefined) return false;
  response.writeHead(200, { 'Content-Type': file.contentType }).end(file.bytes);
  return true;
}

function send(response: ServerResponse, { status, body, headers }: Outgoing): void {
  if (body === undefined) response.writeHead(status, headers).end();
  else {
    response
      .writeHead(status, { ...headers, 'Content-Type': 'application/json' })
      .end(JSON.stringify(body));
  }
}
