/** Messages and turns, as a store keeps them. */

import { z } from 'zod';

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** A backend may keep it as a number. */
export const flag = z.union([z.boolean(), z.number()]).transform(Boolean);

/**
 * The content of a message. Where it is no object, as in records of long ago, it is what was said: a bare
 * string is the text itself.
 */
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
  /** Absent only in messages imported from elsewhere. */
  turnId: z.string().exactOptional(),
  role: z.enum(['human', 'ai']),
  type: z.enum(['user_query', 'sage_output']),
  /** `pending` from the moment its sage is seated until the sage has ended. */
  status: z.enum(['pending', 'complete']),
  /** Key of the sage that speaks, for `ai`. */
  sage: z.string().exactOptional(),
  /** Display name of the person, for `human`. */
  author: z.string().exactOptional(),
  /** `{type:'user_query', text}`, `{type:'sage_output', sage, answer, summary, status, …}`, or what was imported. */
  content,
  /** Milliseconds since 1970. Messages of one thread are ordered by it, then by when they were stored. */
  createdAt: z.number(),
  /**
   * What it answers: for an `ai` message its question's id; for a question the post that it replies to,
   * as `platform:workspace:id`, which is the event of that post's turn if it has one. Absent: nothing,
   * or it is unknown.
   */
  parentId: z.string().exactOptional(),
  /**
   * Whether it was said where not everybody of the workspace can read: in a private channel or a
   * direct message. Absent: it is unknown, and treated as private.
   */
  isPrivate: flag.exactOptional(),
  /** The platform's own id of the post that shows it. */
  platformMessageId: z.string().exactOptional(),
});
/** What a person asked or a sage answered. */
export type Message = Readonly<z.infer<typeof messageSchema>>;

/** One human message and all `ai` messages that belong to it. */
export interface Interaction {
  /** Absent for imported messages without one: then it is a human message and what follows up to the next. */
  readonly turnId?: string;
  readonly question: Message;
  /** In the thread's order, at most 100; pending ones are left out. */
  readonly answers: readonly Message[];
  /** The data of the turn's last step of kind `verdict`; absent if it has none. */
  readonly verdict?: JsonObject;
}

/** Some of the threads of a place. */
export interface ThreadPage {
  readonly threadIds: readonly string[];
  /** To be given for the next page, also when the threads of this one are gone by then; absent: this was the last. */
  readonly next?: string;
}

export interface MessageStore {
  /** Adds messages that did not come from a turn here. A known id is left as it is. */
  append(messages: readonly Message[]): Promise<void>;
  /**
   * The last interactions of a thread, oldest first, at most `limit` (1 to 50). The turn
   * `exceptTurnId` and turns that have not ended are left out.
   */
  recent(
    threadId: string,
    options: { readonly limit: number; readonly exceptTurnId?: string },
  ): Promise<readonly Interaction[]>;
  /** Messages of a thread, newest first, at most `limit` (1 to 500), created before `before` if given (ms since 1970). */
  page(
    threadId: string,
    options: { readonly limit: number; readonly before?: number },
  ): Promise<readonly Message[]>;
  /**
   * The threads of a place in which anything was said, in no particular order, each once; one in which
   * something is said meanwhile may be among them or not.
   *
   * @param place - A workspace (`platform:workspace`) or a channel (`platform:workspace:channel`).
   * @param options.limit - 1 to 500; a page may hold fewer and yet not be the last.
   * @param options.after - `next` of the page before; absent: from the beginning.
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
  /** How often the turn was taken to be run; the fence of its checkpoints. 0 while it was never taken. */
  attempt: z.number(),
  /** Why it ended, in the caller's words; absent until then. */
  outcome: z.string().exactOptional(),
  /** The platform's id of the person who asked; absent where it was not said. */
  askedBy: z.string().exactOptional(),
  createdAt: z.number(),
  endedAt: z.number().exactOptional(),
});
/** A turn without what happened in it. */
export type TurnHeader = Readonly<z.infer<typeof turnHeaderSchema>>;
export type TurnStatus = TurnHeader['status'];

/** One finished step of a turn other than an answer, e.g. `{kind: 'reviewed', key: 'nassim_taleb', data: {…}}`. */
export interface Step {
  readonly kind: string;
  /** Tells steps of one kind apart. Storing the same kind and key again replaces the step. */
  readonly key: string;
  readonly data: JsonObject;
}

/** A model call without its turn and thread, which are those of the group that it is kept in. */
export const usageSchema = z.object({
  /** Unique in its turn: an event that is stored twice counts once. */
  id: z.string(),
  /** The person the turn is answered for. */
  user: z.string(),
  sageName: z.string().exactOptional(),
  stage: z.string(),
  model: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
  /** US dollars; absent where it is unknown. */
  costUsd: z.number().exactOptional(),
  estimated: flag,
  outcome: z.string(),
  latencyMs: z.number(),
  createdAt: z.number(),
});
/** What one model call used. */
export type UsageEvent = Readonly<z.infer<typeof usageSchema>> &
  Pick<TurnHeader, 'turnId' | 'threadId'>;

/**
 * A turn group: the turn, its messages in the thread's order (pending ones included), its steps and
 * its usage in the order in which each was first stored.
 */
