/** The bot's own notes, kept beside what people set: work that is still to be done, and where to find things. */

import type { Json, SettingsStore } from './store.ts';

/** The author of every note in the store: no person wrote it. */
const setBy = 'bot';

export interface NotesOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long a note is kept, in milliseconds; absent: until it is dropped. */
  readonly keptMs?: number;
}

/** Notes by name, in one scope of the settings. Verbs throw what the store throws. */
export class Notes {
  readonly #settings: SettingsStore;
  readonly #scope: string;
  readonly #options: NotesOptions;

  constructor(settings: SettingsStore, scope: string, options: NotesOptions) {
    this.#settings = settings;
    this.#scope = scope;
    this.#options = options;
  }

  /** All of them by name, in no order. */
  async list(): Promise<ReadonlyMap<string, Json>> {
    const [kept = {}] = await this.#settings.read([this.#scope]);
    return new Map(Object.entries(kept).map(([name, { value }]) => [name, value]));
  }

  /** Adds notes or replaces those of the same names, all or none; `null` drops one. */
  async put(notes: Readonly<Record<string, Json>>): Promise<void> {
    const { now, keptMs } = this.#options;
    const setAt = now();
    const expires = keptMs !== undefined && { expiresAt: setAt + keptMs };
    await this.#settings.write(this.#scope, notes, { setBy, setAt, ...expires });
  }

  /** Drops the notes of these names, all or none; asks nothing of the store where there are none. */
  async drop(names: Iterable<string>): Promise<void> {
    const notes = Object.fromEntries(Array.from(names, (name) => [name, null]));
    if (Object.keys(notes).length === 0) return;
    await this.#settings.write(this.#scope, notes, { setBy, setAt: this.#options.now() });
  }

  /** Drops all that there are. */
  async clear(): Promise<void> {
    await this.drop((await this.list()).keys());
  }
}
