/**
 * Turns the errors of a call into a {@link ModelError} that says what happened and what to do about it.
 *
 * Neither messages nor causes contain secrets, although servers repeat the key that they reject.
 */

import { APIError, OpenAIError } from 'openai/error';
import { ModelError, type ModelFailure } from '../chat-model.ts';
import { type CalledModel, nameOf, quotable, shownUrl } from '../model-options.ts';
import { BrokenBodyError, OversizeError } from '../response-body.ts';
import { statedFailure } from './stated-failure.ts';

/**
 * @param error - An error of the SDK or the connection. Any other is a bug, and rethrown.
 * @param partialText - The text that had arrived.
 */
export function toModelError(error: unknown, called: CalledModel, partialText = ''): ModelError {
  if (error instanceof ModelError) {
    return error;
  }
  if (error instanceof OversizeError) {
    return oversized(called, partialText);
  }
  if (error instanceof APIError && (error.status !== undefined || error.error !== undefined)) {
    const { status, headers } = error;
    return statedFailure(error.error, called, {
      ...(status !== undefined && { status }),
      ...(headers && { headers }),
      partialText,
    });
  }
  const isBroken = error instanceof BrokenBodyError || error instanceof SyntaxError;
  if (isBroken || error instanceof OpenAIError) return brokenConnection(error, called, partialText);
  throw error;
}

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'No server listens at {url}. Start the server there, or correct the base URL.',
  ENOTFOUND: 'The host in {url} does not exist. Check the base URL and the network.',
  EAI_AGAIN: 'The host in {url} could not be looked up. Check the network.',
  ECONNRESET: '{url} closed the connection before it answered. Ask again.',
  UND_ERR_SOCKET: '{url} closed the connection before it answered. Ask again.',
  UND_ERR_HEADERS_OVERFLOW:
    '{url} sends larger headers than a model server does. Check the base URL.',
};

/** The server sent nothing for too long. */
const silences = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'];

function brokenConnection(error: unknown, called: CalledModel, partialText: string): ModelError {
  const model = nameOf(called);
  const codes = codesOf(error);
  const isConnected = !(error instanceof APIError);
  // A SyntaxError quotes the reply.
  const cause = error instanceof SyntaxError ? undefined : error;
  if (silences.some((code) => codes.has(code))) return timedOut(called, partialText);
  if (isConnected) {
    const message = `${model} broke off its answer. Ask again.`;
    return new ModelError(message, { failure: 'broken_stream', model, partialText, cause });
  }
  const known = Object.entries(unreachable).find(([code]) => codes.has(code));
  const [code] = codes;
  const advice =
    known?.[1] ??
    `{url} can't be reached${code ? ` (${code})` : ''}. Check the base URL and the network.`;
  return new ModelError(
    advice.replace('{url}', () => shownUrl(called.baseUrl)),
    {
      failure: 'unreachable',
      model,
      partialText,
      cause,
    },
  );
}

/** The codes of an error and its causes, outermost first. */
function codesOf(error: unknown): ReadonlySet<string> {
  const codes = new Set<string>();
  let current = error;
  // Causes are nested three or four deep; the limit guards against cycles.
  for (let depth = 0; depth < 10 && current instanceof Error; depth += 1) {
    if ('code' in current && typeof current.code === 'string') {
      codes.add(current.code);
    }
    current = current.cause;
  }
  return codes;
}

/**
 * A failure found in the reply itself.
 *
 * @param what - The rest of the sentence after the model's name.
 * @param words - The model's own words, which end the sentence.
 */
export function replyFailure(
  failure: ModelFailure,
  what: string,
  called: CalledModel,
  partialText = '',
  words = '',
): ModelError {
  const model = nameOf(called);
  const said = quotable(words, called);
  return new ModelError(`${model} ${what}${said}`, { failure, model, partialText, said });
}

/** The connected server was silent for too long. */
function timedOut(called: CalledModel, partialText: string): ModelError {
  const what = 'did not answer in time. Ask again, or choose a faster model.';
  return replyFailure('timed_out', what, called, partialText);
}

/** The reply exceeded every limit, and the rest was not read. */
export function oversized(called: CalledModel, partialText: string): ModelError {
  const what =
    'sent more than an answer may hold, and was cut off. Set limits.maxOutputTokens, or choose another model.';
  return replyFailure('output_limit', what, called, partialText);
}

/** The response is not a reply at all, e.g. a web page. */
export function notTheApi(called: CalledModel, text: string): ModelError {
  const { baseUrl, provider } = called;
  const what = text.trimStart().startsWith('<') ? 'The web page' : 'What answers';
  return new ModelError(
    `${what} at ${shownUrl(baseUrl)} does not speak OpenAI's API. Correct models.providers.${provider}.baseUrl; it usually ends in /v1.`,
    { failure: 'wrong_address', model: nameOf(called) },
  );
}

/** The response is JSON, but not a reply. */
export function malformed(called: CalledModel, partialText: string): ModelError {
  const what = 'sent an answer that is not in the form of OpenAI’s API.';
  return replyFailure('broken_stream', what, called, partialText);
}
