import type { ZodMiniType } from 'zod/mini';
import type { UploadedFile } from '../messages/message-body.ts';
import { checkRequest, refuseForm } from '../spec/conformance.ts';
import type { World } from '../world/world.ts';
import { type FieldProblem, refusal } from './discord-error.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request, read and matched, as a route works on it. */
export interface Call {
  /** E.g. `POST /channels/{channel_id}/messages`. */
  readonly route: string;
  readonly query: URLSearchParams;
  readonly files: readonly UploadedFile[];
  /** The JSON body as it came; `undefined` when there is none. */
  readonly rawBody: unknown;
  /** A part of the path by its name, e.g. `channel_id`. */
  param(name: string): string;
  /**
   * The body by Discord's schema.
   *
   * @param ignored - Fields that the client sends along by itself and Discord passes over.
   * @throws DiscordError 50035, noted as a violation.
   */
  body<Body>(schema: ZodMiniType<Body>, ignored?: readonly string[]): Body;
  /** Refuses the body, when there is a problem, for a limit beyond its schema. @throws DiscordError 50035. */
  refuseIf(problems: readonly FieldProblem[]): void;
}

/** What a route answers. With a schema, the body is held against it before it is sent. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly schema?: ZodMiniType<unknown>;
}

export interface Route {
  readonly method: Method;
  /** Path below `/api/v10` with named parts, as Discord's description writes it. */
  readonly path: string;
  /** `token in path`: works without the bot's authorization. */
  readonly access: 'bot' | 'token in path';
  handle(world: World, call: Call): Answer;
}

/** A route that only the bot may call. */
export function botRoute(method: Method, path: string, handle: Route['handle']): Route {
  return { method, path, access: 'bot', handle };
}

/** A route whose path carries its own token. */
export function tokenRoute(method: Method, path: string, handle: Route['handle']): Route {
  return { method, path, access: 'token in path', handle };
}

/** 200 with a body that Discord's description knows. */
export function ok(schema: ZodMiniType<unknown>, body: unknown): Answer {
  return { status: 200, schema, body };
}

/** 201 with a body that Discord's description knows. */
export function created(schema: ZodMiniType<unknown>, body: unknown): Answer {
  return { status: 201, schema, body };
}

/** 204: no body and no content type, or the client would try to read one. */
export const noContent: Answer = { status: 204 };

/** The route that serves a path, with the named parts of the path. */
export interface Match {
  readonly route: Route;
  readonly params: ReadonlyMap<string, string>;
}

/** Finds the route; parts written out win over named ones. */
export function matchRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): Match | undefined {
  const parts = path.split('/').map(decoded);
  const matches = routes
    .filter((route) => route.method === method)
    .flatMap((route) => {
      const params = matchParts(route.path.split('/'), parts);
      return params === undefined ? [] : [{ route, params }];
    });
  return matches.toSorted((one, other) => one.params.size - other.params.size).at(0);
}

/** A part of a path; one that is not encoded properly stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function matchParts(
  pattern: readonly string[],
  parts: readonly string[],
): Map<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const params = new Map<string, string>();
  for (const [index, wanted] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (wanted.startsWith('{')) params.set(wanted.slice(1, -1), part);
    else if (wanted !== part) return undefined;
  }
  return params;
}

/** Makes the {@link Call} of a matched request. */
export function callOf(
  world: World,
  { route, params }: Match,
  request: Pick<Call, 'query' | 'files' | 'rawBody'>,
): Call {
  const name = `${route.method} ${route.path}`;
  return {
    ...request,
    route: name,
    param: (part) => {
      const value = params.get(part);
      if (value === undefined) throw refusal('notFound');
      return value;
    },
    body: (schema, ignored) =>
      checkRequest({ violations: world.violations, route: name, ignored }, schema, request.rawBody),
    refuseIf: (problems) => {
      if (problems.length > 0) refuseForm(world.violations, name, problems);
    },
  };
}
