/** Records and interfaces for messages and turns. */

import { z } from 'zod';
import { modelCallSchema } from '../domain/turn.ts';

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** A boolean; backends may store it as a number. */
export const flag = z.union([z.boolean(), z.number()]).transform(Boolean);

/** The content of a message. Old records may contain a bare string, which is the text, or another JSON value. */
const content = z
  .custom<Json>((value) => value !== undefined)
  .transform((value): JsonObject => {
    if (isJsonObject(value)) return value;
    return { text: typeof value === 'string' ? value : JSON.stringify(value) };
  });

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const messageSchema = z.object({
  /** Unique in its thread. */
  id: z.string(),
  threadId: z.string(),
  /** Absent only in imported messages. */
  turnId: z.string().exactOptional(),
  role: z.enum(['human', 'ai']),
  type: z.enum(['user_query', 'sage_output']),
  /** `pending` from when the sage is seated until it has finished. */
  status: z.enum(['pending', 'complete']),
  /** Key of the speaking sage, for `ai`. */
  sage: z.string().exactOptional(),
  /** Display name of the person, for `human`. */
  author: z.string().exactOptional(),
  /** `{type:'user_query', text}`, `{type:'sage_output', sage, answer, summary, status, …}`, or the imported content. */
  content,
  /** Milliseconds since 1970. Orders the messages of a thread; ties go by the order of storing. */
  createdAt: z.number(),
  /**
   * What it replies to. For an `ai` message, the question's id; for a question, the post it replies to as
   * `platform:workspace:id`, which is also the event id of that post's turn if it has one. Absent: nothing or
   * unknown.
   */
  parentId: z.string().exactOptional(),
  /** Whether it is from a private channel or a direct message. Absent: unknown, and treated as private. */
  isPrivate: flag.exactOptional(),
  /** The platform's id of the post that shows it. */
  platformMessageId: z.string().exactOptional(),
});
/** A person's question or a sage's answer. */
export type Message = Readonly<z.infer<typeof messageSchema>>;

/** A human message and the `ai` messages that belong to it. */
export interface Interaction {
  /** Absent for imported messages without one: those are grouped from one human message up to the next. */
  readonly turnId?: string;
  readonly question: Message;
  /** Complete messages in the thread's order, at most 100. */
  readonly answers: readonly Message[];
  /** The data of the turn's last `verdict` step, if it has one. */
  readonly verdict?: JsonObject;
}

/** A page of a place's threads. */
export interface ThreadPage {
  readonly threadIds: readonly string[];
  /** The cursor of the next page, valid even if this page's threads are deleted; absent on the last page. */
  readonly next?: string;
}

export interface MessageStore {
  /** Adds messages that came from no turn here. Messages with known ids stay unchanged. */
  append(messages: readonly Message[]): Promise<void>;
  /**
   * The last interactions of a thread, oldest first, at most `limit` (1 to 50), without the turn
   * `exceptTurnId`, unfinished turns, and questions from `before` (ms since 1970) on.
   */
  recent(
    threadId: string,
    options: { readonly limit: number; readonly exceptTurnId?: string; readonly before?: number },
  ): Promise<readonly Interaction[]>;
  /** Messages of a thread created before `before` (ms since 1970), newest first, at most `limit` (1 to 500). */
  page(
    threadId: string,
    options: { readonly limit: number; readonly before?: number },
  ): Promise<readonly Message[]>;
  /**
   * The threads of a place that have messages, each once, in no particular order. Threads that change during
   * the listing may be missing.
   *
   * @param place - A workspace (`platform:workspace`) or a channel (`platform:workspace:channel`).
   * @param options.limit - 1 to 500; a page with fewer threads isn't necessarily the last.
   * @param options.after - `next` of the previous page; absent: the first page.
   */
  threads(
    place: string,
    options: { readonly limit: number; readonly after?: string },
  ): Promise<ThreadPage>;
}

export const turnHeaderSchema = z.object({
  turnId: z.string(),
  threadId: z.string(),
  status: z.enum(['queued', 'running', 'ended']),
  /** How often the turn was taken, starting at 0. It fences the turn's checkpoints. */
  attempt: z.number(),
  /** How it ended, in the caller's words; absent until then. */
  outcome: z.string().exactOptional(),
  /** The platform's id of the asker, if known. */
  askedBy: z.string().exactOptional(),
  createdAt: z.number(),
  endedAt: z.number().exactOptional(),
});
/** A turn without its contents. */
export type TurnHeader = Readonly<z.infer<typeof turnHeaderSchema>>;

/** A finished step of a turn other than an answer, e.g. `{kind: 'reviewed', key: 'nassim_taleb', data: {…}}`. */
export interface Step {
  readonly kind: string;
  /** Identifies the step within its kind. Storing the same kind and key again replaces it. */
  readonly key: string;
  readonly data: JsonObject;
}

/** The usage of a model call, without the turn and thread of its group. */
export const usageSchema = modelCallSchema.extend({
  /** Unique in its turn: an event stored twice counts once. */
  id: z.string(),
  /** The person who asked. */
  user: z.string(),
  sageName: z.string().exactOptional(),
  estimated: flag,
  createdAt: z.number(),
});
/** A stored model call. */
export type UsageEvent = Readonly<z.infer<typeof usageSchema>> &
  Pick<TurnHeader, 'turnId' | 'threadId'>;

/**
 * A turn group: the turn, its messages in the thread's order (including pending ones), and its steps and
 * usage in the order in which each was first stored.
 */
