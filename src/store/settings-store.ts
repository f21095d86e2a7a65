/** What somebody has set, by scope and name, as a store keeps it. */

import type { Json, JsonObject } from './store.ts';

/** One setting as somebody made it. `null` as a value stands for "not set here". */
export interface StoredSetting {
  readonly value: Json;
  readonly setBy: string;
  readonly setAt: number;
}
export type StoredSettings = { readonly [name: string]: StoredSetting };

/**
 * Scopes of settings, as those of spending, are named `<kind>:<platform>:<workspace>[:…]`: by it a
 * backend keeps what is a workspace's together. One of fewer parts belongs to no workspace.
 */
export interface SettingsStore {
  /** The settings of each scope, in the order asked for; `{}` where none were made. */
  read(scopes: readonly string[]): Promise<readonly StoredSettings[]>;
  /**
   * Sets the named settings of one scope and leaves the others; a value of `null` removes one.
   *
   * @param by.expiresAt - Milliseconds since 1970, from when on what is written here is absent; absent:
   *   it stays.
   */
  write(
    scope: string,
    changes: JsonObject,
    by: { readonly setBy: string; readonly setAt: number; readonly expiresAt?: number },
  ): Promise<void>;
}
