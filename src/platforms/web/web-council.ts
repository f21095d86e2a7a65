/** The council as the page, `/v1`, the API and MCP use it: checks permissions, and finds only what a caller may read. */

import { hash, randomUUID } from 'node:crypto';
import { HTTPException } from 'hono/http-exception';
import type { Place } from '../../../commands/command.ts';
import type { TurnEvent } from '../../council/events.ts';
import type { ScoredTurn } from '../../council/leaderboard.ts';
import { endOf, type PastTurn, replayTurn } from '../../council/past-turn.ts';
import type { ReceiptCall } from '../../council/receipt.ts';
import type { Choice } from '../../domain/asking.ts';
import { channelOf, isRecorded, partsOf, threadIdOf } from '../../domain/thread-id.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import { type Ingress, questionIn } from '../platform.ts';
import { assertMay, assertTheirs, type Caller, type KeyRecords, whileKnown } from './caller.ts';
import { type LiveTurns, type NumberedEvent, type WatchOptions, watchTurn } from './live-turns.ts';
import {
  type Ingested,
  type IngestedMessage,
  type Offered,
  type PlacedMessage,
  threadForm,
  type WebThread,
} from './question-fields.ts';
import { refusal } from './refusals.ts';

/** First part of the thread ids of this platform. */
export const webName = 'web';
/** All threads of a workspace are in one channel, readable with each of its keys, except personal ones. */
const channel = 'council';
const anotherQuestion = 'This Idempotency-Key was used for a different question.';
const threadFormWords =
  'The name of a conversation may have letters, digits, dots, dashes and underscores, at most 64.';
/** Threads that only the asker can read. */
const personal = { isPrivate: true, isPrivateThread: true };

/** A turn as stored. */
export interface WebTurn {
  readonly turnId: string;
  readonly threadId: string;
  readonly status: 'queued' | 'running' | 'ended';
  /** Absent until the turn has ended. */
  readonly outcome?: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly endedAt?: number;
  /** Of a turn that goes deeper, includes the answers and reviews that it builds on. */
  readonly past: PastTurn;
  readonly usage: readonly ReceiptCall[];
}

/** Which conversations to list. */
export interface ThreadsPage {
  /** Only conversations that contain all of these words. */
  readonly search?: string | undefined;
  /** Only conversations whose last question is older; milliseconds since 1970. */
  readonly before?: number | undefined;
  /** 1 to 100. */
  readonly limit: number;
}

/** Identifies a turn for its link. */
type LinkedTurn = Pick<WebTurn, 'turnId' | 'threadId'>;

/** The stored turns and conversations. Every method throws an `AwayError` while the store is unreachable. */
export interface WebRecords {
  /** Reads a turn from any channel of a workspace (`platform:workspace`). */
  turn(workspace: string, turnId: string): Promise<WebTurn | undefined>;
  /**
   * Lists the conversations of a channel (`platform:workspace:channel`), newest first.
   *
   * @param reader - Id of the person who reads: the personal conversations of others are left out.
   */
  threads(channel: string, page: ThreadsPage, reader: string): Promise<readonly WebThread[]>;
  /** Lists the ids of a thread's turns, newest first. */
  turnIds(threadId: string, page: Omit<ThreadsPage, 'search'>): Promise<readonly string[]>;
  /** Reads the scores of turns in the channel of a thread; see `Leaderboard`. @param since - Milliseconds since 1970. */
  scoredTurns(threadId: string, since: number): Promise<readonly ScoredTurn[]>;
  /** Stores messages in a channel (`platform:workspace:channel`). */
  ingest(channel: string, messages: readonly PlacedMessage[]): Promise<Ingested>;
}

/** The stored links that let others read a turn. */
export interface ShareRecords {
  /** The secret of a turn's link; `undefined` if it has none. */
  of(turn: LinkedTurn): Promise<string | undefined>;
  /** Returns the secret of the turn's link, creating an unguessable one if needed. */
  make(turn: LinkedTurn): Promise<string>;
  /** Invalidates the link. */
  withdraw(turn: LinkedTurn): Promise<void>;
  /** Finds the turn of a link. `undefined`: the link is unknown or withdrawn, or the turn was deleted. */
  find(secret: string): Promise<WebTurn | undefined>;
}

/** The path of a shared turn. */
export function sharedPath(secret: string): string {
  return `/shared/${secret}`;
}

