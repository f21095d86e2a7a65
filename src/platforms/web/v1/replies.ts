/** Answers requests of both APIs by a turn of the council or a side task. */

import { hash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'hono';
import type { TurnEvent } from '../../../council/events.ts';
import { turnWordsIn } from '../../../domain/languages/languages.ts';
import { channelOf, partsOf } from '../../../domain/thread-id.ts';
import { assertMay, type Caller, callerIn, type WebEnv } from '../caller.ts';
import { forgetTurn } from '../council-replies.ts';
import { CodedError, refusal } from '../refusals.ts';
import type { WebParts } from '../server.ts';
import { eventsOf, type WebTurn } from '../web-council.ts';
import { type ConversationLimits, conversationOf } from './conversation.ts';
import { deliberation, type Reply, usageOf, wholeOf } from './deliberation.ts';
import {
  assertOffered,
  chatWith,
  choiceOf,
  modelOf,
  responsePrefix,
  type SentMessage,
  taskPrefix,
  type V1Request,
} from './requests.ts';
import { isSideTask } from './side-task.ts';

/** The caller, and the headers of the request. */
export interface Asker {
  /** See {@link programIn}. */
  readonly caller: Caller;
  /** The program's id of the chat; requests with the same id and model share a thread. Absent: nothing is remembered. */
  readonly chat?: string | undefined;
  /** Requests with the same key are asked once, and their turn outlasts the connection. */
  readonly idempotencyKey?: string | undefined;
  /** Aborted when the client disconnects: stops the turn and its model calls, unless there is a key or it asks again. */
  readonly gone: AbortSignal;
}

/** The caller, who may read the answers too. Throws an `HTTPException` 403 if the caller may not ask. */
export function programIn(context: Context<WebEnv>): Caller {
  const caller = callerIn(context);
  assertMay(caller, 'ask');
  return { ...caller, scopes: new Set([...caller.scopes, 'read']) };
}

/** How many turns of a chat are recognised in what its program sends again. */
const mostTurns = 50;

/** How long a client that gave up on a whole reply may take to ask for it again, in milliseconds: most retry sooner. */
const repeatWithinMs = 10_000;

/** Answers requests by turns and side tasks. */
export function createReplies(
  { council, uploads, closing }: Pick<WebParts, 'council' | 'uploads' | 'closing'>,
  limits: ConversationLimits,
) {
  /** Whole replies that clients have just given up on: hashes of their requests, by the ids of their events. */
  const left = new Map<string, string>();

  /** Reads the turn of a response. @throws {CodedError} unless this caller asked it. */
  async function turnOf(caller: Caller, id: string, what = 'response'): Promise<WebTurn> {
    const turnId = id.startsWith(responsePrefix) ? id.slice(responsePrefix.length) : '';
    const turn = turnId === '' ? undefined : await council.turn(caller, turnId);
    const { author, isPrivateThread } = turn?.past.request ?? {};
    if (turn && isPrivateThread && author?.id === caller.person.id) return turn;
    const text =
      'There is no response with this id. It may have been deleted, or is not one of this council’s.';
    throw new CodedError(404, `${what}_not_found`, text, `${what}_id`);
  }

  /** Whether a single call is enough: for a side task, or for words that ask the council nothing. */
  async function isSmall({ messages, model }: V1Request, { caller }: Asker): Promise<boolean> {
    if (isSideTask(messages)) return true;
    const last = messages.findLast(({ by }) => by !== 'instructions');
    // One sage takes a single call, too.
    if (last?.by !== 'user' || last.files.length > 0 || choiceOf(model).sages) return false;
    return !(await council.asks(caller, last.text));
  }

  async function sideTask(
    { messages, previous }: V1Request,
    { caller, gone }: Asker,
  ): Promise<Started> {
    // Nothing of it is stored, so what continues it continues the response before it.
    const id = previous
      ? (await turnOf(caller, previous, 'previous_response')).turnId
      : `${taskPrefix}${randomUUID()}`;
    const done = await council.ingress.sideTask({
      threadId: council.anywhere(caller).threadId,
      person: caller.person,
      signal: gone,
      messages: messages.map(({ by, text }) => ({ role: roles[by], content: text })),
    });
    if (done.status === 'refused') throw refusal(done);
    if (done.status === 'failed') throw new CodedError(502, 'model_failed', done.reason);
    return {
      id,
      pieces: [{ type: 'content', text: done.text }],
      usage: async () => usageOf(done.calls),
    };
  }

  async function startTurn(request: V1Request, asker: Asker): Promise<Started> {
    const { caller, gone, chat, idempotencyKey } = asker;
    const choice = choiceOf(request.model);
    if (choice.preset !== undefined || choice.sages) {
      assertOffered(request.model, await council.offered(caller));
    }
    const call = hash('sha256', JSON.stringify([caller.person.id, chat, request]));
    const [given] = [...left].find(([, other]) => other === call) ?? [];
    // Hashed with the caller's id, because two programs may use the same key for different questions.
    const eventId = idempotencyKey
      ? hash('sha256', `${caller.person.id}\n${idempotencyKey}`)
      : (given ?? randomUUID());
    const { thread = eventId, replies } = await threadOf(request, asker);
    const said = conversationOf(request.messages, {
      eventId,
      author: caller.person,
      at: Date.now(),
      limits,
      replies,
      place: channelOf(council.anywhere(caller).threadId),
      uploads,
    });
    if (gone.aborted) throw new CodedError(400, 'gone', 'The client disconnected.');
    const asked = { ...choice, ...said, thread, isPersonal: true, eventId };
    const { turnId, language } = await council.ask(caller, asked);
    left.delete(eventId);
    const leave = async () => {
      if (!request.isStreamed) {
        // Programs and proxies give up on a reply that takes minutes to begin, and then send the request again.
        left.set(eventId, call);
        await wait(repeatWithinMs, undefined, { signal: closing }).catch(() => undefined);
        if (!left.delete(eventId)) return;
      }
      await council.stop(caller, turnId);
    };
    const stop = () => void leave().catch(() => undefined);
    // With a key, the client may reconnect and expect the reply.
    if (!idempotencyKey) {
      gone.addEventListener('abort', stop, { once: true });
      if (gone.aborted) stop();
    }
    return {
      id: turnId,
      pieces: deliberation(
        watchedEvents(council.watch(caller, turnId, { signal: gone })),
        turnWordsIn(language),
      ),
      usage: async () => usageOf((await council.turn(caller, turnId))?.usage ?? []),
    };
  }

  /** The thread that a request continues, if any, and the council's replies in it that the request may repeat. */
  async function threadOf({ previous, model }: V1Request, { caller, chat }: Asker) {
    if (previous) {
      const { threadId } = await turnOf(caller, previous, 'previous_response');
      // The request has only what is new.
      return { thread: partsOf(threadId).thread, replies: [] };
    }
    if (!chat) return { replies: [] };
    const thread = await council.threadOfChat(caller, chatWith(model, chat));
    const turns = await council.history(caller, thread, { limit: mostTurns });
    const answered = turns.filter(({ outcome }) => outcome === 'answered');
    const replies = answered.map(async (turn) => (await wholeOf(storedReply(turn))).content.trim());
    return { thread, replies: (await Promise.all(replies)).filter((reply) => reply !== '') };
  }

  return {
    turnOf,
    /** Starts a reply. @throws {CodedError} if the request is refused. */
    async to(request: V1Request, asker: Asker): Promise<Reply> {
      const start = (await isSmall(request, asker)) ? sideTask : startTurn;
      const started = await start(request, asker);
      return { ...started, model: request.model, createdAt: Date.now() };
    },
    /** Deletes a response with its question and everything derived from it. Throws like {@link turnOf}. */
    async forget(caller: Caller, id: string): Promise<void> {
      await forgetTurn(council, caller, await turnOf(caller, id), true);
    },
  };
}

/** The reply that a stored turn gave. */
export function storedReply(turn: WebTurn): Reply {
  const { turnId, createdAt, endedAt, usage, past } = turn;
  return {
    id: turnId,
    model: modelOf(past.request),
    createdAt,
    endedAt,
    pieces: deliberation(eventsOf(turn), turnWordsIn(past.request.language)),
    usage: async () => usageOf(usage),
  };
}

type Started = Pick<Reply, 'id' | 'pieces' | 'usage'>;

const roles = {
  instructions: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'user',
} as const satisfies Record<SentMessage['by'], string>;

async function* watchedEvents(
  watched: AsyncIterable<{ readonly event: TurnEvent }>,
): AsyncGenerator<TurnEvent, void, undefined> {
  for await (const { event } of watched) yield event;
}
