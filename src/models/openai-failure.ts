/**
 * Turns what the `openai` SDK throws into a {@link ModelError}: what happened and what to do about it.
 *
 * No message carries a secret, and no cause either: servers repeat the key that they reject.
 */

import { APIConnectionTimeoutError, APIError } from 'openai';
import { z } from 'zod';
import { ModelError, type ModelFailure } from './chat-model.ts';
import { readRetryAfter } from './retry-after.ts';

/** Who was called. */
export interface Called {
  readonly provider: string;
  /** The model's name at the provider. */
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Name of the environment variable that the key comes from, e.g. `OPENAI_API_KEY`. */
  readonly apiKeyEnv?: string;
}

const maxQuotedChars = 300;

/**
 * @param error - What the SDK threw, or what it had thrown at the end of a stream.
 * @param partialText - What had arrived by then.
 */
export function toModelError(error: unknown, called: Called, partialText = ''): ModelError {
  if (error instanceof ModelError) {
    return error;
  }
  if (error instanceof APIError && (error.status !== undefined || error.error !== undefined)) {
    const { status, headers } = error;
    return statedFailure(error.error, called, {
      ...(status !== undefined && { status }),
      ...(headers && { headers }),
      partialText,
    });
  }
  return brokenConnection(error, called, partialText);
}

/** A failure that was found in the reply itself. */
export function replyFailure(
  failure: ModelFailure,
  what: string,
  called: Called,
  partialText = '',
): ModelError {
  const model = nameOf(called);
  return new ModelError(`${model} ${redact(what, called)}`, { failure, model, partialText });
}

/** The server's words, safe to show: one line, no key, at most 300 characters. */
function redact(text: string, { apiKey }: Called): string {
  const withoutKey = apiKey ? text.replaceAll(apiKey, '[key]') : text;
  const line = withoutKey
    .replace(/\b(?:sk|pk|rk|gsk|xai)-[\w*.-]{4,}/g, '[key]')
    .replace(/\bBearer\s+\S+/gi, '[key]')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > maxQuotedChars ? `${line.slice(0, maxQuotedChars - 1)}…` : line;
}

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
 * @param said - The body, or the `error` in it.
 */
export function statedFailure(
  said: unknown,
  called: Called,
  facts: { readonly status?: number; readonly headers?: Headers; readonly partialText: string },
): ModelError {
  const { headers, partialText } = facts;
  const body = errorBodySchema.parse(said);
  // Behind a success there is no status; some vendors give it as the code then.
  const status = facts.status ?? (typeof body.code === 'number' ? body.code : undefined);
  const failure =
    failureOf(status, body) ?? (partialText === '' ? 'server_error' : 'broken_stream');
  return new ModelError(adviceFor(failure, status, body, called), {
    failure,
    model: nameOf(called),
    retryAfterMs: readRetryAfter(headers, Date.now()),
    partialText,
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
  body: ErrorBody,
  called: Called,
): string {
  const { provider, model, baseUrl } = called;
  const code = status === undefined ? '' : ` (${status})`;
  const quoted = redact(body.message, called);
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

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nobody listens at {url}. Start the server there, or correct the base URL.',
  ENOTFOUND: 'There is no host as in {url}. Check the base URL and the network.',
  EAI_AGAIN: 'The host in {url} could not be looked up. Check the network.',
  ECONNRESET: '{url} closed the connection before it answered. Ask again.',
  UND_ERR_SOCKET: '{url} closed the connection before it answered. Ask again.',
};

function brokenConnection(error: unknown, called: Called, partialText: string): ModelError {
  const model = nameOf(called);
  const codes = codesOf(error);
  const isConnected = !(error instanceof APIError);
  // A syntax error quotes the reply.
  const cause = error instanceof SyntaxError ? undefined : error;
  const isTooLate =
    codes.has('UND_ERR_HEADERS_TIMEOUT') ||
    codes.has('UND_ERR_BODY_TIMEOUT') ||
    (error instanceof APIConnectionTimeoutError && !codes.has('UND_ERR_CONNECT_TIMEOUT'));
  if (isTooLate) {
    return silent(called, partialText);
  }
  if (isConnected) {
    const message = `${model} broke off its answer. Ask again.`;
    return new ModelError(message, { failure: 'broken_stream', model, partialText, cause });
  }
  const known = Object.entries(unreachable).find(([code]) => codes.has(code));
  const [code] = codes;
  const advice =
    known?.[1] ??
    `{url} can't be reached${code ? ` (${code})` : ''}. Check the base URL and the network.`;
  return new ModelError(advice.replace('{url}', shownUrl(called.baseUrl)), {
    failure: 'unreachable',
    model,
    partialText,
    cause,
  });
}

/** What came can't be read as a reply at all. */
export function unreadable(sent: unknown, called: Called, partialText: string): ModelError {
  return typeof sent === 'string'
    ? new ModelError(
        `What answers at ${shownUrl(called.baseUrl)} does not speak OpenAI's API. Check the base URL; it usually ends in /v1.`,
        { failure: 'bad_request', model: nameOf(called), partialText },
      )
    : replyFailure(
        'broken_stream',
        'sent an answer that is not in the form of OpenAI’s API.',
        called,
        partialText,
      );
}

/** The server was connected and said nothing for longer than it may. */
export function silent(called: Called, partialText = ''): ModelError {
  return new ModelError(adviceFor('timed_out', undefined, { message: '' }, called), {
    failure: 'timed_out',
    model: nameOf(called),
    partialText,
  });
}

/** The codes of an error and its causes, the outermost first. */
function codesOf(error: unknown): ReadonlySet<string> {
  const codes = new Set<string>();
  let current = error;
  // Causes are nested three or four deep; the bound is for a cause that names itself.
  for (let depth = 0; depth < 10 && current instanceof Error; depth += 1) {
    if ('code' in current && typeof current.code === 'string') {
      codes.add(current.code);
    }
    current = current.cause;
  }
  return codes;
}

/** The base URL without what must not be shown. */
function shownUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname === '/' ? '' : pathname}`;
}

function nameOf({ provider, model }: Called): string {
  return `${provider}:${model}`;
}
