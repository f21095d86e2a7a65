/** Errors in the format of OpenAI's API. */

import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import { replyTo } from '../refusals.ts';

/**
 * A request that fails. The message tells the person what was wrong and what was expected.
 *
 * @see https://platform.openai.com/docs/guides/error-codes
 */
export class V1Failure extends HTTPException {
  override readonly name = 'V1Failure';
  /** For programs, e.g. `model_not_found`. */
  readonly code: string;
  /** The invalid field, or empty. Always a string, because strict clients reject `null`. */
  readonly param: string;

  constructor(status: ContentfulStatusCode, code: string, message: string, param = '') {
    super(status, { message });
    this.code = code;
    this.param = param;
  }
}

/** The HTTP reply to any error; see {@link replyTo}. */
export function failureOf(error: unknown, log: Log) {
  const { status, message, headers } = replyTo(error, log);
  const known = error instanceof V1Failure ? error : undefined;
  const code = known?.code ?? codes[status] ?? 'internal_error';
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return {
    status,
    body: { error: { message, type, code, param: known?.param ?? '' } },
    // Tells clients not to retry automatically: a retry may cost as much again.
    headers: 'Retry-After' in headers ? headers : { 'x-should-retry': 'false' },
  };
}

/** Parses a request. @throws {V1Failure} that names the first invalid field. */
export function parsed<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const issue = result.error.issues[0] && innermost(result.error.issues[0]);
  const param = (issue?.path ?? []).join('.').slice(0, 200);
  const where = param === '' ? 'The request' : `\`${param}\``;
  const why = issue?.message ?? 'it has another shape';
  throw new V1Failure(400, 'invalid_value', `${where} is invalid: ${why}.`, param);
}

/** The issue at the innermost field: that of a union says only that no option fits. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const [inner] = issue.errors
    .flatMap(([first]) => (first && first.path.length > 0 ? innermost(first) : []))
    .toSorted((one, other) => other.path.length - one.path.length);
  return inner ? { ...inner, path: [...issue.path, ...inner.path] } : issue;
}

const codes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'invalid_api_key',
  403: 'forbidden',
  409: 'asked_already',
  413: 'request_too_large',
  422: 'not_taken',
  429: 'insufficient_quota',
  503: 'unavailable',
};

const types: Readonly<Record<number, string>> = {
  ...{ 401: 'authentication_error', 403: 'permission_error', 429: 'insufficient_quota' },
};
