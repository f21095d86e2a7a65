import type { Log } from '../../domain/log.ts';
import { type StopRequests, stopKnownMs } from '../coordination.ts';
import { LastingTrouble } from '../trouble-log.ts';
import type { Commands } from './commands.ts';
import { isConnectionTrouble } from './refusals.ts';
import type { Client } from './server.ts';
import { prefix } from './settings.ts';

/** What is told on it is the turn's id. */
const channel = 'council:stops';
/** A message that was told while the connection was away is found by looking, in milliseconds. */
const lookEveryMs = 1000;

/** Requests that reach every process: told at once, kept for those that do not hear it. */
export class RedisStopRequests implements StopRequests {
  readonly #commands: Commands;
  readonly #watches = new Map<string, Set<() => void>>();
  readonly #end = new AbortController();
  readonly #log: Log;

  private constructor(commands: Commands, log: Log) {
    this.#commands = commands;
    this.#log = log;
  }

  /** @param subscriber - A connection for nothing else. */
  static async open(commands: Commands, subscriber: Client, log: Log): Promise<RedisStopRequests> {
    const requests = new RedisStopRequests(commands, log);
    subscriber.on('message', (_channel, turnId: string) => requests.#stop(turnId));
    await subscriber.subscribe(channel);
    subscriber.on('ready', () => subscriber.subscribe(channel).catch(requests.#unheard));
    const trouble = new LastingTrouble(log, 'searches for requests to stop');
    void trouble.repeat(
      () => lookEveryMs,
      () => requests.#look(),
      requests.#end.signal,
    );
    return requests;
  }

  async request(turnId: string): Promise<void> {
    await this.#commands.send(async (client) => {
      await client.set(stopKey(turnId), '1', 'PX', stopKnownMs);
      await client.publish(channel, turnId);
    });
  }

  async watch(turnId: string, onStop: () => void): Promise<() => void> {
    const watching = this.#watches.get(turnId) ?? new Set();
    this.#watches.set(turnId, watching.add(onStop));
    const end = () => {
      watching.delete(onStop);
      if (watching.size === 0 && this.#watches.get(turnId) === watching) {
        this.#watches.delete(turnId);
      }
    };
    try {
      const isAsked = await this.#commands.send((client) => client.exists(stopKey(turnId)));
      if (isAsked === 1) this.#stop(turnId);
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  async close(): Promise<void> {
    this.#end.abort();
  }

  /** Takes why there is no subscription; of a connection that broke again the watch of the server tells. */
  readonly #unheard = (error: unknown): void => {
    if (isConnectionTrouble(error)) return;
    this.#log.warn(
      { error },
      'requests to stop are polled every second: Redis refuses subscriptions',
    );
  };

  #stop(turnId: string): void {
    const watching = this.#watches.get(turnId);
    this.#watches.delete(turnId);
    for (const onStop of watching ?? []) onStop();
  }

  async #look(): Promise<boolean> {
    const turnIds = [...this.#watches.keys()];
    if (turnIds.length === 0) return false;
    const found = await this.#commands.once((client) => client.mget(turnIds.map(stopKey)));
    for (const [index, turnId] of turnIds.entries()) {
      if (found[index] !== null) this.#stop(turnId);
    }
    return true;
  }
}

function stopKey(turnId: string): string {
  return `${prefix}:stop:${turnId}`;
}
