/** The bot's own notes, stored among the settings: pending work, and where to find things. */

import type { Json, SettingsStore } from './store.ts';

/** The author of every note. */
const setBy = 'bot';

export interface NotesOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long notes are kept, in milliseconds; absent: until dropped. */
  readonly keptMs?: number;
}

/** Notes by name, in one scope of the settings. Methods throw the store's errors. */
export class Notes {
  readonly #settings: SettingsStore;
  readonly #scope: string;
  readonly #options: NotesOptions;

  constructor(settings: SettingsStore, scope: string, options: NotesOptions) {
    this.#settings = settings;
    this.#scope = scope;
    this.#options = options;
  }

  /** All notes by name, in no particular order. */
  async list(): Promise<ReadonlyMap<string, Json>> {
    const [kept = {}] = await this.#settings.read([this.#scope]);
    return new Map(Object.entries(kept).map(([name, { value }]) => [name, value]));
  }

  /** Adds or replaces notes, all or none; `null` drops one. */
  async put(notes: Readonly<Record<string, Json>>): Promise<void> {
    const { now, keptMs } = this.#options;
    const setAt = now();
    const expires = keptMs !== undefined && { expiresAt: setAt + keptMs };
    await this.#settings.write(this.#scope, notes, { setBy, setAt, ...expires });
  }

  /** Drops the named notes, all or none; without names, the store isn't called. */
  async drop(names: Iterable<string>): Promise<void> {
    const notes = Object.fromEntries(Array.from(names, (name) => [name, null]));
    if (Object.keys(notes).length === 0) return;
    await this.#settings.write(this.#scope, notes, { setBy, setAt: this.#options.now() });
  }

  /** Drops all notes. */
  async clear(): Promise<void> {
    await this.drop((await this.list()).keys());
  }
}
