/** A server reached by its own protocol. */

import { ErrorReply } from '@redis/client';
import { backOff, retry } from '../../waiting.ts';
import { StoreError } from '../store.ts';
import { readAddress, redactedAddress, withProtocolCheck } from './address.ts';
import { type Commands, keysOfSlot, type Script, scanServer } from './commands.ts';
import {
  closed,
  encryptionRefusal,
  encryptionTrouble,
  isClusterError,
  isDemotedPrimary,
  isTransient,
  isUnauthenticated,
  refusal,
  unreachable,
} from './errors.ts';
import { type Destination, isLasting, type Transport, transports } from './transport.ts';

/** Where the server is, and how long it may be away. */
export interface ConnectionOptions {
  /**
   * `redis://user:password@host:6379/0`; `rediss://…` for TLS;
   * `redis+sentinel://user:password@host:26379,host:26379/name/0`; or
   * `redis+cluster://user:password@host:6379,host:6379`.
   */
  readonly url: string;
  /** How long a command waits for a server that does not answer, in milliseconds. Default 10 000. */
  readonly waitMs?: number;
}

/** A connection, and what is asked of servers themselves. */
export interface Connection extends Commands {
  /** Its address, without user and password. */
  readonly server: string;
  /** What each server that holds keys tells about itself, as `INFO` does. */
  infos(): Promise<readonly string[]>;
}

/** A call on its way. */
interface Call {
  readonly signal: AbortSignal;
  /** By a server in whose place another may be the primary soon, or by a cluster that is not whole now. */
  refused?: ErrorReply;
}

const defaultWaitMs = 10_000;
const retryPauseMs = 50;
const connectPauses = backOff(50, 2000);
const demotedPauses = backOff(50, 1000);

/**
 * Connects. A connection that breaks later is made again, for as long as it takes, with pauses that
 * grow to 2 s; what is asked for meanwhile waits for `waitMs` and then fails. A server that refuses a
 * change because it is a replica, or has none, as a former primary does, is left for the server that has its
 * address by then, and asked again there for as long; so is one that has not answered for `waitMs`,
 * but for the next call.
 *
 * @throws {@link StoreError} `refused` at once for a wrong user, password or address, and for a
 *   certificate that is not to be trusted; `unreachable` when no server answers within `waitMs`.
 */
export async function connect({
  url,
  waitMs = defaultWaitMs,
}: ConnectionOptions): Promise<Connection> {
  const address = readAddress(url);
  const server = redactedAddress(url);
  const openedAt = performance.now();
  let wasReady = false;
  let wasAnswered = false;
  let isClosed = false;
  let lastTrouble: unknown;
  const ongoing = new Set<Promise<unknown>>();
  /** Each gives one of them up. */
  const underWay = new Set<(reason: unknown) => void>();
  let transport = makeTransport();

  function makeTransport(): Transport {
    return transports[address.kind]({
      address,
      waitMs,
      pause: (tries, cause) => {
        const hasTime = performance.now() - openedAt < waitMs;
        if (!wasReady && (isLasting(cause) || !hasTime)) return cause;
        return connectPauses(tries + 1);
      },
      onTrouble: (error) => {
        lastTrouble = error;
        // A cluster has told of a server that can't be spoken to: that shows at the first call to it.
        const isAtStart = wasReady && !wasAnswered;
        if (isAtStart && encryptionTrouble(error)) for (const fail of underWay) fail(error);
      },
      onReady: () => {
        wasReady = true;
        lastTrouble = undefined;
      },
    });
  }

  /** What is under way on the old transport fails with it, and is sent again. */
  function leave(old: Transport): void {
    if (transport !== old || old.follows || isClosed) return;
    transport = makeTransport();
    void old.destroy();
    transport.connect().catch((error: unknown) => {
      lastTrouble = error;
    });
  }

  function describe(error: unknown, { refused }: Call): StoreError {
    if (error instanceof StoreError) return error;
    const isItself = error instanceof ErrorReply || encryptionTrouble(error) !== undefined;
    const trouble = isItself ? error : (refused ?? lastTrouble ?? error);
    if (trouble instanceof ErrorReply) return refusal(server, trouble.message);
    return encryptionRefusal(server, trouble) ?? unreachable(server, waitMs, trouble);
  }

  /** Sends until there is an answer that is not only for now, or the call is given up. */
  function send(words: readonly string[], to: Destination, call: Call): Promise<unknown> {
    const { signal } = call;
    let used = transport;
    const ask = async () => {
      used = transport;
      const answer = await used.send(words, to, signal);
      wasAnswered = true;
      return answer;
    };
    const pauseAfter = (failures: number, error: unknown) => {
      if (!(error instanceof ErrorReply)) return retryPauseMs;
      // Refused before its first change: nothing of it was done.
      const isDemoted = isDemotedPrimary(error.message);
      if (isUnauthenticated(error.message)) leave(used);
      if (!isDemoted && !isTransient(error.message)) return undefined;
      if (isDemoted || isClusterError(error.message)) call.refused = error;
      if (!isDemoted) return retryPauseMs;
      leave(used);
      return demotedPauses(failures);
    };
    return retry(ask, pauseAfter, signal);
  }

  /** Gives up on a server that took the call and never answers, as on one that is away. */
  async function bounded<Result>(work: (call: Call) => Promise<Result>): Promise<Result> {
    if (isClosed) throw closed(server);
    const giveUp = new AbortController();
    const call: Call = { signal: giveUp.signal };
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const fail = (reason: unknown) => {
      giveUp.abort();
      reject(reason);
    };
    const used = transport;
    const timer = setTimeout(() => {
      fail(new Error('no answer'));
      // It seems well, and says nothing: its host may be gone, which the system would notice in a quarter of an hour.
      if (wasReady && lastTrouble === undefined) leave(used);
    }, waitMs);
    const answer = Promise.race([work(call), tooLate]);
    ongoing.add(answer);
    underWay.add(fail);
    try {
      return await answer;
    } catch (error) {
      throw describe(error, call);
    } finally {
      clearTimeout(timer);
      ongoing.delete(answer);
      underWay.delete(fail);
    }
  }

  async function runScript(
    { sha1, source }: Script,
    slot: string,
    values: readonly string[],
    call: Call,
  ): Promise<unknown> {
    const keys = keysOfSlot(slot);
    const rest = [String(keys.length), ...keys, ...values];
    try {
      return await send(['EVALSHA', sha1, ...rest], { key: slot }, call);
    } catch (error) {
      if (!(error instanceof ErrorReply) || !error.message.startsWith('NOSCRIPT')) throw error;
      return send(['EVAL', source, ...rest], { key: slot }, call);
    }
  }

  try {
    await bounded(() => withProtocolCheck(url, transport.connect()));
  } catch (error) {
    // A server that takes the connection and says nothing leaves it half open.
    await transport.destroy();
    throw error;
  }

  return {
    server,
    run: (script, slot, values) => bounded((call) => runScript(script, slot, values, call)),
    scan: async function* (pattern, limit) {
      for (const server of transport.servers()) {
        yield* scanServer((cursor) => {
          const words = ['SCAN', cursor, 'MATCH', pattern, 'COUNT', String(limit)];
          return bounded((call) => send(words, { server }, call));
        });
      }
    },
    infos: () =>
      Promise.all(
        transport
          .servers()
          .map((server) => bounded(async (call) => String(await send(['INFO'], { server }, call)))),
      ),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await Promise.allSettled(ongoing);
      await transport.destroy();
    },
  };
}
