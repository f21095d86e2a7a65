/** A server reached over HTTP, as Upstash offers it. */

import { Redis } from '@upstash/redis';
import { StoreError } from '../store.ts';
import { type Commands, keysOfSlot } from './commands.ts';
import { closed, refusal, refusalCode, unreachable } from './errors.ts';
import { scannedPart, scanServers } from './scan.ts';

/** Where the database is. */
export interface RestOptions {
  /** `https://….upstash.io`. */
  readonly url: string;
  readonly token: string;
  /** How long a request waits for an answer, in milliseconds; it is made up to 3 times. Default 10 000. */
  readonly waitMs?: number;
}

const defaultWaitMs = 10_000;
const mostRetries = 2;
const retryPauseMs = 100;

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
    retry: { retries: mostRetries, backoff: (retry) => retryPauseMs * 2 ** retry },
    signal: () => AbortSignal.timeout(waitMs),
  });

  function describe(error: unknown): StoreError {
    if (!(error instanceof Error) || error.name !== 'UpstashError') {
      return unreachable(server, waitMs, isTimeout(error) ? undefined : error);
    }
    // The client quotes the whole command behind what the server said: what people asked is in it.
    const [said = ''] = error.message.replace(/^Command failed: /, '').split(', command was: ');
    return refusal(server, said);
  }

  async function bounded<Result>(call: () => Promise<Result>): Promise<Result> {
    if (isClosed) throw closed(server);
    const answer = call();
    ongoing.add(answer);
    try {
      return await answer;
    } catch (error) {
      throw describe(error);
    } finally {
      ongoing.delete(answer);
    }
  }

  return {
    run: (script, slot, values) =>
      bounded(async () => {
        const keys = [...keysOfSlot(slot)];
        try {
          return await redis.evalsha(script.sha1, keys, [...values]);
        } catch (error) {
          if (!(error instanceof Error) || !isUnknownScript(error)) throw error;
          return redis.eval(script.source, keys, [...values]);
        }
      }),
    scan: (cursor, pattern, limit) =>
      scanServers(cursor, [server], (_server, from) =>
        bounded(async () => {
          const [keys, size] = await Promise.all([
            redis.scan(from, { match: pattern, count: limit }),
            redis.dbsize(),
          ]);
          return scannedPart(keys, size, limit);
        }),
      ),
    close: async () => {
      isClosed = true;
      await Promise.allSettled(ongoing);
    },
  };
}

function isUnknownScript({ message }: Error): boolean {
  return refusalCode(message.replace(/^Command failed: /, '')) === 'NOSCRIPT';
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
}

function shownRestAddress(url: string): string {
  const parsed = URL.parse(url);
  if (parsed !== null && ['http:', 'https:'].includes(parsed.protocol)) return parsed.origin;
  throw new StoreError(
    'UPSTASH_REDIS_REST_URL is not the address of a database. Copy it from the REST API part of its page at console.upstash.com; it begins with https://.',
    { reason: 'refused' },
  );
}
