/** The seam between what the store does and how a server is reached. */

import { createHash } from 'node:crypto';

/** A script that the server runs as one step: all of it or, when it refuses, nothing. */
export interface Script {
  readonly source: string;
  /** By which the server knows a source that it has seen. */
  readonly sha1: string;
}

/** A portion of the keys that there are. */
export interface ScannedKeys {
  readonly keys: readonly string[];
  /** To be given for the next portion; absent: this was the last. */
  readonly next?: string;
  /** How much is gone through by now, from 0 to 1. */
  readonly share: number;
}

/** One or several servers that run scripts. */
export interface Commands {
  /**
   * Runs a script. What is asked for in one tick of the event loop goes out together, in order for each
   * server.
   *
   * When the connection breaks before the answer is there, the same is sent again: scripts that write
   * are given a name of the call, by which they know it again. Waits a bounded time for the server.
   *
   * @param slot - What the keys begin with that it reaches; all of them are in one slot of a cluster.
   * @returns What the script returns: text, whole numbers, `null` and lists of these.
   * @throws {@link StoreError} in words for the operator.
   */
  run(script: Script, slot: string, values: readonly string[]): Promise<unknown>;
  /**
   * Gives names of keys, on all servers, one after the other; for maintenance. One may come twice.
   *
   * @param cursor - `next` of the portion before; absent: from the beginning.
   * @param limit - About how many keys are looked at.
   */
  scan(cursor: string | undefined, pattern: string, limit: number): Promise<ScannedKeys>;
  /** Waits for what is under way, and lets go of the server. */
  close(): Promise<void>;
}

/** Makes a script of its source in Lua. */
export function script(source: string): Script {
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}

/**
 * What a script names as its keys. There are none of these names; those that it reaches begin with the
 * first. While a cluster moves a slot, its keys are on two servers, and a script would find half of
 * them: but one that names two keys which a server has not both is refused by it, before its first
 * change, until the slot is where it belongs.
 */
export function keysOfSlot(slot: string): readonly [string, string] {
  return [slot, `${slot}moving`];
}
