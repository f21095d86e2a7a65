/** Discord over REST alone, so that any process can post without a connection to the gateway. */

import {
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  REST,
  type RequestData,
  RequestMethod,
  type RouteLike,
} from 'discord.js';
import { linkSignals } from '../../../waiting.ts';
import { briefWaitsMs, untilAnswered, untilTaken, withJitter } from '../../chat/pacing/back-off.ts';
import { type Clock, processClock } from '../../chat/pacing/call-scheduler.ts';
import {
  changeWhileHeld,
  type HeldTurn,
  type LatePosts,
  sayWhileHeld,
} from '../../chat/show/turn-posts.ts';
import {
  DiscordRateLimited,
  DiscordRefusal,
  DiscordSetupError,
  DiscordUnanswered,
  refusalCodes,
} from '../discord-error.ts';
import { RequestBudget } from './request-budget.ts';

export interface DiscordRestOptions {
  readonly token: string;
  /** Address without version, e.g. `https://discord.com/api`; absent: Discord's own. */
  readonly api?: string;
  /** How long one request may take before it counts as unanswered. */
  readonly timeoutMs: number;
  /** Waits before each further try while no answer comes; absent: 16 s in all, for what a person waits for. */
  readonly retryWaitsMs?: readonly number[];
  /** By which limits are waited out. Default: the process's own. */
  readonly clock?: Clock;
  /** Stands around every request, e.g. to note what comes of it; `send` makes it. Absent: nothing does. */
  readonly around?: (request: RestRequest, send: () => Promise<unknown>) => Promise<unknown>;
}

/** An edit that has to wait longer is given up: what it shows is worth less than what waits behind it. */
const longestEditWaitMs = 60_000;

/** One request. */
export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: RouteLike;
  readonly body?: unknown;
  readonly query?: URLSearchParams;
  readonly files?: RequestData['files'];
  /** The path itself carries the right to it, e.g. a webhook's token. */
  readonly isAuthorizedByPath?: boolean;
  /** A pacer plans it, and has to hear when its channel has to wait; else that is waited out here. */
  readonly isPaced?: boolean;
}

export interface Lease {
  readonly turn: HeldTurn;
  readonly late: LatePosts<RestRequest, unknown>;
}

/** The library's own count begins anew each second, so that two of its seconds can have 90 in one. */
const libraryPerSecond = 1000;

/** How often discord.js drops what it holds of channels and webhooks that nothing was sent to, in milliseconds. */
export const handlerSweepInterval = 300_000;

/** What all requests of a token share. */
interface SharedAccess {
  readonly rest: REST;
  readonly budget: RequestBudget;
  readonly clock: Clock;
}

export class DiscordRest {
  readonly retryWaitsMs: readonly number[];
  readonly #options: DiscordRestOptions;
  readonly #shared: SharedAccess;
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

  /**
   * The same, but ended by a signal: what is asked or waited for then rejects with its reason.
   *
   * @param lease - Asked around each request that says or changes something: it may have waited long, or
   *   this process been halted.
   */
  within(signal: AbortSignal, lease?: Lease): DiscordRest {
    return new DiscordRest(this.#options, this.#shared, signal, lease);
  }

  /**
   * Asks once; waits as long as Discord's limits demand.
   *
   * @throws {DiscordRefusal}, also for an edit that would have to wait for more than a minute; {DiscordUnanswered};
   *   {DiscordRateLimited} for what is paced; {DiscordSetupError} when the token is not valid any more.
   */
  async once(request: RestRequest): Promise<unknown> {
    const { isAuthorizedByPath = false, isPaced } = request;
    const canWait = isEdit(request);
    const { budget } = this.#shared;
    return untilTaken(
      () => budget.make({ isAuthorizedByPath, canWait }, () => this.#send(request)),
      (retryAfterMs) => this.#wait(retryAfterMs),
      () => isPaced !== true,
    );
  }

  /** Asks again while no answer comes. Only for what may be carried out twice without harm. */
  async repeatedly(request: RestRequest): Promise<unknown> {
    const wait = (waitMs: number) => this.backOff(waitMs);
    return untilAnswered(() => this.once(request), this.retryWaitsMs, { wait });
  }

  /** Waits about so long, see {@link withJitter}. */
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
    const { around } = this.#options;
    const ask = () => this.#request(request);
    const send = () => around?.(request, ask) ?? ask();
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
    // The library never stops listening to a signal, so each request gets a new one.
    using own = linkSignals(signal);
    try {
      return await this.#shared.rest.request({
        signal: own.signal,
        method: RequestMethod[methodNames[method]],
        fullRoute: path,
        auth: isAuthorizedByPath !== true,
        ...(body === undefined ? {} : { body }),
        ...(query === undefined ? {} : { query }),
        ...(files === undefined ? {} : { files }),
      });
    } catch (error) {
      throw signal?.aborted ? signal.reason : failureOf(error, request);
    }
  }
}

