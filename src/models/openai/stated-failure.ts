/** What people are told about each failure of a model, and the failures that servers state. */

import { z } from 'zod';
import { waitInWords } from '../../domain/words.ts';
import { ModelError, type ModelFailure } from '../chat-model.ts';
import { type CalledModel, nameOf, quotable, shownUrl } from '../model-options.ts';

/**
 * @param code - The HTTP status in brackets, after a blank; empty without one.
 * @param later - When to ask again.
 */
type Advice = (called: CalledModel, code: string, later: string) => string;

/** What happened, and what to do about it. */
const advice: Readonly<Record<ModelFailure, Advice>> = {
  key_rejected: ({ provider, apiKey, apiKeyEnv = `the key of ${provider}` }, code) =>
    apiKey === undefined
      ? `${provider} wants a key and none is set${code}. Set ${apiKeyEnv}.`
      : `The key for ${provider} was rejected${code}. Check ${apiKeyEnv}.`,
  payment_required: ({ provider }, code) =>
    `${provider} wants to be paid before it answers${code}: the credit or quota of this key is used up. Top it up at ${provider}, or choose another model.`,
  model_not_found: (called, code) =>
    `Model ${nameOf(called)} does not exist at ${shownUrl(called.baseUrl)}${code}; check the spelling of the model and the base URL.${called.provider === 'ollama' ? ` If it is not installed yet: ollama pull ${called.model}` : ''}`,
  wrong_address: ({ provider, baseUrl }, code) =>
    `What answers at ${shownUrl(baseUrl).replace(/\/+$/, '')}/chat/completions does not speak OpenAI's API${code}. Correct models.providers.${provider}.baseUrl; it usually ends in /v1.`,
  bad_request: (called, code) => `${nameOf(called)} does not accept the request${code}.`,
  rate_limited: ({ provider }, code, later) =>
    `${provider} gets more requests than it allows for this key${code}. Ask again ${later}.`,
  server_error: ({ provider }, code, later) =>
    `${provider} has a fault of its own${code}. Ask again ${later}.`,
  unreachable: ({ baseUrl }) =>
    `${shownUrl(baseUrl)} can't be reached. Check the base URL and the network.`,
  timed_out: (called, code) =>
    `${nameOf(called)} did not answer in time${code}. Ask again, or choose a faster model.`,
  broken_stream: (called) => `${nameOf(called)} broke off its answer. Ask again.`,
  refused: (called, code) =>
    `${nameOf(called)} refuses to answer this${code}. Put the question differently.`,
  context_too_long: (called, code) =>
    `The question and what is remembered for it are longer than ${nameOf(called)} can read${code}. Lower memory.budgetTokens, raise the context length if the server is yours, or choose a model that reads more.`,
  output_limit: (called) =>
    `${nameOf(called)} used up its output tokens on thinking and did not answer. Raise limits.maxOutputTokens or the context length of its server, lower models.reasoningEffort, or choose another model.`,
  empty: (called) => `${nameOf(called)} sent an empty answer. Ask again.`,
};

/** For these, the server's own words say more. */
const quotedFailures: ReadonlySet<ModelFailure> = new Set([
  ...(['wrong_address', 'bad_request', 'rate_limited', 'server_error'] as const),
  ...(['broken_stream', 'refused', 'context_too_long'] as const),
]);

/** The facts of a failure, all optional. */
interface FailureFacts
  extends Partial<Omit<ConstructorParameters<typeof ModelError>[1], 'failure' | 'model'>> {
  /** Replaces the usual advice. */
  readonly text?: string;
  readonly status?: number | undefined;
}

/** Creates the error of a failure, with advice and, where they say more, the server's own words. */
export function failed(
  failure: ModelFailure,
  called: CalledModel,
  { text, status, said: words = '', ...facts }: FailureFacts = {},
): ModelError {
  // A 403 has many reasons besides a wrong key, e.g. the country.
  const isQuoted = quotedFailures.has(failure) || status === 403;
  const said = isQuoted ? quotable(words, called) : '';
  const code = status === undefined ? '' : ` (${status})`;
  const waitMs = facts.retryAfterMs ?? 0;
  const later = waitMs > 60_000 ? `in ${waitInWords(waitMs)}` : 'a little later';
  const told = text ?? advice[failure](called, code, later);
  const message = said === '' ? told : `${told} It said: ${said}`;
  return new ModelError(message, { failure, model: nameOf(called), said, ...facts });
}

