/** The Discord REST API, through which any process can post without a gateway connection. */

import {
  DefaultRestOptions,
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  REST,
  type RESTOptions,
  type RequestData,
  RequestMethod,
  type RouteLike,
} from 'discord.js';
import { z } from 'zod';
import { networkReason } from '../../../domain/failure.ts';
import { linkSignals } from '../../../waiting.ts';
import { briefWaitsMs, untilAnswered, withJitter } from '../../chat/pacing/back-off.ts';
import { type Clock, processClock } from '../../chat/pacing/call-scheduler.ts';
import { RateLimitedError, SetupError, UnansweredError } from '../../chat/pacing/platform-error.ts';
import {
  changeWhileHeld,
  type HeldTurn,
  type LatePosts,
  sayWhileHeld,
} from '../../chat/show/turn-posts.ts';
import { DiscordRefusal, isRefusal, refusalCodes } from '../discord-error.ts';
import { RequestBudget } from './request-budget.ts';

export interface DiscordRestOptions {
  readonly token: string;
  /** Base URL without version, e.g. `https://discord.com/api`; absent: Discord's own. */
  readonly api?: string | undefined;
  /** Timeout of one request, after which it counts as unanswered. */
  readonly timeoutMs: number;
  /** Waits before each retry of an unanswered request; absent: 16 s in all, as long as a person waits. */
  readonly retryWaitsMs?: readonly number[];
  /** Measures rate limit waits. Default: the process's own. */
  readonly clock?: Clock | undefined;
  /** Wraps every request, e.g. to record its result; `send` makes it. */
  readonly intercept?:
    | ((request: RestRequest, send: () => Promise<unknown>) => Promise<unknown>)
    | undefined;
}

/** An edit that Discord delays for longer is dropped: requests queued behind it matter more. */
const longestEditWaitMs = 60_000;

export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: RouteLike;
  readonly body?: unknown;
  readonly query?: URLSearchParams;
  readonly files?: RequestData['files'] | undefined;
  /** The path itself authorizes the request, e.g. with a webhook's token. */
  readonly isAuthorizedByPath?: boolean;
}

interface Lease {
  readonly turn: HeldTurn;
  readonly late: LatePosts<RestRequest, unknown>;
}

/** Disables the library's own limit: it counts in fixed seconds, so 90 requests could fall within one second. */
const libraryPerSecond = 1000;

/** How often discord.js forgets channels and webhooks that received no requests, in milliseconds. */
export const handlerSweepInterval = 300_000;

/**
 * Sends files in one piece. The library streams them, and a stream that is cut off, e.g. by an abort, rejects
 * where nothing can catch it, which ends the process.
 */
const sendWhole: RESTOptions['makeRequest'] = async (url, init) => {
  if (!(init.body instanceof FormData)) return DefaultRestOptions.makeRequest(url, init);
  const form = new Response(init.body);
  const type = { 'content-type': form.headers.get('content-type') ?? '' };
  const headers = Object.assign({}, init.headers, type);
  const body = new Uint8Array(await form.arrayBuffer());
  return DefaultRestOptions.makeRequest(url, { ...init, headers, body });
};

/** In seconds, for a 429 that doesn't say how long to wait: the library would repeat the request at once. */
const unknownWaitS = '5';

/** Makes the requests of the library's clients. */
export const makeRequest: RESTOptions['makeRequest'] = async (url, init) => {
  const answer = await sendWhole(url, init);
  const { status, headers } = answer;
  if (status === 429) {
    // Discord's proxy refuses all requests alike, with a page.
    if (!headers.get('Content-Type')?.includes('json')) headers.set('X-RateLimit-Global', 'true');
    if (!(Number(headers.get('Retry-After')) > 0)) headers.set('Retry-After', unknownWaitS);
  }
  return answer;
};

/** Sets the token for good: the library forgets it after any 401, even one that only a fault of Discord's causes. */
export function keepToken(rest: REST, token: string): REST {
  rest.setToken(token);
  return Object.defineProperty(rest, 'setToken', { value: () => rest });
}