const methodNames = {
  GET: 'Get',
  POST: 'Post',
  PUT: 'Put',
  PATCH: 'Patch',
  DELETE: 'Delete',
} as const;

/** Whether a request edits a message. */
function isEdit({ method, path }: Pick<RestRequest, 'method' | 'path'>): boolean {
  return method === 'PATCH' && /\/messages\/\d+$/.test(path);
}

/** Whether a request says something new, under a sage's name or the bot's. */
export function isPost({ method, path, isAuthorizedByPath }: RestRequest): boolean {
  return method === 'POST' && (isAuthorizedByPath === true || path.endsWith('/messages'));
}

function openShared({
  token,
  api,
  timeoutMs,
  clock = processClock,
}: DiscordRestOptions): SharedAccess {
  const rest = new REST({
    version: '10',
    timeout: timeoutMs,
    // The library would try again at once and without knowing whether the first try was carried out.
    retries: 0,
    globalRequestsPerSecond: libraryPerSecond,
    handlerSweepInterval,
    // It would wait unseen, and send other requests for the same channel meanwhile.
    rejectOnRateLimit: () => true,
    ...(api === undefined ? {} : { api }),
  }).setToken(token);
  return { rest, budget: new RequestBudget(clock), clock };
}

/** The library's errors hold the whole request, texts and tokens included; so they are not kept as causes. */
function failureOf(error: unknown, request: RestRequest): Error {
  if (error instanceof DiscordAPIError) {
    if (error.status === 401 && error.code !== refusalCodes.invalidWebhookToken)
      return invalidToken();
    return refusalOf(error);
  }
  if (error instanceof RateLimitError) return limitedBy(error, request);
  if (!(error instanceof Error)) return new DiscordUnanswered('Discord did not answer.');
  if (error.message.startsWith('Expected token')) return invalidToken();
  return unanswered(error);
}

/** What failed, for the log: an error of the library for a request of the gateway's client without that request. */
export function withoutRequest(error: unknown): unknown {
  if (error instanceof DiscordAPIError) return refusalOf(error);
  return error instanceof HTTPError ? unanswered(error) : error;
}

/** Below its first line Discord goes through what it was sent. */
function refusalOf({ message, code, status }: DiscordAPIError): DiscordRefusal {
  const [sentence = ''] = message.split('\n', 1);
  return new DiscordRefusal(`Discord refused: ${message} (code ${code})`, {
    code: typeof code === 'number' ? code : 0,
    status,
    said: message.slice(sentence.length),
  });
}

function unanswered({ message }: Error): DiscordUnanswered {
  return new DiscordUnanswered(`Discord did not answer: ${message}`);
}

function limitedBy(error: RateLimitError, request: RestRequest): Error {
  const retryAfterMs = Math.max(error.timeToReset, error.retryAfter);
  const isGlobal = error.global;
  // Discord lets old messages be edited a few times an hour.
  const isPutOff = isEdit(request) && !isGlobal && retryAfterMs > longestEditWaitMs;
  if (!isPutOff) return new DiscordRateLimited({ retryAfterMs, isGlobal });
  const seconds = Math.ceil(retryAfterMs / 1000);
  return new DiscordRefusal(`Discord takes no edit of this message for ${seconds} s.`, {
    code: refusalCodes.tooManyOldEdits,
    status: 429,
  });
}

/** The token was refused; by REST with 401, by the gateway with 4004. */
export function invalidToken(): DiscordSetupError {
  return new DiscordSetupError(
    'Discord does not accept the token in DISCORD_TOKEN. Make a new one in the developer portal (https://discord.com/developers/applications → Bot → Reset Token), put it in the environment or .env, and start again.',
  );
}