export interface TurnRecord extends TurnHeader {
  readonly request: JsonObject;
  readonly messages: readonly Message[];
  readonly steps: readonly Step[];
  readonly usage: readonly UsageEvent[];
}

/** Some steps of a turn, without the rest of it. */
export interface TurnSteps extends Pick<TurnHeader, 'turnId' | 'threadId' | 'createdAt'> {
  /** In the order in which each was first stored. */
  readonly steps: readonly Step[];
}

/** Some of the turns of a place. */
export interface StepPage {
  readonly turns: readonly TurnSteps[];
  /** To be given for the next page; absent: this was the last. */
  readonly next?: string;
}

/** Names a turn of a workspace: one of another workspace is not found. A turn's own header is one. */
export interface TurnKey {
  readonly turnId: string;
  /** The turn's own, or another one of its workspace, as `workspaceOf` tells it. */
  readonly threadId: string;
}

/** Names the turn of a workspace that an event made. */
export interface EventKey {
  readonly eventId: string;
  /** As that of a {@link TurnKey}. */
  readonly threadId: string;
}

/** A turn as it is asked. */
export interface NewTurn {
  /** Unique in the whole store; a backend may only look whether it is in its workspace. */
  readonly turnId: string;
  readonly threadId: string;
  /**
   * The event that asked; the same one never makes a second turn in its workspace. Unique in the whole
   * store: put platform and workspace before the platform's own id, whose numbers others may use too.
   */
  readonly eventId: string;
  /** The platform's id of the person who asks: by it, what they have asked is found again. */
  readonly askedBy?: string;
  readonly request: JsonObject;
  /** Of this turn and thread. If its id was imported before, that message becomes the turn's. */
  readonly question: Message;
  /** What is known of it before it runs; absent: nothing. */
  readonly steps?: readonly Step[];
  readonly createdAt: number;
}

/** What {@link TurnStore.begin} came to. */
export interface BegunTurn {
  readonly turnId: string;
  /** `false`: the event was claimed before, and nothing was stored. */
  readonly isNew: boolean;
  /**
   * The turns of its thread that were stored before it and have not ended, oldest first, back to the last
   * one that has: the process that stored them may have died before it queued them.
   */
  readonly earlier: readonly string[];
}

/** What is written at once when something in a turn has finished: all of it or nothing. */
export interface Checkpoint {
  readonly turnId: string;
  /** The turn's own. */
  readonly threadId: string;
  /** From {@link TurnStore.take}. */
  readonly attempt: number;
  /**
   * Inserted, or replaced where the turn has the id already; a replaced one keeps its `createdAt`
   * and its place in the thread. All are of this turn and thread.
   */
  readonly messages?: readonly Message[];
  readonly steps?: readonly Step[];
  /** All are of this turn and thread. */
  readonly usage?: readonly UsageEvent[];
  /** Present in the last checkpoint of a turn. */
  readonly end?: { readonly outcome: string; readonly endedAt: number };
}

export interface TurnStore {
  /**
   * Claims the event and stores the turn with its question, in one step.
   *
   * @returns The turn's id; when the event was claimed before, that of the turn that it made then. When
   *   that turn was forgotten less than a day ago, the id is the given one, of no turn.
   * @throws An error, with nothing stored, when another turn has the turn's id, or another message
   *   of the thread the question's.
   */
  begin(turn: NewTurn): Promise<BegunTurn>;
  /**
   * Takes a turn to run it: its attempt rises by one, so that its former runner can no longer write.
   *
   * @returns The turn with all that is finished; or `undefined` when it is unknown or has ended.
   */
  take(turn: TurnKey): Promise<TurnRecord | undefined>;
  /**
   * Throws {@link SupersededError} when the turn was taken again since, has ended or is absent; a
   * RangeError when a message or a usage event is of another turn or thread, a scope of another
   * workspace, or a message has the id of another one in the thread. Nothing is stored then.
   */
  checkpoint(checkpoint: Checkpoint): Promise<void>;
  /**
   * Adds a step from outside the turn, whatever its status and with no fence: what people say
   * about it, not what happens in it.
   *
   * @returns Whether the turn is there.
   */
  remark(turn: TurnKey, step: Step): Promise<boolean>;
  /** By its id, or by the event that made it. */
  read(turn: TurnKey | EventKey): Promise<TurnRecord | undefined>;
  /** The turns of a thread, newest first, at most `limit` (1 to 100), created before `before` if given (ms since 1970). */
  list(
    threadId: string,
    options: { readonly limit: number; readonly before?: number },
  ): Promise<readonly TurnHeader[]>;
  /**
   * Steps of the turns of a place that have ended, for figures over many turns: their texts are not read.
   * Turns come in no particular order, each once; one that is stored or goes meanwhile, and one beside
   * it, may be among them or not.
   *
   * @param place - A workspace (`platform:workspace`) or a channel (`platform:workspace:channel`).
   * @param options.kinds - Of the steps; a turn that has none of them comes with none.
   * @param options.since - Milliseconds since 1970; turns created before are left out.
   * @param options.limit - 1 to 500 turns; a page may hold fewer and yet not be the last.
   * @param options.after - `next` of the page before; absent: from the beginning.
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
  /** Turns that have not ended, oldest first, at most `limit`. */
  unfinished(limit: number): Promise<readonly TurnHeader[]>;
}
