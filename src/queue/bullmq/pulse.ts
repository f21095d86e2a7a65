import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../../domain/log.ts';
import { LastingTrouble } from '../lasting-trouble.ts';
import type { Commands } from './commands.ts';
import { pulseKey } from './keys.ts';

interface PulseOptions {
  readonly commands: Commands;
  readonly log: Log;
  /** Told that the server has taken a change. */
  readonly onChange: () => void;
}

/**
 * How often it is tried, in milliseconds. More often would cost where commands are paid for; what fails
 * in between is heard of by whoever sent it.
 */
const everyMs = 5000;
/** While something is wrong. */
const soonerMs = 1000;
const keptMs = 60_000;

/** Tries, for as long as the process lives, whether the server takes changes: an idle process knows of it too. */
export class Pulse {
  readonly #options: PulseOptions;
  readonly #end = new AbortController();

  constructor(options: PulseOptions) {
    this.#options = options;
    void this.#beat(this.#end.signal);
  }

  stop(): void {
    this.#end.abort();
  }

  async #beat(signal: AbortSignal): Promise<void> {
    const { commands, log, onChange } = this.#options;
    const trouble = new LastingTrouble(log, 'changes of the queue');
    const expiration = { type: 'PX', value: keptMs } as const;
    let isWell = true;
    while (!signal.aborted) {
      await wait(isWell ? everyMs : soonerMs, undefined, { signal, ref: false }).catch(
        () => undefined,
      );
      if (signal.aborted) return;
      try {
        await commands.once((client) => client.set(pulseKey, '1', { expiration }));
        isWell = true;
        trouble.worked();
        onChange();
      } catch (error) {
        isWell = false;
        if (!signal.aborted) trouble.failed(error);
      }
    }
  }
}
