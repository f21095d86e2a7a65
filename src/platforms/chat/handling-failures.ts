/** Events from outside whose handling failed: they are logged and counted, and the process goes on. */

import type { Log } from '../../domain/log.ts';
import { counted } from '../../domain/words.ts';
import type { ConnectionHealth } from '../platform.ts';

/** Frames of a stack that are logged. */
const mostFrames = 6;

export class HandlingFailures {
  readonly #log: Log;
  #count = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * @param what - The kind of thing that came, e.g. `MESSAGE_CREATE`; never what a person said.
   * @param error - Only its name and where it was thrown are logged: its message may quote what came.
   */
  note(what: string, error: unknown): void {
    this.#count += 1;
    const { name = 'unknown', stack = '' } = error instanceof Error ? error : {};
    const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
    const at = frames.slice(0, mostFrames).map((frame) => frame.trim());
    const facts = { what, fault: name, at, soFar: this.#count };
    this.#log.error(facts, 'an incoming event could not be handled; going on');
  }

  /**
   * The state of the connection that these events came over.
   *
   * @param silentSince - By `performance.now()`; absent while everything comes in.
   * @param connected - What is said of it then, e.g. `connected to Slack`; failures are added.
   * @param waiting - What is said of it while something stays out.
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
 * Puts a catch around a method that a library calls with what comes in. Libraries let what they throw
 * there end the process.
 *
 * @param method - May be private: the types of libraries do not tell of the only place to stand.
 * @param onFailed - Given what was thrown, or what a promise was rejected with.
 * @throws When there is no such method, e.g. after an update of the library.
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
