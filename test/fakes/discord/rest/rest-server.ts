import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { ErrorSchema, RatelimitedResponseSchema } from 'discord-api-spec/zod';
import { checkAnswer } from '../spec/conformance.ts';
import type { World } from '../world/world.ts';
import { bucketHeaders, limitedBody, limitedHeaders } from './answer-headers.ts';
import { DiscordError, refusal } from './discord-error.ts';
import type { Fault, Faults } from './faults.ts';
import type { Journal, RecordedCall } from './journal.ts';
import type { BucketState, Limited } from './rate-limits.ts';
import { type RequestBody, readBody } from './request-body.ts';
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

/** A request as it came in. */
interface Incoming {
  readonly url: URL;
  /** The path below `/api/v10`. */
  readonly path: string;
  readonly authorization: string | undefined;
  /** As the journal names it. */
  readonly route: string;
  readonly match: Match | undefined;
  readonly body: RequestBody | DiscordError;
}

/** Serves Discord's REST API: reads, notes, limits, checks, answers. */
export function restHandler(options: RestOptions) {
  const { world, journal, faults } = options;

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const incoming = await readIncoming(options, request);
    if (serveFile(world, incoming.url.pathname, response)) return;
    const recorded = note(options, incoming);
    const fault = faults.take(incoming.route);
    if (fault?.kind === 'silence' || fault?.kind === 'drop') {
      journal.close(recorded);
      if (fault.kind === 'drop') request.socket.destroy();
      return;
    }
    const outgoing = answerTo(options, incoming, fault);
    noteOutgoing(world, recorded, outgoing);
    journal.close(recorded);
    if (fault?.kind === 'drop after processing') request.socket.destroy();
    else if (fault?.kind !== 'silence after processing') send(response, outgoing);
  };
}

async function readIncoming(options: RestOptions, request: IncomingMessage): Promise<Incoming> {
  const { method = 'GET', headers } = request;
  const url = new URL(request.url ?? '/', options.world.origin());
  const path = url.pathname.replace(apiPath, '');
  const isApi = apiPath.test(url.pathname);
  const match = isApi ? matchRoute(options.routes, method, path) : undefined;
  return {
    url,
    path,
    authorization: headers.authorization,
    route: `${method} ${match?.route.path ?? path}`,
    match,
    body: await readBody(request).catch((error: unknown) => asDiscordError(error)),
  };
}

function note({ world, journal }: RestOptions, { route, path, url, body }: Incoming): RecordedCall {
  const isBroken = body instanceof DiscordError;
  return journal.open({
    route,
    path: `${path}${url.search}`,
    body: isBroken ? undefined : body.json,
    fileNames: isBroken ? [] : body.files.map(({ name }) => name),
    atMs: world.clock.now(),
  });
}

function answerTo(options: RestOptions, incoming: Incoming, fault: Fault | undefined): Outgoing {
  const { match, body, url, authorization } = incoming;
  if (fault?.kind === 'status' || fault?.kind === 'rate limit') {
    return faultAnswer(fault, options.world.clock.now());
  }
  if (body instanceof DiscordError) return refused(body);
  if (match === undefined) return refused(refusal('notFound'));
  const call = callOf(options.world, match, {
    query: url.searchParams,
    files: body.files,
    rawBody: body.json,
  });
  return serve(options, match.route, call, authorization);
}

/** Authorises, counts against the limits, and lets the route do it. */
function serve(
  { world, isToken }: RestOptions,
  route: Route,
  call: Call,
  authorization: string | undefined,
): Outgoing {
  const token = /^Bot (.+)$/.exec(authorization ?? '')?.[1];
  if (route.access === 'bot' && (token === undefined || !isToken(token))) {
    return refused(refusal('unauthorized'));
  }
  const { limited, state } = world.rateLimits.take(route, call, webhookChannel(world, call));
  if (limited !== undefined) return limitedAnswer(limited, state);
  const headers = bucketHeaders(state);
  try {
    const answer = route.handle(world, call);
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

function faultAnswer(
  fault: Extract<Fault, { kind: 'status' | 'rate limit' }>,
  nowMs: number,
): Outgoing {
  if (fault.kind === 'status') {
    const { status } = fault;
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
