/** The store in a Redis at Upstash over HTTP, for a single bot process without a server to run. */

import { Redis } from '@upstash/redis';
import { backOff, retry, timeoutSignal } from '../waiting.ts';
import { closed } from './checks.ts';
import { type Commands, clockOf, keysOfSlot, scanServer } from './redis/commands.ts';
import { isTransient, refusal, refusalCode, unreachable } from './redis/errors.ts';
import { storeOver } from './redis/store-over.ts';
import { type RetentionOptions, type Store, StoreError } from './store.ts';

/**
 * Opens the store; nothing is sent before the first call. It uses the same scripts and keys as `redis.ts`, so
 * either can open the database.
 *
 * @throws {@link StoreError} `refused` for an invalid address. Methods throw `refused` for a wrong token,
 *   and `unreachable`, `full` and `read_only` as there.
 */
export function openUpstashStore(options: RestOptions & RetentionOptions): Store {
  return storeOver(rest(options), clockOf(options));
}

export interface RestOptions {
  /** `https://….upstash.io`. */
  readonly url: string;
  readonly token: string;
  /** How long a call is retried, and how long a reply may take, in milliseconds. Default 10,000. */
  readonly waitMs?: number;
}

const defaultWaitMs = 10_000;
const pauses = backOff(100, 2000);
/**
 * The most bytes to batch into one request. The smallest plan accepts 1 MB, and JSON escapes make the request
 * longer.
 */
const maxBatchBytes = 400_000;

/** Sends nothing yet. Throws {@link StoreError} `refused` for an invalid address. */
export function rest({ url, token, waitMs = defaultWaitMs }: RestOptions): Commands {
  const server = shownRestAddress(url);
  const pending = new Set<Promise<unknown>>();
  let isClosed = false;
  const redis = new Redis({
    url,
    token,
    // Otherwise, text that looks like a number or JSON would be parsed.
    automaticDeserialization: false,
    responseEncoding: false,
    // Calls made in one tick share a request.
    enableAutoPipelining: true,
    enableTelemetry: false,
    retry: false,
    signal: () => timeoutSignal(waitMs),
  });

  let bytesInTick = 0;
  let endOfTick: Promise<void> | undefined;

  /** Waits for the next tick of the event loop if this one's request would get too large. */
  async function fitIn(bytes: number): Promise<void> {
    while (bytesInTick > 0 && bytesInTick + bytes > maxBatchBytes) await endOfTick;
    bytesInTick += bytes;
    // Shared, so everything that waits goes out together.
    endOfTick ??= new Promise((resolve) => {
      setImmediate(() => {
        bytesInTick = 0;
        endOfTick = undefined;
        resolve();
      });
    });
  }

  /** Retries for `waitMs`, also after replies that aren't the database's. */
  async function bounded<Result>(call: () => Promise<Result>): Promise<Result> {
    if (isClosed) throw closed(server);
    const startedAt = performance.now();
    const answer = retry(call, (failures, error) => {
      const pauseMs = pauses(failures);
      const isTooLate = performance.now() - startedAt + pauseMs > waitMs;
      return isTooLate || !mayPass(error) ? undefined : pauseMs;
    });
    pending.add(answer);
    try {
      return await answer;
    } catch (error) {
      throw restError(server, waitMs, error);
    } finally {
      pending.delete(answer);
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
          if (!(error instanceof Error) || refusalCode(replyIn(error)) !== 'NOSCRIPT') throw error;
          await fitIn(bytes + Buffer.byteLength(script.source));
          return redis.eval(script.source, keys, [...values]);
        }
      }),
    scan: (pattern, limit) =>
      scanServer((cursor) => bounded(() => redis.scan(cursor, { match: pattern, count: limit }))),
    close: async () => {
      isClosed = true;
      await Promise.allSettled(pending);
    },
  };
}

function shownRestAddress(url: string): string {
  const parsed = URL.parse(url);
  if (parsed !== null && ['http:', 'https:'].includes(parsed.protocol)) return parsed.origin;
  throw new StoreError(
    'UPSTASH_REDIS_REST_URL is not the address of a database. Copy it from the REST API part of its page at console.upstash.com; it begins with https://.',
    { reason: 'refused' },
  );
}

/** Describes a reply that only Upstash sends. */
function upstashRefusal(server: string, reply: string): StoreError | undefined {
  if (/^(WRONGPASS|NOAUTH)\b/.test(reply)) {
    return new StoreError(
      `The Redis server ${server} refuses the token. Copy UPSTASH_REDIS_REST_TOKEN from the REST API part of its page at console.upstash.com.`,
      { reason: 'refused' },
    );
  }
  const [limit] = /(max [\w ]+|capacity quota) exceeded/.exec(reply) ?? [];
  if (limit === undefined) return undefined;
  return new StoreError(
    `The Redis server ${server} takes no more (${limit}). Everything stored before is safe; the last change was not stored. Choose a larger plan at console.upstash.com, or keep less (memory.retentionDays).`,
    { reason: 'full' },
  );
}

/** Describes an error so that the operator can act on it, without the token or the command that the client quotes. */
function restError(server: string, waitMs: number, error: unknown): StoreError {
  if (!(error instanceof Error)) return unreachable(server, waitMs, error);
  switch (error.name) {
    case 'UpstashError': {
      // The client appends the whole command, which may contain what people asked.
      const [reply = ''] = replyIn(error).split(', command was: ');
      if (refusalCode(reply) === '') return unreachable(server, waitMs, undefined);
      return upstashRefusal(server, reply) ?? refusal(server, reply);
    }
    case 'UpstashJSONParseError':
      // The client quotes the response, which may contain what people said.
      return unreachable(server, waitMs, new Error('the response is not JSON'));
    case 'TimeoutError':
    case 'AbortError':
      return unreachable(server, waitMs, undefined);
    default:
      return unreachable(server, waitMs, error);
  }
}

/** Whether a retry may succeed: the database wasn't reached, or refused temporarily. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof Error && error.name === 'UpstashError')) return true;
  const reply = replyIn(error);
  // What has no code is from a gateway before the database.
  return isTransient(reply) || refusalCode(reply) === '';
}

/** The database's reply, without the prefix of batched commands. */
function replyIn({ message }: Error): string {
  return message.replace(/^Command failed: /, '');
}
