/** Where people talk. Asking comes in by what `start` opened; `present` and `reply` need nothing of it. */

import type { Person, Place, Reply } from '../../commands/command.ts';
import type { TurnEvent } from '../council/events.ts';
import type { Overview } from '../domain/overview.ts';
import type { Sage, TurnRequest } from '../domain/turn.ts';
import type { FollowUpMode } from '../settings/file-table.ts';
import type { AfterVerdict, ConcludedTurn } from './after-verdict.ts';
import type { Asked, Question, SideTask, SideTaskDone } from './asking.ts';
import type { Faces } from './faces.ts';
import type { Hearing } from './hearing.ts';

export type { ConcludedTurn } from './after-verdict.ts';
export {
  type Asked,
  type CountedTokens,
  type Question,
  questionIn,
  type SideTask,
  type SideTaskDone,
} from './asking.ts';

/** A command as a person gave it, by its name. */
export interface Invocation {
  readonly place: Place;
  readonly person: Person;
  readonly command: string;
  /** Options by name, as the platform delivered them; validated by the command's own schema. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly eventId?: string; // the platform's own, of what gave the command
  /** The reply may hold files of any length (`stream`), which the platform writes as they are made. Absent: it may not. */
  readonly takesStreams?: true;
}

/**
 * Shows people that a question is taken, e.g. by its card, and opens its thread.
 *
 * @param question - As it is kept; its `turnId` identifies what an earlier process has shown of it.
 * @returns `whyNot`: the thread can't be opened, and nothing comes of the question; for the person who asked.
 *   Nothing: another delivery of the event has opened it.
 */
export type OpenThread = (
  question: TurnRequest,
) => Promise<OpenedThread | { readonly whyNot: string } | undefined>;

/** Where a question has its turn from now on. */
export interface OpenedThread {
  readonly threadId: string;
  /** The event by which the turn is known from now on, e.g. its first message; absent: what asked. */
  readonly eventId?: string;
}

/** What holds in a place at the moment, as far as a platform must know it. */
export interface PlaceSettings {
  /** Who may sit there, custom sages included. */
  readonly bench: readonly Sage[];
  readonly followUpMode: FollowUpMode;
}

/** A message that a person wrote where the council can hear it. */
export interface Remark {
  /** Without mentions of the council; links, emoji and mentions of others as the platform writes them. */
  readonly text: string;
  /** `thread`: one that a question to the council has opened. */
  readonly where: 'direct message' | 'thread' | 'elsewhere';
  /** It mentions the council, or replies to something that the council or a sage has said. */
  readonly namesCouncil: boolean;
  /** It mentions another person, a group or everybody, or replies to another person's message. */
  readonly isForOthers: boolean;
}

/** Whether a remark is said to the council itself. */
export function isAddressed({ namesCouncil, where }: Remark): boolean {
  return namesCouncil || where === 'direct message';
}

/** Reads the question in a message. Nothing: there is none. */
export type ReadQuestion = () => Promise<Question | undefined>;

/** `greeting`: the council was greeted and asked nothing; nothing: it stays silent. */
export type Meant = Question | 'greeting' | undefined;
/** A turn that an event has made. */
export interface AskedTurn {
  readonly turnId: string;
  readonly hasEnded: boolean;
  /** As it was asked. */
  readonly question: string;
}

/** Something that a person may mean while they type; `value` is what is to be typed for it. */
export type Suggestion = Readonly<Record<'label' | 'value', string>>;

/** Something that was deleted where people talk; also what the council has nothing of. */
export type Deletion =
  | { readonly kind: 'posts'; readonly posts: readonly DeletedPost[] }
  /** With all that was said in it. `threadId` of a channel: any with its first three parts. */
  | { readonly kind: 'thread' | 'channel'; readonly threadId: string };

export interface DeletedPost {
  /**
   * As {@link Ingress.ask} would be given it for a question in this post. Ends as {@link threadId} does where the
   * thread hangs on this post.
   */
  readonly eventId: string;
  /** The thread that the post is in; of one in none, the one that would hang on it. */
  readonly threadId: string;
  /** Milliseconds since 1970. */
  readonly postedAt: number;
  /** The turn that it is a part of, where the platform tells. */
  readonly turnId?: string;
}

