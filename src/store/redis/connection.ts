/** The store's commands over the Redis protocol. */

import { ErrorReply } from '@redis/client';
import { backOff, retry, within } from '../../waiting.ts';
import { closed } from '../checks.ts';
import { StoreError } from '../store.ts';
import { readAddress, redactedAddress } from './address.ts';
import { type Commands, keysOfSlot, type Script, scanServer } from './commands.ts';
import {
  certificateRefusal,
  isCertificateError,
  isDemotedPrimary,
  isTransient,
  refusal,
  refusalCode,
  unreachable,
} from './errors.ts';
import { type Destination, isLasting, type Transport, transports } from './transport.ts';

/** The server's address and timeout. */
export interface ConnectionOptions {
  /** As {@link readAddress} takes it. */
  readonly url: string;
  /** How long a command waits for an answer, in milliseconds. Default 10,000. */
  readonly waitMs?: number;
}

export interface Connection extends Commands {
  /** The server's address, without user and password. */
  readonly server: string;
  /** The `INFO` of each server that has keys. */
  infos(): Promise<readonly string[]>;
}

/** A pending call. */
interface Call {
  readonly signal: AbortSignal;
  /** The latest refusal by a demoted primary or an incomplete cluster, or of a certificate. */
  refused?: Error;
}

const defaultWaitMs = 10_000;
const retryPauseMs = 50;
/** After this, in milliseconds, the connection to a cluster is replaced. */
const maxStallMs = 3000;
const connectPauses = backOff(50, 2000);
const demotedPauses = backOff(50, 1000);

/**
 * Connects. A broken connection is restored, however long that takes, with pauses that grow to 2 s; calls wait
 * for it up to `waitMs` and then fail. After a failover, a demoted primary refuses writes because it is a
 * replica or lacks replicas: the client then reconnects to the same address, which may lead to the new
 * primary, and retries. After a call that got no answer within `waitMs`, it reconnects for the next call.
 *
 * @throws {@link StoreError} `refused` at once for a wrong user, password or address and for an untrusted
 *   certificate; `unreachable` if no server answers within `waitMs`.
 */
export async function connect({
  url,
  waitMs = defaultWaitMs,
}: ConnectionOptions): Promise<Connection> {
  const address = readAddress(url);
  const server = redactedAddress(url);
  const isSingle = address.kind === 'server';
  const isCluster = address.kind === 'cluster';
  const stallMs = Math.min(maxStallMs, waitMs / 3);
  const openedAt = performance.now();
  let wasReady = false;
  let isClosed = false;
  let lastError: unknown;
  const pending = new Set<Promise<unknown>>();
  let transport = makeTransport();

  function makeTransport(): Transport {
    return transports[address.kind]({
      address,
      waitMs,
      pause: (tries, cause) => {
        const isTooLate = performance.now() - openedAt > waitMs;
        const isHopeless = isTooLate || isLasting(cause) || isLasting(lastError);
        return !wasReady && isHopeless ? false : connectPauses(tries + 1);
      },
      onError: noteError,
      onReady: () => {
        wasReady = true;
        lastError = undefined;
      },
    });
  }

  /** Of several servers that fail, the error of one that refuses says more than that of one that is away. */
  function noteError(error: unknown): void {
    // The library wraps the errors of the servers that sentinels lead to.
    const said = error instanceof Error ? (error.cause ?? error) : error;
    if (!isLasting(lastError)) lastError = said;
  }

  /** Replaces a transport. Its pending commands fail and are sent again. */
  function reconnect(old: Transport): void {
    if (transport !== old || isClosed) return;
    transport = makeTransport();
    old.destroy();
    transport.connect().catch(noteError);
  }

  function describe(error: unknown, { refused }: Call): StoreError {
    if (error instanceof StoreError) return error;
    const isSpecific = error instanceof ErrorReply || isCertificateError(error);
    const cause = isSpecific ? error : (refused ?? lastError ?? error);
    if (cause instanceof ErrorReply) return refusal(server, cause.message);
    if (isCertificateError(cause)) return certificateRefusal(server, cause);
    return unreachable(server, waitMs, cause);
  }

  /** Retries until there is a reply or a permanent error, or the call is aborted. */
  function send(words: readonly string[], to: Destination, call: Call): Promise<unknown> {
    const { signal } = call;
    let used = transport;
    const replace = () => {
      // The new transport is ready, and has no error, before it has reached the node.
      if (isCertificateError(lastError)) call.refused = lastError;
      reconnect(used);
    };
    const ask = async () => {
      used = transport;
      // The library doesn't notice a cluster's node that hangs, or that it never reached.
      const stalled = isCluster ? setTimeout(replace, stallMs) : undefined;
      try {
        return await used.send(words, to, signal);
      } finally {
        clearTimeout(stalled);
      }
    };
    const pauseAfter = (failures: number, error: unknown) => {
      if (!(error instanceof ErrorReply)) return retryPauseMs;
      // These replies mean that the command had no effect.
      const code = refusalCode(error.message);
      const isDemoted = isDemotedPrimary(error.message);
      // The password changed while connecting.
      if (isSingle && code === 'NOAUTH') reconnect(used);
      if (!isDemoted && !isTransient(error.message)) return undefined;
      if (isDemoted || ['CLUSTERDOWN', 'TRYAGAIN'].includes(code)) call.refused = error;
      if (!isDemoted) return retryPauseMs;
      // Sentinels and clusters say where the new primary is.
      if (isSingle) reconnect(used);
      return demotedPauses(failures);
    };
    return retry(ask, pauseAfter, signal);
  }

  /** Fails a call after `waitMs`, even if the server accepted it. */
  async function bounded<Result>(work: (call: Call) => Promise<Result>): Promise<Result> {
    if (isClosed) throw closed(server);
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const call: Call = { signal };
    const used = transport;
    const late = () => {
      // The connection looks fine but is silent: the host may be gone, which TCP notices after 15 minutes.
      // Through sentinels, a new connection would wait for the silent primary that they still name.
      const mayHelp = address.kind !== 'sentinel' && lastError === undefined;
      if (mayHelp && wasReady) reconnect(used);
      return new Error('no answer');
    };
    const answer = within(work(call), { ms: waitMs, signal, late });
    pending.add(answer);
    try {
      return await answer;
    } catch (error) {
      giveUp.abort();
      throw describe(error, call);
    } finally {
      pending.delete(answer);
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

  /** While a transport is replaced, it has no servers yet. */
  function servers(): Promise<readonly string[]> {
    return bounded(async () => {
      const found = transport.servers();
      if (found.length === 0) throw new Error('no servers are known now');
      return found;
    });
  }

  try {
    await bounded(() => transport.connect());
  } catch (error) {
    // A silent server leaves the connection half open.
    transport.destroy();
    throw error;
  }

  return {
    server,
    run: (script, slot, values) => bounded((call) => runScript(script, slot, values, call)),
    scan: async function* (pattern, limit) {
      for (const server of await servers()) {
        yield* scanServer((cursor) => {
          const words = ['SCAN', cursor, 'MATCH', pattern, 'COUNT', String(limit)];
          return bounded((call) => send(words, { server }, call));
        });
      }
    },
    infos: async () => {
      const infoOf = (server: string) =>
        bounded(async (call) => String(await send(['INFO'], { server }, call)));
      return Promise.all((await servers()).map(infoOf));
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await Promise.allSettled(pending);
      transport.destroy();
    },
  };
}