/** A question from a caller. */
export interface WebQuestion
  extends Choice,
    Pick<TurnRequest, 'question' | 'heard' | 'instructions'> {
  /** The conversation to continue: letters, digits, `_`, `.` and `-`, at most 64. Absent: a new one. */
  readonly thread?: string;
  /** Makes a new conversation personal: no one else can read it, and it is recalled nowhere else. */
  readonly isPersonal?: boolean;
  /** Identifies a repeated question. Absent: always a new question. */
  readonly eventId?: string | undefined;
}

/** A command of `/council`. */
export interface WebCommand {
  /** The conversation in which to run it, by its name or its full thread id; absent: none. */
  readonly of?: string | undefined;
  readonly command: string;
  readonly options: Readonly<Record<string, unknown>>;
}

export type WebCouncil = ReturnType<typeof createWebCouncil>;

/**
 * Every method throws an `HTTPException` 403 if the caller lacks the permission. Turns of other workspaces and
 * other people's personal turns are not found.
 *
 * @param ingress - Returns the bot; throws before the platform is started.
 */
export function createWebCouncil(
  ingress: () => Ingress,
  live: LiveTurns,
  records: WebRecords,
  keys: Pick<KeyRecords, 'named'>,
) {
  const read = ({ workspace }: Caller, turnId: string) =>
    records.turn(`${webName}:${workspace}`, turnId);
  const turnOf = async (caller: Caller, turnId: string) => {
    const turn = await read(caller, turnId);
    return turn && isOpenTo(caller, turn) ? turn : undefined;
  };
  const newestIn = async (caller: Caller, thread: string) => {
    const [newest] = await records.turnIds(placeOf(caller, thread).threadId, { limit: 1 });
    return newest === undefined ? undefined : read(caller, newest);
  };
  /** The place of a conversation. @param privacy - Of a new one; an existing one keeps its own. */
  const placeIn = async (caller: Caller, thread: string, privacy: Partial<Place> = {}) => {
    const place = placeOf(caller, thread);
    const turn = await newestIn(caller, thread);
    if (!turn) return { ...place, ...privacy };
    if (!isOpenTo(caller, turn))
      throw new HTTPException(403, { message: 'This conversation belongs to another person.' });
    return { ...place, ...(isPersonal(turn) && personal) };
  };

  return {
    /**
     * Asks a question; one with an `eventId` once per workspace.
     *
     * @throws {HTTPException} if it is not accepted, see {@link refusal}; 409 if its id was used for a different one.
     */
    async ask(caller: Caller, asked: WebQuestion) {
      assertMay(caller, 'ask');
      const { eventId, isPersonal: startsPersonal, ...question } = asked;
      // A repeated request has to get the same conversation.
      const ownThread = eventId === undefined ? randomUUID() : hash('sha256', eventId);
      const { thread = ownThread, ...sent } = question;
      if (!threadForm.test(thread)) throw refusal({ status: 'refused', reason: threadFormWords });
      const place = await placeIn(caller, thread, startsPersonal ? personal : {});
      // Looked up before asking, so that limits used up by the first request don't refuse its repetition.
      const earlier = eventId === undefined ? undefined : await ingress().turnOf(eventId, place);
      if (earlier && earlier.question !== sent.question.trim())
        throw new HTTPException(409, { message: anotherQuestion });
      const by = { person: caller.person, eventId: eventId ?? randomUUID(), askedAt: Date.now() };
      const accepted = earlier
        ? ({
            status: 'accepted',
            turnId: earlier.turnId,
            turnsBefore: 0,
            isNew: false,
            language: earlier.language,
          } as const)
        : await ingress().ask(questionIn(place, { ...sent, ...by }));
      if (accepted.status !== 'accepted') throw refusal(accepted);
      return { ...accepted, threadId: place.threadId, thread };
    },
    /**
     * Yields the events of a turn until `ended`; yields nothing if there is no such turn.
     *
     * @param options.after - Id of the last event that was read.
     * @throws {HTTPException} 401; see {@link whileKnown}.
     */
    async *watch(
      caller: Caller,
      turnId: string,
      { after, signal }: Pick<WatchOptions, 'after' | 'signal'>,
    ): AsyncIterable<NumberedEvent> {
      assertMay(caller, 'read');
      // Checked for live turns too: the turn may belong to another workspace.
      if (!(await turnOf(caller, turnId))) return;
      const stored = async () => {
        const turn = await turnOf(caller, turnId);
        return turn && eventsOf(turn);
      };
      yield* whileKnown(caller, keys, watchTurn({ turnId, live, stored, after, signal }));
    },
    /** Whether a text asks for anything: `false` for thanks, greetings and the like, which seat no council. */
    async asks(caller: Caller, text: string): Promise<boolean> {
      const said = { text, where: 'direct message', namesCouncil: true } as const;
      let isQuestion = false;
      await ingress().interpret({ ...said, isForOthers: false }, placeOf(caller, ''), async () => {
        isQuestion = true;
        return undefined;
      });
      return isQuestion;
    },
    /** Stops a running or queued turn; returns `false` if there is none. @throws {HTTPException} 403 if another person asked. */
    async stop(caller: Caller, turnId: string) {
      assertMay(caller, 'ask');
      const turn = await turnOf(caller, turnId);
      if (!turn) return false;
      assertTheirs(caller, turn.past.request, 'stop');
      return ingress().stop(turnId, turn);
    },
    async turn(caller: Caller, turnId: string) {
      assertMay(caller, 'read');
      return turnOf(caller, turnId);
    },
    async threads(caller: Caller, page: ThreadsPage) {
      assertMay(caller, 'read');
      return records.threads(channelOf(placeOf(caller, '').threadId), page, caller.person.id);
    },
    /** Reads the turns of a conversation, newest first. @param thread - As in {@link WebQuestion.thread}. */
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
    /** The conversation for a program's chat: a separate one if that name is taken by another key, or by a conversation that others can read. */
    async threadOfChat(caller: Caller, chat: string): Promise<string> {
      const thread = threadForm.test(chat) ? chat : hash('sha256', chat);
      const newest = await newestIn(caller, thread);
      return !newest || (isPersonal(newest) && isOpenTo(caller, newest))
        ? thread
        : hash('sha256', `${caller.person.id}\n${chat}`);
    },
    /** Reads the scores of the workspace's turns, oldest first. @param since - Milliseconds since 1970. */
    async scoredTurns(caller: Caller, since: number) {
      assertMay(caller, 'read');
      return records.scoredTurns(placeOf(caller, '').threadId, since);
    },
    /** Stores messages from elsewhere. Ids that their conversation already has are skipped. */
    async ingest(caller: Caller, messages: readonly IngestedMessage[]) {
      assertMay(caller, 'ingest');
      const byThread = Map.groupBy(messages, ({ thread }) => thread);
      const placed = Array.from(byThread, async ([thread, sent]) => {
        const { isPrivate } = await placeIn(caller, thread);
        return sent.map((message) => ({ ...message, isPrivate: isPrivate === true }));
      });
      const { threadId } = placeOf(caller, '');
      return records.ingest(channelOf(threadId), (await Promise.all(placed)).flat());
    },
    /** Lists the choices for a question. */
    async offered(caller: Caller): Promise<Offered> {
      const place = placeOf(caller, '');
      const [{ bench: sages }, presets] = await Promise.all([
        ingress().settings(place),
        ingress().suggest('preset', '', place, caller.person),
      ]);
      return { sages, presets };
    },
    /** The sages and the settings of the workspace. */
    async overview(caller: Caller) {
      assertMay(caller, 'read');
      const { workspace, person } = caller;
      return ingress().overview({ platform: webName, workspace }, person.id);
    },
    /** Runs a `/council` command; its errors are in the reply. @throws {HTTPException} 403 in another person's conversation. */
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
    /** The place of a caller outside any conversation. */
    anywhere: (caller: Caller) => placeOf(caller, ''),
    /** The bot itself, for calls that this object doesn't wrap. Throws before the platform is started. */
    get ingress() {
      return ingress();
    },
  };
}

/** The events of a stored turn, in order; the last is `ended` if it has ended. */
export function eventsOf({ past, status, outcome }: WebTurn): readonly TurnEvent[] {
  return status === 'ended' ? replayTurn(past, endOf(past, outcome)) : replayTurn(past);
}

function isPersonal({ past }: WebTurn): boolean {
  return past.request.isPrivateThread === true;
}

function isOpenTo({ person }: Caller, turn: WebTurn): boolean {
  return !isPersonal(turn) || turn.past.request.author.id === person.id;
}

function placeOf({ workspace }: Caller, thread: string): Place {
  const threadId = threadIdOf({ platform: webName, workspace, channel, thread });
  return { platform: webName, workspace, channel, threadId, isPrivate: false };
}
