/** What can be forgotten, and what is still to be: noted before the first step and dropped after the last, so that a crash in between leaves nothing half forgotten. */

import { z } from 'zod';
import { partsOf } from '../../domain/thread-id.ts';
import { Notes, type SettingsStore } from '../../store/store.ts';

/** It was deleted where people talk: what shows it there is emptied as well. */
const takenBack = { isTakenBack: z.literal(true).exactOptional() };

/** As it is kept while it is being forgotten: ids alone. */
const forgetSubjectSchema = z.discriminatedUnion('kind', [
  /** A question with all that came of it. */
  z.object({ kind: z.literal('turn'), threadId: z.string(), turnId: z.string(), ...takenBack }),
  /** The turn that a message is of; an imported message of no turn here alone. */
  z.object({ kind: z.literal('message'), threadId: z.string(), messageId: z.string() }),
  /** What a shard was made of: of what stays, it would be made again. */
  z.object({ kind: z.literal('shard'), threadId: z.string(), shardId: z.string() }),
  /** All that a person has asked in a workspace (`platform:workspace`), and what turns there have heard them say. */
  z.object({ kind: z.literal('person'), workspace: z.string(), personId: z.string() }),
  /** A message that people wrote to each other, out of what turns have heard of it. */
  z.object({
    kind: z.literal('post'),
    /** `platform:workspace:channel` that it stood in. */
    place: z.string(),
    postId: z.string(),
    /** Milliseconds since 1970. */
    postedAt: z.number(),
  }),
  z.object({ kind: z.literal('thread'), threadId: z.string(), ...takenBack }),
  /** `platform:workspace:channel`: all its threads. What the channel is set to stays. */
  z.object({ kind: z.literal('channel'), channel: z.string() }),
  /** `platform:workspace`: everything, what its channels are set to included. */
  z.object({ kind: z.literal('workspace'), workspace: z.string() }),
]);
export type ForgetSubject = z.infer<typeof forgetSubjectSchema>;

/** The workspace (`platform:workspace`) that a subject is of. */
export function workspaceOfSubject(subject: ForgetSubject): string {
  switch (subject.kind) {
    case 'person':
    case 'workspace':
      return subject.workspace;
    case 'channel':
      return workspaceIn(subject.channel);
    case 'post':
      return workspaceIn(subject.place);
    default:
      return workspaceIn(subject.threadId);
  }
}

/** Whether something of a thread may stay. */
export function isPartial({ kind }: ForgetSubject): boolean {
  return kind === 'turn' || kind === 'message' || kind === 'shard' || kind === 'person';
}

/** Of the id of a channel as of that of a thread. */
function workspaceIn(id: string): string {
  const { platform, workspace } = partsOf(id);
  return `${platform}:${workspace}`;
}

const noteSchema = z.object({
  id: z.string(),
  subject: forgetSubjectSchema,
  /** Milliseconds since 1970. */
  notedAt: z.number(),
  /** Not before, in milliseconds since 1970, and only if the bot is not back by then; absent: at once. */
  dueAt: z.number().exactOptional(),
});

/** A subject to forget. Holds nothing that was said. */
export type ForgetNote = z.infer<typeof noteSchema>;

/** One scope for all workspaces, because the process that continues after a crash knows none of them. */
export const dueScope = 'forgetting:due';
/**
 * Begins the names of notes that say that the store's file may hold traces of what has gone: one for all of
 * it, so that they do not pile up, and another for what is being cleared.
 */
const traces = 'traces';

const oldNote = z.object({ isForgotten: z.literal(true) });

/** Also the note of a subject that an earlier version has forgotten: it kept one for each. */
function isOfTraces(name: string, value: unknown): boolean {
  return name.startsWith(traces) || oldNote.safeParse(value).success;
}

export class ForgetNotes {
  readonly #notes: Notes;
  readonly #now: () => number;

  /** @param now - Milliseconds since 1970. */
  constructor(settings: SettingsStore, now: () => number) {
    this.#notes = new Notes(settings, dueScope, { now });
    this.#now = now;
  }

  /** The oldest first. Throws what the store throws, as all verbs do. */
  async read(): Promise<readonly ForgetNote[]> {
    return [...(await this.#notes.list())]
      .flatMap(([name, value]) => (isOfTraces(name, value) ? [] : [noteSchema.parse(value)]))
      .toSorted((one, other) => one.notedAt - other.notedAt);
  }

  /**
   * Takes up what is to be cleared of traces; what is forgotten from then on is noted anew.
   *
   * @returns What notes that it is cleared; absent: there is nothing to clear.
   */
  async takeTraces(id: string): Promise<(() => Promise<void>) | undefined> {
    const kept = [...(await this.#notes.list())].filter(([name, value]) => isOfTraces(name, value));
    if (kept.length === 0) return undefined;
    const own = `${traces} ${id}`;
    const taken = Object.fromEntries(kept.map(([name]) => [name, null]));
    await this.#notes.put({ ...taken, [own]: true });
    return () => this.#notes.drop([own]);
  }

  async add(id: string, subject: ForgetSubject): Promise<ForgetNote> {
    const note = { id, subject, notedAt: this.#now() };
    await this.#notes.put({ [id]: note });
    return note;
  }

  /** @param workspace - `platform:workspace`. Noted again, it is due by the new time alone. */
  async addDeparture(workspace: string, dueAt: number): Promise<void> {
    const subject = { kind: 'workspace', workspace } as const;
    const id = `departure:${workspace}`;
    await this.#notes.put({ [id]: { id, subject, notedAt: this.#now(), dueAt } });
  }

  /** It is due, and goes whatever the platform says from now on. */
  async setCertain({ id, subject, notedAt }: ForgetNote): Promise<void> {
    await this.#notes.put({ [id]: { id, subject, notedAt } });
  }

  /** All of it has gone, but the store's file may hold traces. */
  async setForgotten({ id }: ForgetNote): Promise<void> {
    await this.#notes.put({ [id]: null, [traces]: true });
  }

  /** It is not meant any more. */
  async remove({ id }: ForgetNote): Promise<void> {
    await this.#notes.drop([id]);
  }
}
