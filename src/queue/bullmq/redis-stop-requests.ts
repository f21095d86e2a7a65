import type { Log } from '../../domain/log.ts';
import { type StopRequests, stopKnownMs } from '../coordination.ts';
import { LastingTrouble } from '../trouble-log.ts';
import type { Commands } from './commands.ts';
import { prefix } from './keys.ts';
import type { Client } from './server.ts';

/** What is told on it is the turn's id. */
const channel = 'council:stops';
/** A message that was told while the connection was away is found by looking, in milliseconds. */
const lookEveryMs = 1000;

/** Requests that reach every process: told at once, kept for those that do not hear it. */
export class RedisStopRequests implements StopRequests {
  readonly #commands: Commands;
  readonly #trouble: LastingTrouble;
  readonly #watches = new Map<string, Set<() => void>>();
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  private constructor(commands: Commands, log: Log) {
    this.#commands = commands;
    this.#trouble = new LastingTrouble(log, 'searches for requests to stop');
    this.#timer = setInterval(() => void this.#look(), lookEveryMs);
    this.#timer.unref();
  }

  /** @param subscriber - A connection that takes no other commands. */
  static async open(commands: Commands, subscriber: Client, log: Log): Promise<RedisStopRequests> {
    let hear = (_turnId: string): void => undefined;
    subscriber.on('message', (from, turnId: string) => from === channel && hear(turnId));
    await subscriber.subscribe(channel);
    const requests = new RedisStopRequests(commands, log);
    hear = (turnId) => requests.#stop(turnId);
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
    clearInterval(this.#timer);
  }

  #stop(turnId: string): void {
    const watching = this.#watches.get(turnId);
    this.#watches.delete(turnId);
    for (const onStop of watching ?? []) onStop();
  }

  async #look(): Promise<void> {
    const turnIds = [...this.#watches.keys()];
    if (turnIds.length === 0 || this.#isLooking) return;
    this.#isLooking = true;
    try {
      const found = await this.#commands.once((client) => client.mget(turnIds.map(stopKey)));
      for (const [index, turnId] of turnIds.entries()) {
        if (found[index] !== null) this.#stop(turnId);
      }
      this.#trouble.worked();
    } catch (error) {
      this.#trouble.failed(error);
    } finally {
      this.#isLooking = false;
    }
  }
}

function stopKey(turnId: string): string {
  return `${prefix}:stop:${turnId}`;
}
