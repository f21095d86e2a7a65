/** The seam between what the store does and how a server is reached. */

import { createHash } from 'node:crypto';

/** A script that the server runs as one step: all of it or, when it refuses, nothing. */
export interface Script {
  readonly source: string;
  /** By which the server knows a source that it has seen. */
  readonly sha1: string;
}

/** A server that runs scripts. */
export interface Commands {
  /**
   * Runs a script. What is asked for in one tick of the event loop goes out together, in order.
   *
   * When the connection breaks before the answer is there, the same is sent again: scripts that write
   * are given a name of the call, by which they know it again. Waits a bounded time for the server.
   *
   * @returns What the script returns: text, whole numbers, `null` and lists of these.
   * @throws {@link StoreError} in words for the operator.
   */
  run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown>;
  /** Waits for what is under way, and lets go of the server. */
  close(): Promise<void>;
}

/** Makes a script of its source in Lua. */
export function script(source: string): Script {
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}
