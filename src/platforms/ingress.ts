/** What a platform passes to the bot: questions, commands, deletions, and where the bot is a member. */

import type { Person, Place, Reply } from '../../commands/command.ts';
import type { Overview } from '../domain/overview.ts';
import type { Sage, TurnRequest } from '../domain/turn.ts';
import type { FollowUpMode } from '../settings/file-table.ts';

/** A question to the bot. It has a `turnId` only if it is one of {@link Ingress.abandoned}. */
export type Question = Omit<TurnRequest, 'turnId'> & Partial<Pick<TurnRequest, 'turnId'>>;

/** Adds the place and the author to a question. */
export function questionIn(
  place: Place,
  {
    person,
    ...asked
  }: Omit<Question, 'threadId' | 'author'> & {
    readonly person: Pick<Person, 'id' | 'name' | 'workspace' | 'limits'>;
  },
): Question {
  const { platform: _, workspace: _of, channel: _in, ...readBy } = place;
  const { id, name, workspace, limits } = person;
  const author = { id, name, ...(workspace && { workspace }), ...(limits && { limits }) };
  return { ...readBy, ...asked, author };
}

/** The result of asking a question. */
export type Asked =
  /** `turnsBefore`: number of earlier turns of the thread still to run. `isNew: false`: a repeat of an event already accepted. */
  | {
      readonly status: 'accepted';
      readonly turnId: string;
      readonly isNew: boolean;
      readonly turnsBefore: number;
      /** As in `TurnRequest`. */
      readonly language?: string;
    }
  /**
   * `reason`: shown to the person; says what was wrong and what was expected. `isStranger`: the operator doesn't
   * allow this person or place to ask at all, so show the reason once, and only to someone who addressed the
   * council. `retryAfterMs`: when the limit that refused it resets; absent: retrying unchanged never succeeds.
   */
  | {
      readonly status: 'refused';
      readonly reason: string;
      readonly inPublic?: string; // in place of the reason where others read it, too
      readonly isStranger?: boolean;
      readonly retryAfterMs?: number;
      readonly isAway?: true; // the store or the queue failed; a retry may succeed once it is back
    }
  /** Only with {@link OpenThread}: another delivery of the event was accepted. */
  | { readonly status: 'dropped' };

/** A small task from a program, e.g. to find a title for a chat. */
export interface SideTask {
  readonly threadId: string;
  /** Their budget pays, along with the place's. */
  readonly person: Pick<Person, 'id' | 'limits'>;
  /** The messages for the model, oldest first. */
  readonly messages: readonly {
    readonly role: 'system' | 'user' | 'assistant';
    readonly content: string;
  }[];
  readonly signal: AbortSignal;
}

