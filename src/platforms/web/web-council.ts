/** What every way in does with the council: the page, the endpoints, the API and MCP. */

import { randomUUID } from 'node:crypto';
import type { Place } from '../../../commands/command.ts';
import type { TurnEvent } from '../../council/events.ts';
import type { ScoredTurn } from '../../council/leaderboard.ts';
import { endOf, type PastTurn, replayTurn } from '../../council/past-turn.ts';
import type { ReceiptCall } from '../../council/receipt.ts';
import type { Choice } from '../../domain/asking.ts';
import type { Heard } from '../../domain/heard.ts';
import { channelOf, isRecorded, partsOf, threadIdOf } from '../../domain/thread-id.ts';
import { type Asked, type Ingress, questionIn } from '../platform.ts';
import { assertMay, type Caller, ForbiddenError } from './caller.ts';
import type { LiveTurns, Numbered, Watched } from './live-turns.ts';
import { watchTurn } from './live-turns.ts';
import { type Offered, threadForm } from './question.ts';

export type { Offered } from './question.ts';

/** First part of the thread ids of this platform. */
export const webName = 'web';
/** All threads of a workspace are in one channel. Every key of it reads them, except those that are private to a person. */
const channel = 'council';
/** Of threads that only the person who asks in them may know of. */
const apart = { isPrivate: true, isPrivateThread: true };

/** A turn as it is kept. */
export interface WebTurn {
  readonly turnId: string;
  readonly threadId: string;
  readonly status: 'queued' | 'running' | 'ended';
  /** Absent until it has ended. */
  readonly outcome?: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly endedAt?: number;
  /** Of one that goes deeper, with the answers and reviews that it goes on from. */
  readonly past: PastTurn;
  readonly usage: readonly ReceiptCall[];
}

/** A conversation, in short. */
export interface WebThread {
  readonly threadId: string;
  /** Last part of its id, by which {@link WebCouncil.ask} goes on with it. */
  readonly thread: string;
  /** The first question in it that is known. */
  readonly title: string;
  /** When the last question was asked, in milliseconds since 1970. */
  readonly askedAt: number;
  /** Ids of its turns, newest first. */
  readonly turnIds: readonly string[];
}

/** Which conversations are wanted. */
export interface ThreadsPage {
  /** Only those in which all of these words were said. */
  readonly search?: string;
  /** Only those that were asked in before; milliseconds since 1970. */
  readonly before?: number;
  /** 1 to 100. */
  readonly limit: number;
}

/** Who reads: conversations that are private to others are left out. */
export interface ReadBy {
  /** Id of the person. */
  readonly reader: string;
}

/** What a person said elsewhere, to be remembered. */
export interface IngestedMessage {
  /** Unique in its conversation. */
  readonly id: string;
  /** Name of the conversation. */
  readonly thread: string;
  readonly author: string;
  readonly text: string;
  /** When it was said, in milliseconds since 1970. */
  readonly at: number;
}

/** How many were added, were known already, and are older than what is kept. */
export interface Ingested {
  readonly added: number;
  readonly known: number;
  readonly expired: number;
}

/** What the store tells, and takes. The application hands it in. Every verb throws an `AwayError` while the store is away. */
export interface WebRecords {
  /** A turn of this workspace (`platform:workspace`), whatever its channel. */
  turn(workspace: string, turnId: string): Promise<WebTurn | undefined>;
  /** The conversations of a channel (`platform:workspace:channel`), the newest first. */
  threads(channel: string, page: ThreadsPage & ReadBy): Promise<readonly WebThread[]>;
  /** Ids of the turns of a thread, the newest first. */
  turnIds(threadId: string, page: Omit<ThreadsPage, 'search'>): Promise<readonly string[]>;
  /** How sages have fared in the channel of a thread; see `Leaderboard`. @param since - Milliseconds since 1970. */
  scoredTurns(threadId: string, since: number): Promise<readonly ScoredTurn[]>;
  /** Keeps messages of a channel (`platform:workspace:channel`). */
  ingest(channel: string, messages: readonly IngestedMessage[]): Promise<Ingested>;
}

