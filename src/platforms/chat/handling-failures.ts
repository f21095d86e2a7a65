/** Logs and counts incoming events that could not be handled, and keeps their errors from ending the process. */

import type { Log } from '../../domain/log.ts';
import { counted } from '../../domain/words.ts';
import type { ConnectionHealth } from '../platform.ts';

/** How many stack frames are logged. */
const mostFrames = 6;

export class HandlingFailures {
  readonly #log: Log;
  #count = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * @param what - The kind of event, e.g. `MESSAGE_CREATE`; never its content.
   * @param error - Only its name and stack frames are logged, because its message may quote the event.
   */
  note(what: string, error: unknown): void {
    this.#count += 1;
    const { name = 'unknown', stack = '' } = error instanceof Error ? error : {};
    const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
    const at = frames.slice(0, mostFrames).map((frame) => frame.trim());
    const facts = { what, fault: name, at, soFar: this.#count };
    this.#log.error(facts, 'an incoming event could not be handled');
  }

  /**
   * The state of the connection that delivers the events.
   *
   * @param silentSince - Since when events have not arrived, by `performance.now()`; absent: all arrive.
   * @param connected - The text while all events arrive, e.g. `connected to Slack`; failures are appended.
   * @param waiting - The text while some don't.
   */
  health(silentSince: number | undefined, connected: string, waiting: string): ConnectionHealth {
    if (silentSince !== undefined) {
      return { isListening: false, silentMs: performance.now() - silentSince, text: waiting };
    }
    const failed =
      this.#count > 0 ? `; ${counted(this.#count, 'incoming event')} could not be handled` : '';
    return { isListening: true, silentMs: 0, text: `${connected}${failed}` };
  }
}

/**
 * Catches the errors of a method that a library calls with incoming data; they would end the process.
 *
 * @param method - May be private in the library's types.
 * @param onFailed - Receives the error that was thrown or rejected with, and the arguments.
 * @throws If there is no such method, e.g. after an update of the library.
 */
export function guardMethod(
  owner: object,
  method: string,
  onFailed: (error: unknown, given: readonly unknown[]) => void,
): void {
  const handle: unknown = Reflect.get(owner, method);
  if (typeof handle !== 'function') {
    throw new Error(`${owner.constructor.name} has no method ${method} to guard.`);
  }
  const guarded = (...given: readonly unknown[]): unknown => {
    try {
      const done: unknown = Reflect.apply(handle, owner, given);
      if (!(done instanceof Promise)) return done;
      return done.catch((error: unknown) => onFailed(error, given));
    } catch (error) {
      return onFailed(error, given);
    }
  };
  Object.defineProperty(owner, method, { value: guarded, configurable: true });
}