export class DiscordRest {
  readonly retryWaitsMs: readonly number[];
  readonly #options: DiscordRestOptions;
  readonly #shared: ReturnType<typeof openShared>;
  readonly #signal: AbortSignal | undefined;
  readonly #lease: Lease | undefined;

  constructor(
    options: DiscordRestOptions,
    shared = openShared(options),
    signal?: AbortSignal,
    lease?: Lease,
  ) {
    this.retryWaitsMs = options.retryWaitsMs ?? briefWaitsMs;
    this.#options = options;
    this.#shared = shared;
    this.#signal = signal;
    this.#lease = lease;
  }

  /** The same client and request budget, with brief retries, for requests that a person waits for. */
  brief(): DiscordRest {
    return new DiscordRest({ ...this.#options, retryWaitsMs: briefWaitsMs }, this.#shared);
  }

  /**
   * The same client under a signal: requests and waits reject with its reason.
   *
   * @param lease - Checked around each request that posts or changes something, because the request may
   *   have waited for long or this process may have been suspended.
   */
  within(signal: AbortSignal, lease?: Lease): DiscordRest {
    return new DiscordRest(this.#options, this.#shared, signal, lease);
  }

  /**
   * Makes a request once, after waiting out Discord's rate limits.
   *
   * @throws {DiscordRefusal}, also for an edit that would wait for more than a minute; {UnansweredError};
   *   {RateLimitedError} for posts and edits; {SetupError} if the token is no longer valid.
   */
  async once(request: RestRequest): Promise<unknown> {
    const { isAuthorizedByPath = false } = request;
    const canWait = isEdit(request);
    // It comes from a pacer, which needs the error to hold its channel back. Other requests wait here.
    const isPaced = canWait || isPost(request);
    const { budget } = this.#shared;
    while (true) {
      try {
        return await budget.make({ isAuthorizedByPath, canWait }, () => this.#send(request));
      } catch (error) {
        if (!(error instanceof RateLimitedError) || isPaced) throw error;
        await this.#wait(error.retryAfterMs);
      }
    }
  }

  /** Makes a request and retries it while it stays unanswered. Only for requests that may be carried out twice. */
  async withRetries(request: RestRequest): Promise<unknown> {
    const wait = (waitMs: number) => this.backOff(waitMs);
    return untilAnswered(() => this.once(request), this.retryWaitsMs, { wait });
  }

  /** Waits for a time randomized by {@link withJitter}. */
  backOff(milliseconds: number): Promise<void> {
    return this.#wait(withJitter(milliseconds));
  }

  #wait(milliseconds: number): Promise<void> {
    const signal = this.#signal;
    return new Promise((resolve, reject) => {
      const end = () => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.#shared.clock.startTimer(() => {
        signal?.removeEventListener('abort', end);
        resolve();
      }, milliseconds);
      if (signal?.aborted) end();
      else signal?.addEventListener('abort', end, { once: true });
    });
  }

  async #send(request: RestRequest): Promise<unknown> {
    const { intercept } = this.#options;
    const ask = () => this.#request(request);
    const send = () => intercept?.(request, ask) ?? ask();
    const { turn, late } = this.#lease ?? {};
    if (!turn || !late || request.method === 'GET') return send();
    if (isPost(request)) return sayWhileHeld(turn, late, request, send);
    if (isEdit(request)) return changeWhileHeld(turn, send);
    await turn.assertHeld();
    return send();
  }

  async #request(request: RestRequest): Promise<unknown> {
    const { method, path, body, query, files, isAuthorizedByPath } = request;
    const signal = this.#signal;
    // The library never removes its listener from a signal, so each request gets a new one.
    using own = linkSignals(signal);
    try {
      return await this.#shared.rest.request({
        signal: own.signal,
        method: methodSchema.parse(method),
        fullRoute: path,
        auth: isAuthorizedByPath !== true,
        body,
        files,
        ...(query && { query }),
      });
    } catch (error) {
      throw signal?.aborted ? signal.reason : failureOf(error, request);
    }
  }
}

const methodSchema = z.enum(RequestMethod);

