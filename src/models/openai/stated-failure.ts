/** Reads the failures that servers state, in the formats of different vendors. */

import { z } from 'zod';
import { ModelError, type ModelFailure } from '../chat-model.ts';
import { type CalledModel, chatUrl, nameOf, quotable, shownUrl } from '../model-options.ts';

const textSchema = z.string().catch('');

/** Some servers send a list of faults instead of a message. */
const detailSchema = z.union([
  z.string(),
  z
    .array(z.object({ loc: z.array(z.unknown()).catch([]), msg: textSchema }))
    .transform((details) => details.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')),
]);

const errorBodySchema = z
  .object({
    message: textSchema,
    detail: detailSchema.optional().catch(undefined),
    code: z.union([z.string(), z.number()]).nullish().catch(undefined),
    type: z.string().nullish().catch(undefined),
    metadata: z
      .object({ reasons: z.array(z.unknown()).optional().catch(undefined) })
      .nullish()
      .catch(undefined),
  })
  .transform(({ detail, ...body }) => ({ ...body, message: body.message || (detail ?? '') }))
  .catch(({ input }) => ({ message: typeof input === 'string' ? input : '' }));
type ErrorBody = z.infer<typeof errorBodySchema>;

/**
 * Turns a failure that a server states, by its status or in the body of a success, into a {@link ModelError}.
 *
 * @param stated - The body, or its `error`.
 */
export function statedFailure(
  stated: unknown,
  called: CalledModel,
  facts: { readonly status?: number; readonly headers?: Headers; readonly partialText: string },
): ModelError {
  const { headers, partialText } = facts;
  const body = errorBodySchema.parse(stated);
  // Without an HTTP error status, some vendors give the status as the code.
  const status = facts.status ?? (typeof body.code === 'number' ? body.code : undefined);
  const failure =
    failureOf(status, body) ?? (partialText === '' ? 'server_error' : 'broken_stream');
  const said = quotable(body.message, called);
  const target = isRedirect(status) ? headers?.get('location') : undefined;
  const advice = target ? redirectAdvice(target, called) : adviceFor(failure, status, said, called);
  return new ModelError(advice, {
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
const contextCodes = new Set(['context_length_exceeded', 'string_above_max_length']);
const contextWords =
  /maximum context length|context (?:window|length|size)|prompt is too long|too many (?:input )?tokens/i;
/** OpenAI's message if the model used its whole output limit for reasoning. */
const outputWords = /output limit was reached/i;

function isRedirect(status: number | undefined): boolean {
  return status !== undefined && status >= 300 && status < 400;
}

function failureOf(status: number | undefined, body: ErrorBody): ModelFailure | undefined {
  const words = [body.code, body.type].filter((word) => typeof word === 'string');
  if (status === 402 || words.some((word) => quotaCodes.has(word))) {
    return 'payment_required';
  }
  if (words.some((word) => refusalCodes.has(word)) || (body.metadata?.reasons ?? []).length > 0) {
    return 'refused';
  }
  if (words.some((word) => contextCodes.has(word)) || contextWords.test(body.message)) {
    return 'context_too_long';
  }
  if (outputWords.test(body.message)) {
    return 'output_limit';
  }
  if (
    (status === 404 && !isAboutAddress(body.message)) ||
    words.includes('model_not_found') ||
    /valid model id/i.test(body.message)
  ) {
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
  if (status === 404 || isRedirect(status)) {
    return 'wrong_address';
  }
  if (status !== undefined && status >= 400 && status < 500) {
    return 'bad_request';
  }
  return status !== undefined && status >= 500 ? 'server_error' : undefined;
}

/** Whether a 404 is about the address: its message mentions no model. */
function isAboutAddress(message: string): boolean {
  return (
    !/model/i.test(message) && (message === '' || /not found|url|path|route|page/i.test(message))
  );
}

function adviceFor(
  failure: ModelFailure,
  status: number | undefined,
  quoted: string,
  called: CalledModel,
): string {
  const { provider, model, baseUrl } = called;
  const code = status === undefined ? '' : ` (${status})`;
  if (failure === 'wrong_address' && status === 404) {
    return `There is nothing at ${chatUrl(called)} (404). Correct models.providers.${provider}.baseUrl; it usually ends in /v1.`;
  }
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
    case 'context_too_long':
      return `The question and what is remembered for it are longer than ${nameOf(called)} can read${code}. Lower memory.budgetTokens, or choose a model that reads more.${said}`;
    case 'output_limit':
      return outputAdvice(called);
    case 'broken_stream':
      return `${nameOf(called)} broke off its answer. Ask again.${said}`;
    default:
      return `${nameOf(called)} does not accept the request${code}.${said}`;
  }
}

/** Advice if reasoning used up the whole output limit. */
export function outputAdvice(called: CalledModel): string {
  return `${nameOf(called)} used up its output tokens on thinking and did not answer. Raise limits.maxOutputTokens, lower models.reasoningEffort, or choose another model.`;
}

/** Redirects are not followed, because the key would be sent along. */
function redirectAdvice(location: string, called: CalledModel): string {
  const target = URL.parse(location, called.baseUrl);
  const where = target === null ? 'elsewhere' : `to ${quotable(shownUrl(target.href), called)}`;
  return `${shownUrl(called.baseUrl)} redirects ${where}. Redirects are not followed; if that is the right server, correct models.providers.${called.provider}.baseUrl.`;
}

function keyAdvice(code: string, { provider, apiKey, apiKeyEnv }: CalledModel): string {
  const where = apiKeyEnv ?? `the key of ${provider}`;
  return apiKey === undefined
    ? `${provider} wants a key and none is set${code}. Set ${where}.`
    : `The key for ${provider} was rejected${code}. Check ${where}.`;
}

/**
 * Reads the requested wait from `retry-after-ms` (milliseconds) or `Retry-After` (seconds, or a date).
 *
 * @param now - Milliseconds since 1970, for dates.
 * @returns Milliseconds, never below 0; `undefined` if there is none that can be read.
 * @see RFC 9110, section 10.2.3.
 */
export function readRetryAfter(headers: Headers | undefined, now: number): number | undefined {
  const exact = asNumber(headers?.get('retry-after-ms'));
  if (exact !== undefined) {
    return exact;
  }
  const asked = headers?.get('retry-after');
  const seconds = asNumber(asked);
  if (seconds !== undefined) {
    return seconds * 1000;
  }
  // Every HTTP date begins with a weekday; without this check, `Date.parse` accepts almost anything.
  const date = /^\s*[A-Z][a-z]{2,8},? /.test(asked ?? '') ? Date.parse(asked ?? '') : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function asNumber(text: string | null | undefined): number | undefined {
  return text !== null && text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text)
    ? Number(text)
    : undefined;
}