export interface TurnRecord extends TurnHeader {
  readonly request: JsonObject;
  readonly messages: readonly Message[];
  readonly steps: readonly Step[];
  readonly usage: readonly UsageEvent[];
}

/** Selected steps of a turn. */
export interface TurnSteps extends Pick<TurnHeader, 'turnId' | 'threadId' | 'createdAt'> {
  /** In the order they were first stored. */
  readonly steps: readonly Step[];
}

/** A page of the steps of a place's turns. */
export interface StepPage {
  readonly turns: readonly TurnSteps[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
}

/** Identifies a turn within a workspace, e.g. a {@link TurnHeader}. Turns of other workspaces aren't found. */
export interface TurnKey {
  readonly turnId: string;
  /** Its thread, or any thread of the same workspace. */
  readonly threadId: string;
}

/** Identifies the turn of a workspace that an event started. */
export interface EventKey {
  readonly eventId: string;
  /** Like that of a {@link TurnKey}. */
  readonly threadId: string;
}

/** A turn to store. */
export interface NewTurn {
  /** Unique in the whole store; a backend may check only its workspace. */
  readonly turnId: string;
  readonly threadId: string;
  /**
   * The event that started it; an event never starts a second turn in its workspace. Unique in the whole
   * store: prefix the platform's id with platform and workspace, because other platforms may use the same ids.
   */
  readonly eventId: string;
  /** The platform's id of the asker, used to find their questions. */
  readonly askedBy?: string;
  readonly request: JsonObject;
  /** Of this turn and thread. A message imported earlier under the same id becomes the turn's. */
  readonly question: Message;
  /** Steps known before the turn runs. */
  readonly steps?: readonly Step[];
  readonly createdAt: number;
}

/** The result of {@link TurnStore.begin}. */
export interface BegunTurn {
  readonly turnId: string;
  /** `false`: the event was claimed before, and nothing was stored. */
  readonly isNew: boolean;
  /**
   * Unfinished turns stored earlier in its thread, oldest first, back to the last one that has ended. Their
   * process may have died before queuing them.
   */
  readonly earlier: readonly string[];
}

/** Finished parts of a turn, to be written atomically. */
export interface Checkpoint {
  readonly turnId: string;
  /** The turn's. */
  readonly threadId: string;
  /** From {@link TurnStore.take}. */
  readonly attempt: number;
  /**
   * Of this turn and thread. A message whose id the turn already has is replaced, keeping its `createdAt`
   * and its place in the thread.
   */
  readonly messages?: readonly Message[];
  readonly steps?: readonly Step[];
  /** Of this turn and thread. */
  readonly usage?: readonly UsageEvent[];
  /** Present in the last checkpoint of a turn. */
  readonly end?: { readonly outcome: string; readonly endedAt: number };
}

export interface TurnStore {
  /**
   * Claims the event and stores the turn with its question, atomically.
   *
   * @returns The turn's id; if the event was claimed before, the id of its turn. If that turn was forgotten
   *   less than a day ago, the given id, which then belongs to no turn.
   * @throws If another turn has the turn's id, or another message of the thread the question's. Nothing is
   *   stored then.
   */
  begin(turn: NewTurn): Promise<BegunTurn>;
  /**
   * Takes a turn to run it, incrementing its attempt so the previous runner can no longer write.
   *
   * @returns The turn with everything finished so far; `undefined` if it is unknown or has ended.
   */
  take(turn: TurnKey): Promise<TurnRecord | undefined>;
  /**
   * Writes a checkpoint.
   *
   * @throws {SupersededError} If the turn was taken again, has ended or is absent. A RangeError for a message
   *   or usage event of another turn or thread, and for a message whose id another message of the thread
   *   has. Nothing is stored then.
   */
  checkpoint(checkpoint: Checkpoint): Promise<void>;
  /**
   * Adds a step from outside the turn, whatever its status and attempt, e.g. people's feedback on it.
   *
   * @returns Whether the turn exists.
   */
  remark(turn: TurnKey, step: Step): Promise<boolean>;
  /** Reads a turn by its id or by its event's. */
  read(turn: TurnKey | EventKey): Promise<TurnRecord | undefined>;
  /** The turns of a thread created before `before` (ms since 1970), newest first, at most `limit` (1 to 100). */
  list(
    threadId: string,
    options: { readonly limit: number; readonly before?: number },
  ): Promise<readonly TurnHeader[]>;
  /**
   * Steps of a place's ended turns, for statistics over many turns; messages aren't read. Each turn comes
   * once, in no particular order. If turns are added or deleted meanwhile, these and their neighbours may be
   * missing.
   *
   * @param place - A workspace (`platform:workspace`) or a channel (`platform:workspace:channel`).
   * @param options.kinds - Kinds of steps; turns without any of them are included, with no steps.
   * @param options.since - Omits turns created before this time, in milliseconds since 1970.
   * @param options.limit - 1 to 500 turns; a page with fewer turns isn't necessarily the last.
   * @param options.after - `next` of the previous page; absent: the first page.
   */
  steps(
    place: string,
    options: {
      readonly kinds: readonly string[];
      readonly since: number;
      readonly limit: number;
      readonly after?: string;
    },
  ): Promise<StepPage>;
  /** Unfinished turns, oldest first, at most `limit`. */
  unfinished(limit: number): Promise<readonly TurnHeader[]>;
}
