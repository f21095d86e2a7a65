/** What a server says when it refuses or fails, in the many forms that vendors have for it. */

import { z } from 'zod';
import { type Called, nameOf, quotable, shownUrl } from './called.ts';
import { ModelError, type ModelFailure } from './chat-model.ts';
import { readRetryAfter } from './retry-after.ts';

const errorBodySchema = z
  .object({
    message: z.string().catch(''),
    code: z.union([z.string(), z.number()]).nullish().catch(undefined),
    type: z.string().nullish().catch(undefined),
    metadata: z
      .object({ reasons: z.array(z.unknown()).optional().catch(undefined) })
      .nullish()
      .catch(undefined),
  })
  .catch(({ input }) => ({ message: typeof input === 'string' ? input : '' }));
type ErrorBody = z.infer<typeof errorBodySchema>;

/**
 * The server says that it failed, by a status or in the body of what began as a success.
 *
 * @param stated - The body, or the `error` in it.
 */
export function statedFailure(
  stated: unknown,
  called: Called,
  facts: { readonly status?: number; readonly headers?: Headers; readonly partialText: string },
): ModelError {
  const { headers, partialText } = facts;
  const body = errorBodySchema.parse(stated);
  // Behind a success there is no status; some vendors give it as the code then.
  const status = facts.status ?? (typeof body.code === 'number' ? body.code : undefined);
  const failure =
    failureOf(status, body) ?? (partialText === '' ? 'server_error' : 'broken_stream');
  const said = quotable(body.message, called);
  return new ModelError(adviceFor(failure, status, said, called), {
    failure,
    model: nameOf(called),
    retryAfterMs: readRetryAfter(headers, Date.now()),
    partialText,
    said,
  });
}

const quotaCodes = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
]);
const refusalCodes = new Set(['content_filter', 'content_policy_violation']);

function failureOf(status: number | undefined, body: ErrorBody): ModelFailure | undefined {
  const words = [body.code, body.type].filter((word) => typeof word === 'string');
  if (status === 402 || words.some((word) => quotaCodes.has(word))) {
    return 'payment_required';
  }
  if (words.some((word) => refusalCodes.has(word)) || (body.metadata?.reasons ?? []).length > 0) {
    return 'refused';
  }
  if (status === 404 || words.includes('model_not_found') || /valid model id/i.test(body.message)) {
    return 'model_not_found';
  }
  if (status === 401 || status === 403 || words.includes('invalid_api_key')) {
    return 'key_rejected';
  }
  if (status === 408) {
    return 'timed_out';
  }
  if (status === 429 || words.includes('rate_limit_exceeded')) {
    return 'rate_limited';
  }
  if (status !== undefined && status >= 400 && status < 500) {
    return 'bad_request';
  }
  return status !== undefined && status >= 500 ? 'server_error' : undefined;
}

function adviceFor(
  failure: ModelFailure,
  status: number | undefined,
  quoted: string,
  called: Called,
): string {
  const { provider, model, baseUrl } = called;
  const code = status === undefined ? '' : ` (${status})`;
  const said = quoted === '' ? '' : ` It said: ${quoted}`;
  switch (failure) {
    case 'key_rejected':
      return keyAdvice(code, called);
    case 'payment_required':
      return `${provider} wants to be paid before it answers${code}: the credit or quota of this key is used up. Top it up at ${provider}, or choose another model.`;
    case 'model_not_found':
      return `Model ${nameOf(called)} does not exist at ${shownUrl(baseUrl)}${code}; check the spelling of the model and the base URL.${provider === 'ollama' ? ` If it is not installed yet: ollama pull ${model}` : ''}`;
    case 'rate_limited':
      return `${provider} gets more requests than it allows for this key${code}. Ask again a little later.${said}`;
    case 'server_error':
      return `${provider} has a fault of its own${code}. Ask again a little later.${said}`;
    case 'timed_out':
      return `${provider} did not answer ${nameOf(called)} in time${code}. Ask again, or choose a faster model.`;
    case 'refused':
      return `${nameOf(called)} refuses to answer this${code}. Put the question differently.${said}`;
    case 'broken_stream':
      return `${nameOf(called)} broke off its answer. Ask again.${said}`;
    default:
      return `${nameOf(called)} does not accept the request${code}.${said}`;
  }
}

function keyAdvice(code: string, { provider, apiKey, apiKeyEnv }: Called): string {
  const where = apiKeyEnv ?? `the key of ${provider}`;
  return apiKey === undefined
    ? `${provider} wants a key and none is set${code}. Set ${where}.`
    : `The key for ${provider} was rejected${code}. Check ${where}.`;
}
