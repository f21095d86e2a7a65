import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { checkAnswer } from '../spec/conformance.ts';
import type { World } from '../world/world.ts';
import { bucketHeaders } from './answer-headers.ts';
import { refusal } from './discord-error.ts';
import type { Fault, Faults } from './faults.ts';
import type { Journal, RecordedCall } from './journal.ts';
import { faultAnswer, limitedAnswer, type Outgoing, refused, send, thrown } from './outgoing.ts';
import { type RequestBody, readBody } from './request-body.ts';
import { type Call, callOf, type Match, matchRoute, type Route } from './route.ts';

export interface RestOptions {
  readonly world: World;
  readonly routes: readonly Route[];
  readonly journal: Journal;
  readonly faults: Faults;
  readonly isToken: (token: string) => boolean;
}

const apiPath = /^\/api\/v10(?=\/)/;

/** A request as it came in. */
interface Incoming {
  readonly url: URL;
  /** The path below `/api/v10`. */
  readonly path: string;
  readonly authorization: string | undefined;
  /** As the journal names it. */
  readonly route: string;
  readonly match: Match | undefined;
  readonly body: RequestBody | Error;
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
    if (fault?.kind === 'late') await wait(fault.afterMs, undefined, { ref: false });
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
    body: await readBody(request).catch((error: Error) => error),
  };
}

function note({ world, journal }: RestOptions, { route, path, url, body }: Incoming): RecordedCall {
  const isBroken = body instanceof Error;
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
    return faultAnswer(fault, incoming.route, options.world.clock.now());
  }
  if (body instanceof Error) return thrown(body);
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
    return { ...route.handle(world, call), headers };
  } catch (error) {
    return thrown(error, headers);
  }
}

/** The channel whose hidden budget a webhook's message is taken from. */
function webhookChannel(world: World, call: Call): string | undefined {
  if (call.route !== 'POST /webhooks/{webhook_id}/{webhook_token}') return undefined;
  return world.state.webhooks.get(call.param('webhook_id'))?.channelId;
}

function noteOutgoing({ violations }: World, recorded: RecordedCall, outgoing: Outgoing): void {
  const { status, body, schema, limitedBy, mistake } = outgoing;
  recorded.status = status;
  recorded.answer = body;
  recorded.limitedBy = limitedBy;
  if (schema !== undefined) checkAnswer(violations, recorded.route, schema, body);
  if (mistake !== undefined) {
    violations.add({ kind: 'answer', route: recorded.route, problems: [mistake] });
  }
}

function serveFile(world: World, path: string, response: ServerResponse): boolean {
  const file = world.state.files.get(path);
  if (file === undefined) return false;
  response.writeHead(200, { 'Content-Type': file.contentType }).end(file.bytes);
  return true;
}