/** Where the bot is, as far as a platform tells. What was told before of other workspaces still holds. */
export interface Memberships {
  readonly platform: string;
  /**
   * As whom the bot is let in, and no secret, e.g. the id of the application: that one bot is not in a
   * workspace says nothing about another that was.
   */
  readonly as: string;
  /** Those it is in, also one that is down at the moment. */
  readonly workspaces: readonly string[];
  /** Whether a workspace would be among them if the bot was in it. */
  readonly wouldName: (workspace: string) => boolean;
}

/** What a platform hands inward. */
export interface Ingress {
  /** Reads what holds in a place; the next call may tell otherwise. */
  settings(place: Place): Promise<PlaceSettings>;
  /**
   * Finds the question in what a person wrote, if they want an answer of the council. Decided before
   * anything is made of it, by rules, and where these can't tell by a call to the moderator.
   * @param read - Called only where rules do not say that it is not meant.
   * @returns With what the moderator has decided.
   */
  meant(remark: Remark, place: Place, read: ReadQuestion): Promise<Meant>;
  /**
   * Reads who may be addressed in a thread: its bench, and those that were invented for its last turns.
   * For finding whose message a reply answers.
   */
  addressableSages(place: Place): Promise<readonly Sage[]>;
  /**
   * Returns as soon as the turn is stored and queued; its events come by {@link Platform.present}.
   *
   * @param open - For a question that is not shown yet; its `threadId` ends in the event's id until it has a thread.
   *   Called at most once, when the question is judged and stored: from then on it survives the process's death.
   */
  ask(question: Question, open?: OpenThread): Promise<Asked>;
  /**
   * Questions that earlier processes were opening threads for when they died, and that are this one's to
   * take up for some seconds. Waits for what another process takes up; none are left when it gives none.
   */
  abandoned(platform: string): Promise<readonly TurnRequest[]>;
  /** Does a side task by one call of a cheap model. No turn is made of it, and nothing of it is kept but its cost. */
  sideTask(sideTask: SideTask): Promise<SideTaskDone>;
  /** Never throws: what went wrong is in the reply. */
  command(invocation: Invocation): Promise<Reply>;
  /**
   * Stops a running or waiting turn; `false` when there is none.
   *
   * @param place - Where it was asked for: a turn of another channel is none there.
   */
  stop(turnId: string, place: Pick<Place, 'threadId'>): Promise<boolean>;
  /** The turn of this channel that an event made, as {@link ask} was given its id; also of an earlier process. */
  turnOf(eventId: string, place: Place): Promise<AskedTurn | undefined>;
  /**
   * Whether people may be greeted where the bot was added: `true` once for each server or channel, whichever
   * process asks and however often the platform tells of it.
   */
  mayGreet(where: Pick<Place, 'platform' | 'workspace'> & Partial<Place>): Promise<boolean>;
  /** Turns or memories of this place that fit what a person has typed of an id, the newest first, or presets; at most 25. */
  suggest(
    kind: 'turn' | 'memory' | 'preset',
    typed: string,
    place: Place,
    person: Person,
  ): Promise<readonly Suggestion[]>;
  overview(workspace: Pick<Place, 'platform' | 'workspace'>, personId: string): Promise<Overview>;
  /** Something was deleted. Whether it is forgotten is for its channel to say. Resolves when that is done. */
  deleted(deletion: Deletion): Promise<void>;
  /** The bot was taken out of a workspace. It may be told several times, and by several processes. */
  left(workspace: Pick<Place, 'platform' | 'workspace'>): Promise<void>;
  /**
   * Told at each new connection: what was missed before it is found by it. A workspace that the same
   * bot was in, and is not in any more, was {@link left} meanwhile.
   */
  memberships(told: Memberships): Promise<void>;
}

