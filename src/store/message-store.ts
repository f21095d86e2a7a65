/** Messages, as a store keeps them. */

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** What a person asked or a sage answered. */
export interface Message {
  /** Unique in its thread. */
  readonly id: string;
  readonly threadId: string;
  /** Absent only in messages imported from elsewhere. */
  readonly turnId?: string;
  readonly role: 'human' | 'ai';
  readonly type: 'user_query' | 'sage_output';
  /** `pending` from the moment its sage is seated until the sage has ended. */
  readonly status: 'pending' | 'complete';
  /** Key of the sage that speaks, for `ai`. */
  readonly sage?: string;
  /** Display name of the person, for `human`. */
  readonly author?: string;
  /** `{type:'user_query', text}`, `{type:'sage_output', sage, answer, summary, status, …}`, or what was imported. */
  readonly content: JsonObject;
  /** Milliseconds since 1970. Messages of one thread are ordered by it, then by when they were stored. */
  readonly createdAt: number;
  /**
   * What it answers: for an `ai` message its question's id; for a question the post that it replies to,
   * as `platform:workspace:id`, which is the event of that post's turn if it has one. Absent: nothing,
   * or it is unknown.
   */
  readonly parentId?: string;
  /**
   * Whether it was said where not everybody of the workspace can read: in a private channel or a
   * direct message. Absent: it is unknown, and treated as private.
   */
  readonly isPrivate?: boolean;
  /** The platform's own id of the post that shows it. */
  readonly platformMessageId?: string;
}

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
