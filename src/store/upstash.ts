/** The store in a Redis at Upstash, reached over HTTP: for one bot process with no server to run. */

import { Redis } from '@upstash/redis';
import { backOff, retry } from '../waiting.ts';
import { type Commands, clockOf, type Keeping, keysOfSlot, scanServer } from './redis/commands.ts';
import { closed, isTransient, refusal, refusalCode, unreachable } from './redis/errors.ts';
import { storeOver } from './redis/store-over.ts';
import { type Store, StoreError } from './store.ts';

/** Where the database is, and how long it keeps what it is given. */
export interface UpstashStoreOptions extends RestOptions, Keeping {}

/**
 * Opens the store; nothing is sent before the first verb. It is the store of `redis.ts` in every
 * respect, with the same keys: a database may be used by either.
 *
 * @throws {@link StoreError} `refused` for an address that is none. Verbs throw it for a wrong token,
 *   and `unreachable`, `full` and `read_only` as there.
 */
export function openUpstashStore(options: UpstashStoreOptions): Store {
  return storeOver(rest(options), clockOf(options));
}

/** Where the database is. */
export interface RestOptions {
  /** `https://….upstash.io`. */
  readonly url: string;
  readonly token: string;
  /**
   * For how long the same is asked again when no answer comes, in milliseconds, and how long an answer
   * may take. Default 10 000.
   */
  readonly waitMs?: number;
}

const defaultWaitMs = 10_000;
const mostRetries = 2;
const pauses = backOff(100, 2000);
/**
 * How much goes out as one request, if more than one thing is asked for: the least of the plans takes
 * 1 MB, and quotes and other signs become longer on the way.
 */
const mostBytesAtOnce = 400_000;

/** Nothing is asked for yet. Throws {@link StoreError} `refused` for an address that is none. */
export function rest({ url, token, waitMs = defaultWaitMs }: RestOptions): Commands {
  const server = shownRestAddress(url);
  const ongoing = new Set<Promise<unknown>>();
  let isClosed = false;
  const redis = new Redis({
    url,
    token,
    // Else text that looks like a number or like JSON would come back as that.
    automaticDeserialization: false,
    responseEncoding: false,
    // What is asked for in one tick is one request.
    enableAutoPipelining: true,
    enableTelemetry: false,
    retry: { retries: mostRetries, backoff: (retries) => pauses(retries + 1) },
    signal: () => AbortSignal.timeout(waitMs),
  });

  let bytesInTick = 0;
  let endOfTick: Promise<void> | undefined;

  /** Waits for the next tick of the event loop if that is too much for a request with what is in this one. */
  async function fitIn(bytes: number): Promise<void> {
    while (bytesInTick > 0 && bytesInTick + bytes > mostBytesAtOnce) await endOfTick;
    bytesInTick += bytes;
    // One for all who wait: what they ask for then goes out together.
    endOfTick ??= new Promise((resolve) => {
      setImmediate(() => {
        bytesInTick = 0;
        endOfTick = undefined;
        resolve();
      });
    });
  }

  /** The client itself tries few times, and takes what is no answer of the database for one. */
  function persistently<Result>(call: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    return retry(call, (failures, error) => {
      const pauseMs = pauses(failures);
      const isTooLate = performance.now() - startedAt + pauseMs > waitMs;
      return isTooLate || !mayPass(error) ? undefined : pauseMs;
    });
  }

  async function bounded<Result>(call: () => Promise<Result>): Promise<Result> {
    if (isClosed) throw closed(server);
    const answer = persistently(call);
    ongoing.add(answer);
    try {
      return await answer;
    } catch (error) {
      throw restTrouble(server, waitMs, error);
    } finally {
      ongoing.delete(answer);
    }
  }

  return {
    run: (script, slot, values) =>
      bounded(async () => {
        const keys = [...keysOfSlot(slot)];
        const bytes = values.reduce((sum, value) => sum + Buffer.byteLength(value), slot.length);
        await fitIn(bytes);
        try {
          return await redis.evalsha(script.sha1, keys, [...values]);
        } catch (error) {
          if (!(error instanceof Error) || !isUnknownScript(error)) throw error;
          await fitIn(bytes + Buffer.byteLength(script.source));
          return redis.eval(script.source, keys, [...values]);
        }
      }),
    scan: (pattern, limit) =>
      scanServer((cursor) => bounded(() => redis.scan(cursor, { match: pattern, count: limit }))),
    close: async () => {
      isClosed = true;
      await Promise.allSettled(ongoing);
    },
  };
}

function isUnknownScript(error: Error): boolean {
  return refusalCode(saidIn(error)) === 'NOSCRIPT';
}

function shownRestAddress(url: string): string {
  const parsed = URL.parse(url);
  if (parsed !== null && ['http:', 'https:'].includes(parsed.protocol)) return parsed.origin;
  throw new StoreError(
    'UPSTASH_REDIS_REST_URL is not the address of a database. Copy it from the REST API part of its page at console.upstash.com; it begins with https://.',
    { reason: 'refused' },
  );
}

/** What Upstash alone says, and what an operator does about it. */
const refusals: readonly {
  readonly said: RegExp;
  readonly reason: StoreError['reason'];
  readonly text: string;
}[] = [
  {
    said: /^(WRONGPASS|NOAUTH)\b/,
    reason: 'refused',
    text: 'refuses the token. Copy UPSTASH_REDIS_REST_TOKEN from the REST API part of its page at console.upstash.com.',
  },
  {
    said: /max request size exceeded/,
    reason: 'refused',
    text: 'refused this because it is too large, and stored nothing of it. Choose a larger plan at console.upstash.com, then go on.',
  },
  {
    said: /max (daily |monthly )?requests? limit exceeded/,
    reason: 'full',
    text: 'has used up the requests of its plan, and accepts no more until the next month or day. Choose a larger plan at console.upstash.com, then go on.',
  },
  {
    said: /capacity quota exceeded|max single record size exceeded/,
    reason: 'full',
    text: 'is full. What was stored before is safe, the last change was not stored. Choose a larger plan at console.upstash.com, or keep less (memory.retentionDays), then go on.',
  },
];

/**
 * Says what a request failed by in words that an operator can act on. Neither the token nor what was
 * asked, which the client quotes, is in it.
 *
 * @param server - Its address.
 * @param waitMs - For how long an answer was waited for.
 */
export function restTrouble(server: string, waitMs: number, error: unknown): StoreError {
  if (!(error instanceof Error)) return unreachable(server, waitMs, error);
  switch (error.name) {
    case 'UpstashError': {
      // The client quotes the whole command behind what the server said: what people asked is in it.
      const [said = ''] = saidIn(error).split(', command was: ');
      const known = refusals.find((one) => one.said.test(said));
      if (known === undefined) return refusal(server, said);
      const { reason, text } = known;
      return new StoreError(`The Redis server ${server} ${text}`, { reason });
    }
    case 'UpstashJSONParseError':
      // The client quotes the answer: what people said may be in it.
      return unreachable(server, waitMs, new Error('what came is no JSON'));
    case 'TimeoutError':
    case 'AbortError':
      return unreachable(server, waitMs, undefined);
    default:
      return unreachable(server, waitMs, error);
  }
}

/** Whether the same may be answered soon: nothing was reached, or it was not the database. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof Error && error.name === 'UpstashError') || isTransient(saidIn(error));
}

/** What the server said to one command of several. */
export function saidIn({ message }: Error): string {
  return message.replace(/^Command failed: /, '');
}