/** In place of a message, some servers send a text or a list of faults, which may repeat the request. */
const detailSchema = z.union([
  z.string(),
  z
    .array(z.object({ loc: z.array(z.unknown()).catch([]), msg: z.string().catch('') }))
    .transform((faults) => faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')),
]);

const errorBodySchema = z
  .object({
    message: z
      .union([z.string(), z.object({ detail: detailSchema }).transform(({ detail }) => detail)])
      .catch(''),
    detail: detailSchema.optional().catch(undefined),
    error_message: z.string().optional().catch(undefined),
    code: z.union([z.string(), z.number()]).nullish().catch(undefined),
    type: z.string().nullish().catch(undefined),
    details: z.unknown().optional(),
    metadata: z
      .object({
        reasons: z.array(z.unknown()).optional().catch(undefined),
        raw: z.string().optional().catch(undefined),
        headers: z.object({ 'X-RateLimit-Reset': z.coerce.number() }).optional().catch(undefined),
      })
      .nullish()
      .catch(undefined),
  })
  .catch(({ input }) => ({ message: typeof input === 'string' ? input : '' }));
type ErrorBody = z.infer<typeof errorBodySchema>;

/** The words of an error; empty if the body states none. */
export function saidIn(body: unknown): string {
  const { message, detail, error_message: named, metadata } = errorBodySchema.parse(body);
  // OpenRouter's own message is “Provider returned error”; what the provider said comes beside it.
  const relayed = metadata?.raw ? saidIn(statedIn(metadata.raw)) : '';
  return relayed || message || detail || named || '';
}

/** The error in the body of a refusal; text that is no JSON as it is, a web page as ''. */
export function statedIn(said: string): unknown {
  try {
    // Gemini sends a list of one, Cloudflare a list as the error.
    const [json]: unknown[] = [JSON.parse(said)].flat();
    const isWrapped = typeof json === 'object' && json !== null && 'error' in json;
    return isWrapped ? [json.error].flat()[0] : json;
  } catch {
    // An HTML page is not worth quoting, nor are bytes that are no text.
    return /^\s*<|\ufffd/.test(said) ? '' : said;
  }
}

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
  const said = saidIn(stated);
  // Without an HTTP error status, some vendors give the status as the code, as a number or in quotes.
  const status = facts.status ?? (Number(body.code) || undefined);
  const failure =
    failureOf(status, body, said) ?? (partialText === '' ? 'server_error' : 'broken_stream');
  // llama.cpp and Hugging Face refuse calls until a model is loaded, and name no time.
  const loadingMs = status === 503 && /loading/i.test(said) ? 20_000 : undefined;
  const isPage = headers?.get('content-type')?.includes('html') === true;
  const location = isRedirect(status) ? headers?.get('location') : undefined;
  return failed(failure, called, {
    status,
    said,
    partialText,
    ...(location && { text: redirectAdvice(location, called) }),
    ...(isPage && failure === 'key_rejected' && { text: blockedAdvice(status, called) }),
    retryAfterMs: readRetryAfter(headers) ?? readSaidWait(said) ?? untilReset(body) ?? loadingMs,
  });
}

/** OpenRouter gives the end of a limit in the body alone, in milliseconds since 1970. */
function untilReset({ metadata }: ErrorBody): number | undefined {
  const { 'X-RateLimit-Reset': resetAt } = metadata?.headers ?? {};
  return resetAt === undefined ? undefined : Math.max(1, resetAt - Date.now());
}

function isRedirect(status: number | undefined): boolean {
  return status !== undefined && status >= 300 && status < 400;
}

/** A server that speaks the API rejects a key in JSON. */
function blockedAdvice(status: number | undefined, { provider, baseUrl }: CalledModel): string {
  return `A web page answers at ${shownUrl(baseUrl)} (${status}): a proxy or firewall blocks the way to ${provider}, or models.providers.${provider}.baseUrl is wrong.`;
}

/** Redirects are not followed, because the key would be sent along. */
function redirectAdvice(location: string, called: CalledModel): string {
  const target = URL.parse(location, called.baseUrl);
  const where = target === null ? 'elsewhere' : `to ${quotable(shownUrl(target.href), called)}`;
  return `${shownUrl(called.baseUrl)} redirects ${where}. Redirects are not followed; if that is the right server, correct models.providers.${called.provider}.baseUrl.`;
}

