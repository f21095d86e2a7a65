/** A server reached over HTTP, as Upstash offers it. */

import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from '@upstash/redis';
import { StoreError } from '../store.ts';
import { type Commands, keysOfSlot } from './commands.ts';
import { closed, refusalCode } from './errors.ts';
import { mayPass, restTrouble, saidIn } from './rest-errors.ts';
import { scannedPart, scanServers } from './scan.ts';

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
const retryPauseMs = 100;
const longestPauseMs = 2000;
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
    retry: { retries: mostRetries, backoff: (retry) => retryPauseMs * 2 ** retry },
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
  async function persistently<Result>(call: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    for (let tries = 0; ; tries += 1) {
      try {
        return await call();
      } catch (error) {
        const pauseMs = Math.min(longestPauseMs, retryPauseMs * 2 ** tries);
        const isTooLate = performance.now() - startedAt + pauseMs > waitMs;
        if (isTooLate || !mayPass(error)) throw error;
        await wait(pauseMs);
      }
    }
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