/** The links by which others read a turn. The application hands them in. */
export interface ShareRecords {
  /** The secret of a turn's link. Nothing: none was made. */
  of(turn: Pick<WebTurn, 'turnId' | 'threadId'>): Promise<string | undefined>;
  /** Makes one that can't be guessed, or gives the one that is there. */
  make(turn: Pick<WebTurn, 'turnId' | 'threadId'>): Promise<string>;
  /** From now on it leads to nothing. */
  withdraw(turn: Pick<WebTurn, 'turnId' | 'threadId'>): Promise<void>;
  /** The turn of a link. Nothing: it was withdrawn, the turn is forgotten, or there never was one. */
  find(secret: string): Promise<WebTurn | undefined>;
}

/** Path of a turn for those who have its link. */
export function sharedPath(secret: string): string {
  return `/shared/${secret}`;
}

/** A question, as a caller asks it. */
export interface WebQuestion extends Choice {
  readonly question: string;
  /** Name of the conversation to go on with: letters, digits, `_`, `.` and `-`, at most 64. Absent: a new one. */
  readonly thread?: string;
  /** What was said before, where the caller sends it along. */
  readonly heard?: Heard;
  /** What the caller's program tells every model. */
  readonly instructions?: string;
  /** A conversation that begins with it is private to the person: no one else reads it, and what is said in it is recalled there alone. */
  readonly isApart?: boolean;
  /** A question with the same id is taken once in a workspace. Absent: it is a new one. */
  readonly eventId?: string;
}