/** The tokens that one model call used. */
export interface CountedTokens {
  readonly inputTokens: number;
  /** Including reasoning. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** The result of a side task. */
export type SideTaskDone =
  | {
      readonly status: 'done';
      readonly text: string;
      readonly calls: readonly CountedTokens[];
    }
  /** As in {@link Asked}. */
  | Extract<Asked, { status: 'refused' }>
  /** The model did not answer; `reason` is for people. */
  | { readonly status: 'failed'; readonly reason: string };

/** A command that a person gave. */
export interface Invocation {
  readonly place: Place;
  readonly person: Person;
  /** Name of the command. */
  readonly command: string;
  /** Options by name, as the platform delivered them; the command's own schema validates them. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly eventId?: string; // the platform's id of the event that gave the command
  /** When it was written, in milliseconds since 1970: a stop that is delivered again leaves later questions alone. */
  readonly saidAt?: number;
  /** The platform can write files of any length as they are produced, so the reply may contain `stream` blocks. */
  readonly takesStreams?: true;
}

/**
 * Shows that a question was accepted, e.g. by posting its card, and opens its thread.
 *
 * @param question - As it is stored; its `turnId` identifies what an earlier process posted for it.
 * @returns `whyNot`: the thread can't be opened, so the question is dropped; the reason is shown to the asker.
 *   `undefined`: another delivery of the event opened the thread.
 */
export type OpenThread = (
  question: TurnRequest,
) => Promise<OpenedThread | { readonly whyNot: string } | undefined>;

/** The thread that was opened for a question. */
export interface OpenedThread {
  readonly threadId: string;
  /** The event that identifies the turn from now on, e.g. its first message; absent: the event that asked. */
  readonly eventId?: string;
}

/** The settings of a place that its platform needs. */
export interface PlaceSettings {
  /** All sages that can be seated, including custom ones. */
  readonly bench: readonly Sage[];
  readonly followUpMode: FollowUpMode;
}

/** A message from a person in a place where the bot can read it. */
export interface Remark {
  /** Without mentions of the council; links, emoji and mentions of others in the platform's own notation. */
  readonly text: string;
  /** `thread`: opened by a question to the council. */
  readonly where: 'direct message' | 'thread' | 'elsewhere';
  /** It mentions the council, or replies to a message by the council or a sage. */
  readonly namesCouncil: boolean;
  /** What precedes the first mention of the council; absent: nothing, or it mentions none. */
  readonly before?: string;
  /** It mentions another person, a group or everybody, or replies to another person's message. */
  readonly isForOthers: boolean;
}

/** Whether a remark addresses the council directly. */
export function isAddressed({ namesCouncil, where }: Remark): boolean {
  return namesCouncil || where === 'direct message';
}

/** Reads the question in a message; `undefined` if there is none. */
export type ReadQuestion = () => Promise<Question | undefined>;

/** `greeting`: the remark greets the council and asks nothing. `undefined`: the council stays silent. */
export type Interpretation = Question | 'greeting' | undefined;

/** The turn of an event. */
export interface AskedTurn {
  readonly turnId: string;
  readonly hasEnded: boolean;
  /** As it was asked. */
  readonly question: string;
  /** See {@link TurnRequest.language}. */
  readonly language?: string | undefined;
}

/** A completion for what a person is typing; `value` is the text to insert. */
export type Suggestion = Readonly<Record<'label' | 'value', string>>;

/** Something deleted on the platform. The council may have stored nothing of it. */
export type Deletion =
  /** All of one channel. */
  | { readonly kind: 'posts'; readonly posts: readonly DeletedPost[] }
  /** Includes all messages in it. For a channel, only the first three parts of `threadId` count. */
  | { readonly kind: 'thread' | 'channel'; readonly threadId: string };

export interface DeletedPost {
  /**
   * The `eventId` that a question in this post would have in {@link Ingress.ask}. If the post started
   * {@link threadId}, both end in the same part.
   */
  readonly eventId: string;
  /** The thread that contains the post, or the thread that the post would start. */
  readonly threadId: string;
  /** Milliseconds since 1970. */
  readonly postedAt: number;
  /** The turn that it belongs to, if the platform knows. */
  readonly turnId?: string;
}

/** The workspaces that the bot is in, as one connection sees them. Earlier reports about other workspaces stay valid. */
export interface Memberships {
  readonly platform: string;
  /**
   * The identity of the bot, not secret, e.g. the id of the application. That one bot is missing from a
   * workspace says nothing about a different bot that was in it.
   */
  readonly as: string;
  /** Includes workspaces that are down at the moment. */
  readonly workspaces: readonly string[];
  /** Whether this connection would list a workspace if the bot were in it. */
  readonly wouldName: (workspace: string) => boolean;
}

/** The bot, as platforms call it. */
export interface Ingress {
  /** Reads the current settings of a place. */
  settings(place: Place): Promise<PlaceSettings>;
  /**
   * Decides whether a remark asks the council for an answer: by rules, or by a call to the moderator where
   * the rules can't decide.
   *
   * @param read - Not called if the rules exclude the remark.
   */
  interpret(remark: Remark, place: Place, read: ReadQuestion): Promise<Interpretation>;
  /**
   * Returns the sages that a message in a thread may address: the bench and the sages invented for the
   * latest turns. Used to find the author of the message that a reply answers.
   */
  addressableSages(place: Place): Promise<readonly Sage[]>;
  /**
   * Stores and queues a turn, and returns. {@link Platform.present} then receives its events.
   *
   * @param open - For a question that is not shown yet; its `threadId` ends in the event's id until the thread
   *   exists. Called at most once, after the question was admitted and stored, so that it survives a crash.
   */
  ask(question: Question, open?: OpenThread): Promise<Asked>;
  /**
   * Returns questions whose process died while it opened their threads; this process has some seconds to
   * take them up. Waits for those that another process is taking up. An empty result means that none are left.
   */
  abandoned(platform: string): Promise<readonly TurnRequest[]>;
  /** Does a side task in one call to a cheap model. Creates no turn and stores nothing but the cost. */
  sideTask(sideTask: SideTask): Promise<SideTaskDone>;
  /** Never throws: errors are in the reply. */
  command(invocation: Invocation): Promise<Reply>;
  /**
   * Stops a running or queued turn. Returns `false` if there is none.
   *
   * @param place - Where the stop was requested; turns of other channels are not found.
   */
  stop(turnId: string, place: Pick<Place, 'threadId'>): Promise<boolean>;
  /** Finds the turn that an event created in this channel, also in an earlier process. `eventId` as in {@link ask}. */
  turnOf(eventId: string, place: Place): Promise<AskedTurn | undefined>;
  /**
   * Whether to post the greeting for a server or channel that the bot was added to: `true` once for each,
   * across all processes and repeated events.
   */
  mayGreet(where: Pick<Place, 'platform' | 'workspace'> & Partial<Place>): Promise<boolean>;
  /**
   * Whether to reply to a message now: `true` once, in whichever process, because a platform may deliver it to
   * several. Also while the store fails: a reply that comes twice is better than none.
   */
  mayReply(message: Pick<Place, 'threadId'> & Pick<Question, 'eventId'>): Promise<boolean>;
  /** Suggests turns or memories of this place whose id matches the typed text, newest first, or presets. */
  suggest(
    kind: 'turn' | 'memory' | 'preset',
    typed: string,
    place: Place,
    person: Person,
  ): Promise<readonly Suggestion[]>;
  overview(workspace: Pick<Place, 'platform' | 'workspace'>, personId: string): Promise<Overview>;
  /** Handles a deletion. The channel's settings decide whether it is forgotten. Resolves when that is done. */
  deleted(deletion: Deletion): Promise<void>;
  /** The bot was removed from a workspace. May be called repeatedly and by several processes. */
  left(workspace: Pick<Place, 'platform' | 'workspace'>): Promise<void>;
  /**
   * Called after each new connection, to catch up on removals that the bot missed: a workspace that the same
   * bot was in and is no longer in is treated as {@link left}.
   */
  memberships(current: Memberships): Promise<void>;
}
