import type { Log } from '../../domain/log.ts';
import { type StopRequests, stopKnownMs } from '../coordination.ts';
import { LastingTrouble } from '../trouble-log.ts';
import type { Commands } from './commands.ts';
import { prefix } from './settings.ts';

/** How often a process looks for what others have requested, in milliseconds; one request, if it watches any turn. */
const lookEveryMs = 500;

/** Requests that reach every process: each looks for those of the turns that it watches. */
export class RedisStopRequests implements StopRequests {
  readonly #commands: Commands;
  readonly #watches = new Map<string, Set<() => void>>();
  readonly #end = new AbortController();

  constructor(commands: Commands, log: Log) {
    this.#commands = commands;
    const trouble = new LastingTrouble(log, 'searches for requests to stop');
    void trouble.repeat(
      () => lookEveryMs,
      () => this.#look(),
      this.#end.signal,
    );
  }

  async request(turnId: string): Promise<void> {
    await this.#commands.send((client) => client.set(stopKey(turnId), '1', 'PX', stopKnownMs));
    this.#stop(turnId);
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