/** A command of `/council`. */
export interface WebCommand {
  /** The conversation that it is given in, by its name or its whole id; absent: none. */
  readonly of?: string | undefined;
  readonly command: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Whether it was taken, and in which thread. */
export type WebAsked = Asked & { readonly threadId: string; readonly thread: string };

export type WebCouncil = ReturnType<typeof createWebCouncil>;

/**
 * Every verb throws `ForbiddenError` for what the caller may not do; nothing of another workspace or private to
 * another person is found.
 *
 * @param ingress - Gives the bot; called when something is asked of it.
 */
export function createWebCouncil(ingress: () => Ingress, live: LiveTurns, records: WebRecords) {
  const read = ({ workspace }: Caller, turnId: string) =>
    records.turn(`${webName}:${workspace}`, turnId);
  const turnOf = async (caller: Caller, turnId: string) => {
    const turn = await read(caller, turnId);
    return turn && isOpenTo(caller, turn) ? turn : undefined;
  };
  /** Of a new conversation, what is wished; one that goes on stays as private as it is. */
  const placeIn = async (caller: Caller, thread: string, wished: Partial<Place> = {}) => {
    const place = placeOf(caller, thread);
    const [newest] = await records.turnIds(place.threadId, { limit: 1 });
    const turn = newest === undefined ? undefined : await read(caller, newest);
    if (!turn) return { ...place, ...wished };
    if (!isOpenTo(caller, turn)) throw new ForbiddenError('This conversation is another person’s.');
    return { ...place, ...(isApart(turn) && apart) };
  };

  return {
    async ask(
      caller: Caller,
      { thread = randomUUID(), eventId = randomUUID(), ...question }: WebQuestion,
    ): Promise<WebAsked> {
      assertMay(caller, 'ask');
      const { isApart: isToBeApart, ...asked } = question;
      const { threadId } = placeOf(caller, thread);
      if (!threadForm.test(thread)) {
        const reason =
          'The name of a conversation is of letters, digits, dots, dashes and underscores, at most 64.';
        return { status: 'refused', reason, threadId, thread };
      }
      const place = await placeIn(caller, thread, isToBeApart ? apart : {});
      const by = { person: caller.person, eventId, askedAt: Date.now() };
      return { ...(await ingress().ask(questionIn(place, { ...asked, ...by }))), threadId, thread };
    },
    /**
     * Tells a turn to its end, which is `ended`; tells nothing where there is no such turn.
     *
     * @param options.after - Id of the last event that was read.
     * @param options.signal - Aborted: no more is told.
     */
    async *watch(
      caller: Caller,
      turnId: string,
      { after, signal }: Pick<Watched, 'after' | 'signal'>,
    ): AsyncIterable<Numbered> {
      assertMay(caller, 'read');
      // Also for what is live here: the turn may be another workspace's.
      if (!(await turnOf(caller, turnId))) return;
      const kept = async () => {
        const turn = await turnOf(caller, turnId);
        return turn && eventsOf(turn);
      };
      yield* watchTurn({ turnId, live, kept, after, signal });
    },
    /** Stops a turn; `false`: there is none that runs or waits. */
    async stop(caller: Caller, turnId: string) {
      assertMay(caller, 'ask');
      const turn = await turnOf(caller, turnId);
      return turn !== undefined && ingress().stop(turnId, turn);
    },
    async turn(caller: Caller, turnId: string) {
      assertMay(caller, 'read');
      return turnOf(caller, turnId);
    },
    async threads(caller: Caller, page: ThreadsPage) {
      assertMay(caller, 'read');
      const reader = caller.person.id;
      return records.threads(channelOf(placeOf(caller, '').threadId), { ...page, reader });
    },
    /** The turns of a conversation, the newest first; none where nothing was asked. @param thread - As {@link WebQuestion.thread}. */
    async history(
      caller: Caller,
      thread: string,
      page: Omit<ThreadsPage, 'search'>,
    ): Promise<readonly WebTurn[]> {
      assertMay(caller, 'read');
      if (!threadForm.test(thread)) return [];
      const ids = await records.turnIds(placeOf(caller, thread).threadId, page);
      const turns = await Promise.all(ids.map((turnId) => turnOf(caller, turnId)));
      return turns.flatMap((turn) => turn ?? []);
    },
    /** How sages have fared in the workspace since a moment, in milliseconds since 1970; the oldest first. */
    async scoredTurns(caller: Caller, since: number) {
      assertMay(caller, 'read');
      return records.scoredTurns(placeOf(caller, '').threadId, since);
    },
    /** Has what people said elsewhere remembered. One with an id that its conversation has is passed over. */
    async ingest(caller: Caller, messages: readonly IngestedMessage[]) {
      assertMay(caller, 'ingest');
      return records.ingest(channelOf(placeOf(caller, '').threadId), messages);
    },
    /** What can be chosen for a question. @param typed - Only presets in whose name or description it is. */
    async offered(caller: Caller, typed = ''): Promise<Offered> {
      const place = placeOf(caller, '');
      const [{ bench: sages }, presets] = await Promise.all([
        ingress().settings(place),
        ingress().suggest('preset', typed, place, caller.person),
      ]);
      return { sages, presets };
    },
    /** Gives a command of `/council`; what went wrong is in the reply. @throws {ForbiddenError} in a conversation that is private to another person. */
    async command(caller: Caller, { of, command, options }: WebCommand) {
      const { person } = caller;
      const anywhere = placeOf(caller, '');
      const place =
        of === undefined
          ? anywhere
          : isRecorded(of)
            ? { ...anywhere, ...partsOf(of), threadId: of }
            : await placeIn(caller, of.includes(':') ? partsOf(of).thread : of);
      return ingress().command({ place, person, command, options });
    },
    /** The caller's workspace, for what is of no conversation. */
    anywhere: (caller: Caller) => placeOf(caller, ''),
    /** Where a conversation is. @throws {ForbiddenError} for one that is private to another person. */
    place: (caller: Caller, thread: string): Promise<Place> => placeIn(caller, thread),
    /** The bot itself, for what has no verb here. Throws before the platform is started. */
    get ingress() {
      return ingress();
    },
  };
}

/** What happened in a turn that is kept, in order; ends with `ended` once it has. */
export function eventsOf({ past, status, outcome }: WebTurn): readonly TurnEvent[] {
  return status === 'ended' ? replayTurn(past, endOf(past, outcome)) : replayTurn(past);
}

function isApart({ past }: WebTurn): boolean {
  return past.request.isPrivateThread === true;
}

function isOpenTo({ person }: Caller, turn: WebTurn): boolean {
  return !isApart(turn) || turn.past.request.author.id === person.id;
}

function placeOf({ workspace }: Caller, thread: string): Place {
  const threadId = threadIdOf({ platform: webName, workspace, channel, thread });
  return { platform: webName, workspace, channel, threadId, isPrivate: false };
}
