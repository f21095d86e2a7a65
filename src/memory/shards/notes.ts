/** Which turns shards are still to be made of: noted while the turn runs, so that the death of a process loses none. */

import { z } from 'zod';
import type { SettingsStore } from '../../store/store.ts';

const noteSchema = z.object({
  turnId: z.string(),
  threadId: z.string(),
  /** Milliseconds since 1970. */
  notedAt: z.number(),
  /** How often in a row it could not be done. */
  failures: z.number(),
  /** It is not tried before this moment, in milliseconds since 1970. */
  notBefore: z.number(),
});

/** One turn that shards are to be made of. Holds nothing that was said. */
export type ShardNote = z.infer<typeof noteSchema>;

const scope = 'shards:due';
const setBy = 'shards';
/** A turn that did not come to its end in so long a time never will. */
const keptMs = 7 * 24 * 60 * 60 * 1000;

export class ShardNotes {
  readonly #settings: SettingsStore;
  readonly #now: () => number;

  /** @param now - Milliseconds since 1970. */
  constructor(settings: SettingsStore, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /** All there are, each once. Throws what the store throws, as all verbs do. */
  async read(): Promise<readonly ShardNote[]> {
    const [kept = {}] = await this.#settings.read([scope]);
    return Object.values(kept).map(({ value }) => noteSchema.parse(value));
  }

  async add({ turnId, threadId }: Pick<ShardNote, 'turnId' | 'threadId'>): Promise<void> {
    const note = { turnId, threadId, notedAt: this.#now(), failures: 0, notBefore: 0 };
    await this.#write([note], note);
  }

  /** Puts them off after a failure: by a pause that doubles each time. */
  async postpone(notes: readonly ShardNote[], firstPauseMs: number): Promise<void> {
    const failures = Math.max(0, ...notes.map((note) => note.failures)) + 1;
    const notBefore = this.#now() + firstPauseMs * 2 ** (failures - 1);
    await this.#write(notes, { failures, notBefore });
  }

  async remove(notes: readonly Pick<ShardNote, 'turnId'>[]): Promise<void> {
    if (notes.length === 0) return;
    const names = notes.map(({ turnId }) => [turnId, null]);
    await this.#settings.write(scope, Object.fromEntries(names), { setBy, setAt: this.#now() });
  }

  async #write(notes: readonly ShardNote[], changes: Partial<ShardNote>): Promise<void> {
    const setAt = this.#now();
    const values = notes.map((note) => [note.turnId, { ...note, ...changes }]);
    const by = { setBy, setAt, expiresAt: setAt + keptMs };
    await this.#settings.write(scope, Object.fromEntries(values), by);
  }
}