/** A turn to be shown. */
export interface PresentedTurn {
  readonly request: TurnRequest;
  /** The turn was begun by an earlier process: part of what follows may have been posted already. */
  readonly isResumed: boolean;
  /**
   * Another process has shown all of it, and this one may have overwritten part of that since: nothing is
   * said, and what is edited as a turn goes on is drawn once more, as it is in the end.
   */
  readonly isTold?: true;
  /** What begins a follow-up where the turn was asked. */
  readonly followUpMode: FollowUpMode;
  /** Whether an event of this channel has made a turn, as {@link Ingress.turnOf} tells it. */
  readonly wasAsked: (eventId: string) => Promise<boolean>;
  /** Reads whether the person who asked wants to be mentioned, once, when it is done. */
  readonly wantsPing: () => Promise<boolean>;
  /** Where it is shown, as an earlier process has kept it; absent: none came so far. */
  readonly shownAt?: string;
  /**
   * Keeps where the turn is shown, e.g. the id of its first message, by which what was posted is told
   * apart from what others have said. Resolves when it is stored.
   */
  readonly keepShownAt: (shownAt: string) => Promise<void>;
  /**
   * Throws when another process has taken the turn meanwhile, or it has ended, or the store can't tell. Asked
   * right before each request that says something.
   */
  readonly assertHeld: () => Promise<void>;
  /**
   * The same right before each request that only changes what was said: for it, a store that can't tell is
   * no obstacle.
   */
  readonly assertNotLost: () => Promise<void>;
  /**
   * The same right after a request that says something, and only where the process was halted since the
   * store last answered: what was on its way then may have arrived after another process said it.
   */
  readonly assertAwake: () => Promise<void>;
}

/** What a turn says can't be delivered now, and may be later: the turn must not end, but be resumed. */
export class UndeliveredError extends Error {
  override readonly name = 'UndeliveredError';
}

/** The platform refuses what a turn begins with, so that nothing of it can be shown. The message is for people. */
export class UnshowableError extends Error {
  override readonly name = 'UnshowableError';
}

export interface Platform extends Hearing, Faces, AfterVerdict {
  /** The first part of every thread id of this platform. */
  readonly name: string;
  /** Opens the connection, and from then on hands in what people ask. */
  start(ingress: Ingress): Promise<void>;
  /**
   * Shows a turn within the platform's limits, from its first event to its last. A resumed turn
   * starts with its checkpoints again. Events may come faster than they can be shown. Asks for the
   * first event once what the turn begins with can be seen: until then nothing is paid for it.
   *
   * @param shutdown - Aborted when the process ends: what is not shown by then is shown when the turn
   *   is resumed, and it rejects with the signal's reason.
   * @throws {UndeliveredError}; {UnshowableError} when the person who asked was told as far as that goes.
   */
  present(
    turn: PresentedTurn,
    events: AsyncIterable<TurnEvent>,
    shutdown: AbortSignal,
  ): Promise<void>;
  /**
   * Empties what shows a question that was taken back: its card, the title of its thread, the post that
   * quotes it, what sages had begun to say; deletes what {@link AfterVerdict.post} has posted. Posts nothing;
   * what is not there any more is passed over.
   * Throws when the platform does not answer or does not let it, and may be called again.
   */
  retract(turn: Pick<ConcludedTurn, 'request' | 'shownAt' | 'posted'>): Promise<void>;
  /**
   * The web address of what was said; absent where the platform has none.
   *
   * @param event - A post in the thread, or what asked there, by the platform's own id; absent: the thread.
   */
  linkTo(threadId: string, event?: string): string | undefined;
  /** Whether the bot is in a workspace (second part of its thread ids); needs no connection. Throws without an answer. */
  isIn(workspace: string): Promise<boolean>;
  /** Shows a command's reply that was not the answer to an invocation, e.g. a notice to managers. */
  reply(place: Place, reply: Reply): Promise<void>;
  /** Takes in nothing more and closes the connection. What is being presented may still be posted. */
  stop(): Promise<void>;
}

/** How a connection over which people's doings come in is. */
export interface ConnectionHealth {
  /** Everything that people do comes in. */
  readonly isListening: boolean;
  /** For how long something of it has stayed out; 0 while nothing does. */
  readonly silentMs: number;
  /** For the operator; holds no secret. */
  readonly text: string;
}

/** A platform that is served for as long as the process runs. */
export interface ServedPlatform extends Platform {
  /** Rejects when the connection has ended for good, with an error for the operator; never resolves otherwise. */
  readonly finished: Promise<void>;
  health(): ConnectionHealth;
}