/** Whether a request edits a message. */
function isEdit({ method, path }: Pick<RestRequest, 'method' | 'path'>): boolean {
  return method === 'PATCH' && /\/messages\/\d+$/.test(path);
}

/** Whether a request posts a message, under a sage's name or the bot's. */
function isPost({ method, path, isAuthorizedByPath }: RestRequest): boolean {
  return method === 'POST' && (isAuthorizedByPath === true || path.endsWith('/messages'));
}

function openShared({ token, api, timeoutMs, clock = processClock }: DiscordRestOptions) {
  const rest = new REST({
    version: '10',
    timeout: timeoutMs,
    // The library would retry at once, without checking whether the first try succeeded.
    retries: 0,
    globalRequestsPerSecond: libraryPerSecond,
    handlerSweepInterval,
    // The library would wait silently and meanwhile send other requests to the same channel.
    rejectOnRateLimit: () => true,
    makeRequest,
    ...(api === undefined ? {} : { api }),
  });
  return { rest: keepToken(rest, token), budget: new RequestBudget(clock), clock };
}

/** The library's errors contain the whole request, with texts and tokens, so they don't become causes. */
function failureOf(error: unknown, request: RestRequest): Error {
  if (error instanceof DiscordAPIError) {
    const isPage = error.rawError instanceof ArrayBuffer;
    if (isPage || isRefusal(error, 'blockedByProxy')) {
      return new UnansweredError(`Discord did not answer: its proxy said HTTP ${error.status}.`);
    }
    if (error.status === 401 && error.code !== refusalCodes.invalidWebhookToken)
      return invalidToken();
    return refusalOf(error);
  }
  if (error instanceof RateLimitError) return limitedBy(error, request);
  if (!(error instanceof Error)) return new UnansweredError('Discord did not answer.');
  return unanswered(error);
}

/** Strips the request from an error of the gateway's client, for the log. */
export function withoutRequest(error: unknown): unknown {
  if (error instanceof DiscordAPIError) return refusalOf(error);
  return error instanceof HTTPError ? unanswered(error) : error;
}

/** Distinguishes a failed request of the gateway's client from a refusal. The client retries neither. */
export function asUnanswered(error: unknown): never {
  if (error instanceof DiscordAPIError || !(error instanceof Error)) throw error;
  throw unanswered(error);
}

/** Below its first line, Discord's message quotes the request. */
function refusalOf({ message, code, status }: DiscordAPIError): DiscordRefusal {
  const [sentence = ''] = message.split('\n', 1);
  return new DiscordRefusal(`Discord refused: ${message} (code ${code})`, {
    code: typeof code === 'number' ? code : 0,
    status,
    said: message.slice(sentence.length),
  });
}

function unanswered(error: Error): UnansweredError {
  const isLost = !(error instanceof HTTPError);
  const advice = isLost ? '. Check that this machine can reach discord.com.' : '';
  return new UnansweredError(`Discord did not answer: ${networkReason(error)}${advice}`);
}

function limitedBy(error: RateLimitError, request: RestRequest): Error {
  const retryAfterMs = Math.max(error.timeToReset, error.retryAfter);
  const isGlobal = error.global;
  // Discord allows only a few edits of old messages per hour.
  const isDropped = isEdit(request) && !isGlobal && retryAfterMs > longestEditWaitMs;
  const seconds = Math.ceil(retryAfterMs / 1000);
  if (!isDropped) {
    const message = `Discord accepts no such request for ${seconds} s.`;
    return new RateLimitedError(message, { retryAfterMs, isGlobal });
  }
  return new DiscordRefusal(`Discord accepts no edit of this message for ${seconds} s.`, {
    code: refusalCodes.tooManyOldEdits,
    status: 429,
  });
}

/** The error for an invalid token, which REST reports as 401 and the gateway as 4004. */
export function invalidToken(): SetupError {
  return new SetupError(
    'Discord does not accept the token in DISCORD_TOKEN. Make a new one in the developer portal (https://discord.com/developers/applications → Bot → Reset Token), put it in the environment or .env, and start again.',
  );
}
