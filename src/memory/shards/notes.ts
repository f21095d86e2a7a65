/** Notes of the turns that still need shards, written while the turn runs so that a crash loses none. */

import { z } from 'zod';
import { Notes, type SettingsStore } from '../../store/store.ts';

const noteSchema = z.object({
  /** For an imported thread, another unique key. */
  turnId: z.string(),
  threadId: z.string(),
  /** Milliseconds since 1970. */
  notedAt: z.number(),
  /** Consecutive failures. */
  failures: z.number(),
  /** When to try next, in milliseconds since 1970. */
  notBefore: z.number(),
});

/** A turn or an imported thread that needs shards. Contains ids only, no text. */
export type ShardNote = z.infer<typeof noteSchema>;

const scope = 'shards:due';
/** A turn that has not ended by then never will. */
const keptMs = 7 * 24 * 60 * 60 * 1000;

export class ShardNotes {
  readonly #notes: Notes;
  readonly #now: () => number;

  /** @param now - Milliseconds since 1970. */
  constructor(settings: SettingsStore, now: () => number) {
    this.#notes = new Notes(settings, scope, { now, keptMs });
    this.#now = now;
  }

  /** All notes. Like all methods, throws what the store throws. */
  async read(): Promise<readonly ShardNote[]> {
    const kept = await this.#notes.list();
    return Array.from(kept.values(), (value) => noteSchema.parse(value));
  }

  async add({ turnId, threadId }: Pick<ShardNote, 'turnId' | 'threadId'>): Promise<void> {
    const note = { turnId, threadId, notedAt: this.#now(), failures: 0, notBefore: 0 };
    await this.#notes.put({ [turnId]: note });
  }

  /** Delays notes after a failure; the pause doubles each time. */
  async postpone(notes: readonly ShardNote[], firstPauseMs: number): Promise<void> {
    const failures = Math.max(0, ...notes.map((note) => note.failures)) + 1;
    const notBefore = this.#now() + firstPauseMs * 2 ** (failures - 1);
    const put = notes.map((note) => [note.turnId, { ...note, failures, notBefore }]);
    await this.#notes.put(Object.fromEntries(put));
  }

  async remove(notes: readonly Pick<ShardNote, 'turnId'>[]): Promise<void> {
    await this.#notes.drop(notes.map(({ turnId }) => turnId));
  }
}
