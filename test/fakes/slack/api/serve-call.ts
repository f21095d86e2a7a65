import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Installation } from '../world/records.ts';
import type { World } from '../world/world.ts';
import { readArguments } from './arguments.ts';
import { authorise, installationOf } from './authorise.ts';
import { checkArguments } from './check-arguments.ts';
import type { Fault, Faults } from './faults.ts';
import type { Journal, RecordedCall } from './journal.ts';
import type { Limits } from './limits.ts';
import type { Method } from './method.ts';
import { Refusal } from './refusal.ts';

export interface CallOptions {
  readonly world: World;
  readonly methods: ReadonlyMap<string, Method>;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly limits: Limits;
}

interface Outgoing {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Serves one call of the Web API: notes it, lets it fail as planned, limits, checks, answers. */
export async function serveCall(
  options: CallOptions,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const { world, journal, faults } = options;
  const { token: tokenArgument, ...args } = await readArguments(request, url);
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? tokenArgument;
  const installation = installationOf(world, token);
  const recorded = journal.open({
    method: url.pathname.slice('/api/'.length),
    args,
    team: installation?.teamId,
    token: typeof token === 'string' ? token : undefined,
    atMs: world.clock.now(),
  });
  const fault = faults.take(recorded);
  const outgoing = refusedBy(fault) ?? (await carriedOut(options, recorded, installation));
  const answer = fault?.kind === 'status after processing' ? broken(fault.status) : outgoing;
  const isDropped = fault?.kind === 'drop' || fault?.kind === 'drop after processing';
  const isWithheld =
    isDropped || fault?.kind === 'silence' || fault?.kind === 'silence after processing';
  if (!isWithheld) {
    recorded.status = answer.status;
    recorded.answer = answer.body;
  }
  journal.close(recorded);
  if (fault?.kind === 'late') await wait(fault.afterMs, undefined, { ref: false });
  if (isDropped) request.socket.destroy();
  else if (!isWithheld) send(response, answer, installation);
}

/** What a fault makes of a call that is not carried out. */
function refusedBy(fault: Fault | undefined): Outgoing | undefined {
  switch (fault?.kind) {
    case 'rate limit':
      return limited(fault.retryAfterSeconds);
    case 'status':
      return broken(fault.status);
    case 'refusal':
      return { status: 200, body: { ok: false, error: fault.error } };
    case 'silence':
    case 'drop':
      return { status: 0, body: undefined };
    default:
      return undefined;
  }
}

async function carriedOut(
  { world, methods, limits }: CallOptions,
  { method: name, args, token }: RecordedCall,
  installation: Installation | undefined,
): Promise<Outgoing> {
  try {
    const method = methods.get(name);
    if (method === undefined) {
      world.violations.add({ method: name, code: 'unknown_method', problems: ['not served here'] });
      throw new Refusal('unknown_method', { req_method: name });
    }
    authorise(world, method, token);
    const retryAfterSeconds = limits.take(method, installation?.teamId ?? world.app.id, args);
    if (retryAfterSeconds !== undefined) return limited(retryAfterSeconds);
    checkArguments(world, method, args);
    return { status: 200, body: { ok: true, ...(await method.run(world, args, installation)) } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: 200, body: { ok: false, error: error.code, ...error.details } };
  }
}

function limited(retryAfterSeconds: number): Outgoing {
  return {
    status: 429,
    headers: { 'retry-after': String(retryAfterSeconds) },
    body: { ok: false, error: 'ratelimited' },
  };
}

function broken(status: number): Outgoing {
  return { status, body: 'upstream connect error' };
}

function send(response: ServerResponse, outgoing: Outgoing, installation?: Installation): void {
  const isText = typeof outgoing.body === 'string';
  response.writeHead(outgoing.status, {
    'content-type': isText ? 'text/plain' : 'application/json; charset=utf-8',
    ...(installation && { 'x-oauth-scopes': [...installation.scopes].join(',') }),
    ...outgoing.headers,
  });
  response.end(isText ? outgoing.body : JSON.stringify(outgoing.body));
}