const quotaCodes = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  // LiteLLM's.
  'budget_exceeded',
]);
/** Anthropic's, xAI's, OpenRouter's and Gemini's messages, with any status. */
const quotaWords =
  /(?:credit|insufficient) balance|(?:any|available) credits|api usage limits|(?:key|spending) limit|models-per-day|free_tier\w{1,99}, limit: 0,/i;
/** Gemini's and xAI's messages, with status 400. */
export const keyWords = /incorrect api key|api key (?:not valid|expired)/i;
const refusalCodes = new Set(['content_filter', 'content_policy_violation']);
const contextCodes = new Set(['context_length_exceeded', 'string_above_max_length']);
const contextWords =
  /maximum (?:context|prompt) length|context (?:window|length|size)|prompt is too long|too many (?:input )?tokens|input token count/i;
/** Messages about a model that exists, with status 404: OpenRouter's, OpenAI's, LM Studio's. LiteLLM's has a type. */
const unusableWords =
  /^no (?:endpoints|allowed providers)(?! found for)|only supported in v1|not a chat model|^no models? loaded|^failed to load/i;
/** LM Studio's message, with status 200. */
const pathWords = /^unexpected endpoint or method/i;
/** OpenAI's message if the model used its whole output limit for reasoning. */
const outputWords = /output limit was reached/i;

function failureOf(
  status: number | undefined,
  body: ErrorBody,
  said: string,
): ModelFailure | undefined {
  const words = [body.code, body.type].filter((word) => typeof word === 'string');
  const isOneOf = (codes: ReadonlySet<string>) => words.some((word) => codes.has(word));
  // Gemini asks to retry in seconds what is used up for the day; only the details say so.
  const isOfQuota = quotaWords.test(said) || JSON.stringify(body.details ?? '').includes('PerDay');
  if (status === 402 || isOneOf(quotaCodes) || isOfQuota) return 'payment_required';
  if (isOneOf(refusalCodes) || (body.metadata?.reasons ?? []).length > 0) return 'refused';
  // Groq's 413 has the code of a rate limit, which no wait makes wide enough.
  if (status === 413 || isOneOf(contextCodes)) return 'context_too_long';
  if (status !== 429 && contextWords.test(said)) return 'context_too_long';
  if (outputWords.test(said)) return 'output_limit';
  if (unusableWords.test(said) || words.some((word) => word.endsWith('_model_access_denied'))) {
    return 'bad_request';
  }
  const isUnknownModel = words.includes('model_not_found') || /valid model id/i.test(said);
  const isOfAddress = !/model/i.test(said) && /^$|not found|url|path|route|page/i.test(said);
  if (isUnknownModel || (status === 404 && !isOfAddress)) return 'model_not_found';
  const isOfKey = words.includes('invalid_api_key') || keyWords.test(said);
  if (status === 401 || status === 403 || isOfKey) return 'key_rejected';
  if (status === 408) return 'timed_out';
  // Groq's: a model without tools called one.
  if (words.includes('tool_use_failed')) return 'empty';
  if (status === 429 || words.includes('rate_limit_exceeded')) return 'rate_limited';
  const isOfPath = status === 404 || status === 405 || pathWords.test(said);
  if (isOfPath || isRedirect(status)) return 'wrong_address';
  // Lower codes are no HTTP statuses, but a vendor's own.
  if (status === undefined || status < 400) return undefined;
  return status >= 500 ? 'server_error' : 'bad_request';
}

/**
 * Reads the requested wait from `retry-after-ms`, else from `Retry-After` in seconds, as model servers give it.
 *
 * @returns Milliseconds; `undefined` if there is none that can be read.
 */
export function readRetryAfter(headers: Headers | undefined): number | undefined {
  const ms = headers?.get('retry-after-ms') || Number.NaN;
  const seconds = headers?.get('retry-after') || Number.NaN;
  return [Number(ms), 1000 * Number(seconds)].find((asked) => asked >= 0);
}

/** Reads the wait from a message: Gemini's has no header beside it, nor has one in a stream. In milliseconds. */
function readSaidWait(said: string): number | undefined {
  const found =
    /(?:retry|try again) in (?:(\d{1,6})h)?(?:(\d{1,6})m)?(\d{1,9}(?:\.\d{1,9})?)(ms|s)\b/i.exec(
      said,
    );
  if (!found) return undefined;
  const [, hours = '0', minutes = '0', rest, unit] = found;
  const wholeMinutes = Number(hours) * 60 + Number(minutes);
  return wholeMinutes * 60_000 + Number(rest) * (unit === 'ms' ? 1 : 1000);
}
