/** What can be forgotten, and the notes of pending work: written before the first step and dropped after the last, so that a crash leaves nothing half forgotten. */

import { z } from 'zod';
import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import { Notes, type SettingsStore } from '../../store/store.ts';

/** Set if the question was deleted in chat: the bot's posts about it are emptied as well. */
const takenBack = { isTakenBack: z.literal(true).exactOptional() };

/** Stored while it is being forgotten; ids alone. */
const forgetSubjectSchema = z.discriminatedUnion('kind', [
  /** A question and everything derived from it. */
  z.object({ kind: z.literal('turn'), threadId: z.string(), turnId: z.string(), ...takenBack }),
  /** A message's turn, or just the message if it was imported without one. */
  z.object({ kind: z.literal('message'), threadId: z.string(), messageId: z.string() }),
  /** The sources of a shard: as long as they exist, the shard would be made again. */
  z.object({ kind: z.literal('shard'), threadId: z.string(), shardId: z.string() }),
  /** Everything that a person asked in a workspace (`platform:workspace`), and everything that turns overheard them say. */
  z.object({ kind: z.literal('person'), workspace: z.string(), personId: z.string() }),
  /** A message between people, in every turn that overheard it. */
  z.object({
    kind: z.literal('post'),
    /** Its `platform:workspace:channel`. */
    place: z.string(),
    postId: z.string(),
    /** Milliseconds since 1970. */
    postedAt: z.number(),
  }),
  z.object({ kind: z.literal('thread'), threadId: z.string(), ...takenBack }),
  /** All threads of a channel (`platform:workspace:channel`), but not its settings. */
  z.object({ kind: z.literal('channel'), channel: z.string() }),
  /** Everything of a workspace (`platform:workspace`), including its channels' settings. */
  z.object({ kind: z.literal('workspace'), workspace: z.string() }),
]);
export type ForgetSubject = z.infer<typeof forgetSubjectSchema>;

/** The workspace (`platform:workspace`) of a subject. */
export function workspaceOfSubject(subject: ForgetSubject): string {
  switch (subject.kind) {
    case 'person':
    case 'workspace':
      return subject.workspace;
    case 'channel':
      return workspaceOf(`${subject.channel}:`);
    case 'post':
      return workspaceOf(`${subject.place}:`);
    default:
      return workspaceOf(subject.threadId);
  }
}

/** Whether a subject covers all of a thread. */
export function coversThread(subject: ForgetSubject, threadId: string): boolean {
  switch (subject.kind) {
    case 'thread':
      return subject.threadId === threadId;
    case 'channel':
      return subject.channel === channelOf(threadId);
    case 'workspace':
      return subject.workspace === workspaceOf(threadId);
    default:
      return false;
  }
}

/** Whether a subject may leave part of a thread behind. */
export function isPartial({ kind }: ForgetSubject): boolean {
  return kind !== 'thread' && kind !== 'channel' && kind !== 'workspace';
}

const noteSchema = z.object({
  id: z.string(),
  subject: forgetSubjectSchema,
  /** Milliseconds since 1970. */
  notedAt: z.number(),
  /** When to forget it, in milliseconds since 1970, unless the bot is back by then. Absent: at once. */
  dueAt: z.number().exactOptional(),
});

/** A subject to forget. Contains ids only, no text. */
export type ForgetNote = z.infer<typeof noteSchema>;

/** One scope for all workspaces, because a process that resumes after a crash knows none of them. */
export const dueScope = 'forgetting:due';
/**
 * Prefix of the notes that the store's file may contain traces of forgotten data: one for everything
 * forgotten since the last scrub, and one for each scrub in progress.
 */
const traces = 'traces';

export class ForgetNotes {
  readonly #notes: Notes;
  readonly #now: () => number;

  /** @param now - Milliseconds since 1970. */
  constructor(settings: SettingsStore, now: () => number) {
    this.#notes = new Notes(settings, dueScope, { now });
    this.#now = now;
  }

  /** The pending subjects, oldest first. Like all methods, throws what the store throws. */
  async read(): Promise<readonly ForgetNote[]> {
    return [...(await this.#notes.list())]
      .flatMap(([name, value]) => (name.startsWith(traces) ? [] : [noteSchema.parse(value)]))
      .toSorted((one, other) => one.notedAt - other.notedAt);
  }

  /**
   * Claims the current traces for a scrub; later ones get a new note.
   *
   * @returns A function that records the scrub as done; `undefined` if there is nothing to scrub.
   */
  async claimTraces(id: string): Promise<(() => Promise<void>) | undefined> {
    const kept = [...(await this.#notes.list()).keys()].filter((name) => name.startsWith(traces));
    if (kept.length === 0) return undefined;
    const own = `${traces} ${id}`;
    const taken = Object.fromEntries(kept.map((name) => [name, null]));
    await this.#notes.put({ ...taken, [own]: true });
    return () => this.#notes.drop([own]);
  }

  async add(id: string, subject: ForgetSubject): Promise<ForgetNote> {
    const note = { id, subject, notedAt: this.#now() };
    await this.#notes.put({ [id]: note });
    return note;
  }

  /** @param workspace - `platform:workspace`. A repeated call replaces the due time. */
  async addDeparture(workspace: string, dueAt: number): Promise<void> {
    const subject = { kind: 'workspace', workspace } as const;
    const id = `departure:${workspace}`;
    await this.#notes.put({ [id]: { id, subject, notedAt: this.#now(), dueAt } });
  }

  /** Makes a departure final: from now on the platform is not asked again. */
  async confirm({ id, subject, notedAt }: ForgetNote): Promise<void> {
    await this.#notes.put({ [id]: { id, subject, notedAt } });
  }

  /** Records that a subject is forgotten, except for traces in the store's file. */
  async setForgotten({ id }: ForgetNote): Promise<void> {
    await this.#notes.put({ [id]: null, [traces]: true });
  }

  /** Cancels a subject. */
  async remove({ id }: ForgetNote): Promise<void> {
    await this.#notes.drop([id]);
  }
}
