/** What a program is told when it gets no reply, in the shape that clients of such endpoints read. */

import type { z } from 'zod';

/** @see https://platform.openai.com/docs/guides/error-codes */
export interface FailureBody {
  readonly error: {
    /** For people: what was wrong and what was expected. */
    readonly message: string;
    readonly type:
      | 'invalid_request_error'
      | 'insufficient_quota'
      | 'permission_error'
      | 'server_error';
    /** For programs, e.g. `model_not_found`. */
    readonly code: string;
    /** The field that is wrong; empty where it is none. A string always: strict clients refuse `null`. */
    readonly param: string;
  };
}

/** Statuses that a request can be answered with instead of a reply. */
type Status = 400 | 403 | 404 | 413 | 429 | 502 | 503;

const types: Readonly<Record<Status, FailureBody['error']['type']>> = {
  400: 'invalid_request_error',
  403: 'permission_error',
  404: 'invalid_request_error',
  413: 'invalid_request_error',
  429: 'insufficient_quota',
  502: 'server_error',
  503: 'server_error',
};

/** A request that gets no reply. The message is for the person who asked. */
export class V1Failure extends Error {
  override readonly name = 'V1Failure';
  readonly status: Status;
  readonly code: string;
  readonly param: string;

  constructor(status: Status, code: string, message: string, param = '') {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
  }

  get body(): FailureBody {
    const { message, status, code, param } = this;
    return { error: { message, type: types[status], code, param } };
  }
}

/** Parses what came from outside. @throws {V1Failure} that names the first field that is wrong. */
export function parsed<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const param = (issue?.path ?? []).join('.').slice(0, 200);
  const where = param === '' ? 'The request' : `\`${param}\``;
  throw new V1Failure(
    400,
    'invalid_value',
    `${where} can’t be read: ${issue?.message ?? 'it has another shape'}.`,
    param,
  );
}
