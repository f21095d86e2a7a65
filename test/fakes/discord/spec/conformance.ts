/**
 * Holds what crosses the wire against the schemas that are generated from Discord's own description,
 * in both directions, so that the fake cannot drift into wishful thinking.
 */

import type { ZodMiniType } from 'zod/mini';
import type { ViolationLog } from '../../violation-log.ts';
import { type FieldProblem, invalidForm } from '../rest/discord-error.ts';
import { unknownFields } from './unknown-fields.ts';
import type { Violation } from './violations.ts';

/** A request that is being checked. */
export interface RequestCheck {
  readonly violations: ViolationLog<Violation>;
  readonly route: string;
  /** Fields that the client sends along by itself and Discord passes over. */
  readonly ignored: readonly string[] | undefined;
}

/**
 * Parses a request's body.
 *
 * @throws DiscordError 50035, as Discord answers, after the violation has been noted.
 */
export function checkRequest<Body>(
  check: RequestCheck,
  schema: ZodMiniType<Body>,
  body: unknown,
): Body {
  const { violations, route, ignored = [] } = check;
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    refuseForm(
      violations,
      route,
      parsed.error.issues.map((issue) => ({
        path: issue.path.map((part) => (typeof part === 'number' ? part : String(part))),
        code: issue.code.toUpperCase(),
        message: issue.message,
      })),
    );
  }
  const unknown = unknownFields(body, parsed.data, asksForSomething).filter(
    (field) => !ignored.includes(field),
  );
  if (unknown.length > 0) violations.add({ kind: 'unknown field', route, problems: unknown });
  return parsed.data;
}

/**
 * Refuses a body that passes the schema and breaks a limit which the schema does not know.
 *
 * @throws DiscordError 50035 always, after the violation has been noted.
 */
export function refuseForm(
  violations: ViolationLog<Violation>,
  route: string,
  problems: readonly FieldProblem[],
): never {
  violations.add({
    kind: 'request',
    route,
    problems: problems.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`),
  });
  throw invalidForm(problems);
}

/** Notes an answer of the fake that Discord's description does not allow, or has no field for. */
export function checkAnswer(
  violations: ViolationLog<Violation>,
  route: string,
  schema: ZodMiniType<unknown>,
  answer: unknown,
): void {
  const parsed = schema.safeParse(answer);
  const problems = parsed.success
    ? unknownFields(answer, parsed.data).map((field) => `${field}: not a field of this answer`)
    : parsed.error.issues
        .filter(({ path }) => !isForward(path))
        .map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  if (problems.length > 0) violations.add({ kind: 'answer', route, problems });
}

/** Discord documents forwards as references of type 1; its description knows replies alone. */
function isForward(path: readonly PropertyKey[]): boolean {
  return path.slice(-2).join('.') === 'message_reference.type';
}

/** Clients send `null` and `false` by default where they ask for nothing. */
function asksForSomething(value: unknown): boolean {
  return value !== null && value !== false;
}
