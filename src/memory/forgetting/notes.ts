/** What is still to be forgotten: noted before the first step and taken out after the last, so that a death in between leaves no half. */

import { z } from 'zod';
import type { SettingsStore } from '../../store/store.ts';
import { type ForgetSubject, forgetSubjectSchema } from './subject.ts';

const noteSchema = z.object({
  id: z.string(),
  subject: forgetSubjectSchema,
  /** All of it has gone, but the store's file may hold traces. */
  isForgotten: z.boolean(),
  /** Milliseconds since 1970. */
  notedAt: z.number(),
  /** Not before, in milliseconds since 1970, and only if the bot is not back by then; absent: at once. */
  dueAt: z.number().exactOptional(),
});

/** One subject that is to be forgotten. Holds nothing that was said. */
export type ForgetNote = z.infer<typeof noteSchema>;

/** One for all workspaces, because whoever goes on with it after a death knows of none. */
const scope = 'forgetting:due';
const setBy = 'forgetting';

export class ForgetNotes {
  readonly #settings: SettingsStore;
  readonly #now: () => number;

  /** @param now - Milliseconds since 1970. */
  constructor(settings: SettingsStore, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /** The oldest first. Throws what the store throws, as all verbs do. */
  async read(): Promise<readonly ForgetNote[]> {
    const [kept = {}] = await this.#settings.read([scope]);
    return Object.values(kept)
      .map(({ value }) => noteSchema.parse(value))
      .toSorted((one, other) => one.notedAt - other.notedAt);
  }

  async add(id: string, subject: ForgetSubject): Promise<ForgetNote> {
    const note = { id, subject, isForgotten: false, notedAt: this.#now() };
    await this.#write({ [id]: note });
    return note;
  }

  /** @param workspace - `platform:workspace`. Noted again, it is due by the new time alone. */
  async addDeparture(workspace: string, dueAt: number): Promise<void> {
    const subject = { kind: 'workspace', workspace } as const;
    const id = `departure:${workspace}`;
    await this.#write({
      [id]: { id, subject, isForgotten: false, notedAt: this.#now(), dueAt },
    });
  }

  /** It is due, and nobody is asked about it any more. */
  async setCertain({ id, subject, isForgotten, notedAt }: ForgetNote): Promise<void> {
    await this.#write({ [id]: { id, subject, isForgotten, notedAt } });
  }

  async setForgotten(note: ForgetNote): Promise<void> {
    await this.#write({ [note.id]: { ...note, isForgotten: true } });
  }

  async remove(notes: readonly ForgetNote[]): Promise<void> {
    await this.#write(Object.fromEntries(notes.map(({ id }) => [id, null])));
  }

  async #write(changes: Readonly<Record<string, ForgetNote | null>>): Promise<void> {
    await this.#settings.write(scope, changes, { setBy, setAt: this.#now() });
  }
}
