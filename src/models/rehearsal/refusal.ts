import type { ServerResponse } from 'node:http';
import { type ApiError, errorBody } from './wire.ts';

/** Refuses a request in the API's error shape. */
export function refuse(response: ServerResponse, error: ApiError): void {
  const body = errorBody(error);
  if (error.retryAfterSeconds !== undefined) {
    response.setHeader('retry-after', String(error.retryAfterSeconds));
  }
  response.writeHead(error.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
