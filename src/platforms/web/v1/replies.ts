/** What comes of a request: a turn of the council, or a side task. */

import { createHash, randomUUID } from 'node:crypto';
import type { TurnEvent } from '../../../council/events.ts';
import { plainName, type Source } from '../../../domain/source.ts';
import { channelOf, partsOf } from '../../../domain/thread-id.ts';
import { assertMay, type Caller } from '../caller.ts';
import type { Uploads } from '../question.ts';
import { threadForm } from '../question.ts';
import { acceptedOrThrow, refusal, textOf } from '../refusals.ts';
import { eventsOf, type WebCouncil, type WebTurn } from '../web-council.ts';
import { type ConversationLimits, conversationOf } from './conversation.ts';
import { deliberation, type Piece } from './deliberation.ts';
import { V1Failure } from './failure.ts';
import type { Reply } from './reply.ts';
import { usedBy } from './reply.ts';
import type { SentFile, SentMessage, V1Request } from './requests.ts';
import { askedBy, assertOffered, modelNamed } from './requests.ts';
import { responsePrefix } from './responses.ts';
import { isSideTask } from './side-task.ts';

export interface RepliesOptions {
  readonly council: WebCouncil;
  readonly uploads: Uploads;
  readonly limits: ConversationLimits;
}

/** Who asks, and what the headers of the request say. */
export interface Asker {
  readonly caller: Caller;
  /** The program's own id of the chat: all that is asked with it is one thread. Absent: nothing is remembered. */
  readonly chat?: string | undefined;
  /** A request with the same one is asked once. */
  readonly idempotencyKey?: string | undefined;
  /** Aborted when no one waits for the reply any more: then its turn is stopped, with all calls in flight. */
  readonly gone: AbortSignal;
}

export class Replies {
  readonly #options: RepliesOptions;

  constructor(options: RepliesOptions) {
    this.#options = options;
  }

  /** Asks what a request asks. @throws {V1Failure} where it is not taken. */
  async to(request: V1Request, asker: Asker): Promise<Reply> {
    const caller = readingToo(asker.caller);
    const reply = isSideTask(request.messages)
      ? await this.#sideTask(request, { ...asker, caller })
      : await this.#turn(request, { ...asker, caller });
    return { ...reply, model: request.model, createdAt: Date.now() };
  }

  /** A response that was asked for before. @throws {V1Failure} where the caller has none with this id. */
  async kept(asker: Caller, id: string) {
    const { turnId, status, createdAt, endedAt, usage, ...turn } = await this.#ownTurn(
      readingToo(asker),
      id,
      'response',
    );
    const { request } = turn.past;
    const reply: Reply = {
      ...{ id: turnId, model: modelNamed(request), createdAt, endedAt },
      pieces: deliberation(eventsOf({ ...turn, turnId, status, createdAt, usage })),
      used: async () => usedBy(usage),
    };
    const { instructions } = request;
    return { reply, status, repeated: instructions === undefined ? {} : { instructions } };
  }

  /** Has a response forgotten, with its question and all that was made of it. Throws as {@link kept}. */
  async forget(asker: Caller, id: string): Promise<void> {
    const { council } = this.#options;
    const caller = readingToo(asker);
    const { turnId, threadId: of } = await this.#ownTurn(caller, id, 'response');
    const options = { do: 'forget', what: `turn ${turnId}`, confirm: true };
    const { isRefusal, blocks } = await council.command(caller, { of, command: 'memory', options });
    if (isRefusal) throw new V1Failure(422, 'not_taken', textOf(blocks));
  }

  /** The turn of a response, for the key alone that asked. */
  async #ownTurn(caller: Caller, id: string, what: string): Promise<WebTurn> {
    const turnId = id.startsWith(responsePrefix) ? id.slice(responsePrefix.length) : '';
    const turn = turnId === '' ? undefined : await this.#options.council.turn(caller, turnId);
    const { author, isPrivateThread } = turn?.past.request ?? {};
    if (turn && isPrivateThread && author?.id === caller.person.id) return turn;
    const text =
      'There is no response with this id. It may have been forgotten, or never was a council’s.';
    throw new V1Failure(404, `${what}_not_found`, text, `${what}_id`);
  }

  async #sideTask({ messages }: V1Request, { caller, gone }: Asker): Promise<Told> {
    const { council } = this.#options;
    const { threadId } = council.anywhere(caller);
    const shown = messages.map((message) => ({ role: roles[message.by], content: message.text }));
    const { person } = caller;
    const done = await council.ingress.sideTask({
      threadId,
      person,
      messages: shown,
      signal: gone,
    });
    if (done.status === 'refused') throw refusal(done);
    if (done.status === 'failed') throw new V1Failure(502, 'model_failed', done.reason);
    return {
      id: randomUUID(),
      pieces: saying(done.text),
      used: async () => usedBy(done.calls),
    };
  }

  async #turn(request: V1Request, asker: Asker): Promise<Told> {
    const { council, limits } = this.#options;
    const { caller, gone, idempotencyKey } = asker;
    const asked = askedBy(request.model);
    if (asked.preset !== undefined || asked.sages) {
      assertOffered(request.model, asked, await council.offered(caller, asked.preset));
    }
    // The key is the program's own: another one's with the same key is another question.
    const eventId = idempotencyKey
      ? digest(`${caller.person.id}\n${idempotencyKey}`)
      : randomUUID();
    const { thread = eventId, isRemembered } = await this.#threadOf(request, asker);
    const { question, instructions, heard } = conversationOf(request.messages, {
      ...{
        place: channelOf(council.anywhere(caller).threadId),
        eventId,
        author: caller.person,
        at: Date.now(),
        limits,
      },
      keep: (file) => this.#keep(file),
      isRemembered,
    });
    if (gone.aborted) throw new V1Failure(400, 'gone', 'Nobody waits for the answer any more.');
    const asking = await council.ask(caller, {
      ...{ ...asked, question, thread, eventId, isPersonal: true },
      ...(instructions !== '' && { instructions }),
      ...(heard && { heard }),
    });
    const { turnId } = acceptedOrThrow(asking);
    const stop = () => void council.stop(caller, turnId).catch(() => undefined);
    gone.addEventListener('abort', stop, { once: true });
    if (gone.aborted) stop();
    return {
      id: turnId,
      pieces: deliberation(watchedEvents(council.watch(caller, turnId, { signal: gone }))),
      used: async () => usedBy((await council.turn(caller, turnId))?.usage ?? []),
    };
  }

  /** The thread that a request goes on with, and whether the council knows what was said in it; absent: one of its own. */
  async #threadOf({ previous }: V1Request, { caller, chat }: Asker): Promise<GoneOn> {
    const { council } = this.#options;
    if (previous === undefined) {
      if (!chat) return { isRemembered: false };
      const thread = threadForm.test(chat) ? chat : digest(chat);
      // The chat may have begun with another model.
      const [known] = await council.history(caller, thread, { limit: 1 });
      return { thread, isRemembered: known !== undefined };
    }
    const { threadId } = await this.#ownTurn(caller, previous, 'previous_response');
    return { thread: partsOf(threadId).thread, isRemembered: true };
  }

  #keep({ name, address }: SentFile): Source {
    const kept = this.#options.uploads.keep(name, address);
    if (kept) return kept;
    const kind = 'file';
    const shown = plainName(name, 'file');
    const url = URL.parse(address);
    if (url && /^https?:$/.test(url.protocol)) {
      return { status: 'pointed', kind: 'page', name: shown, address: url.href };
    }
    return { status: 'unread', kind, name: shown, why: 'it came without its content' };
  }
}

interface GoneOn {
  readonly thread?: string;
  readonly isRemembered: boolean;
}

type Told = Pick<Reply, 'id' | 'pieces' | 'used'>;

const roles = {
  instructions: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'user',
} as const satisfies Record<SentMessage['by'], string>;

/** Who may ask may read what is answered. Throws `ForbiddenError` for a caller who may not ask. */
function readingToo(caller: Caller): Caller {
  assertMay(caller, 'ask');
  return { ...caller, scopes: new Set([...caller.scopes, 'read']) };
}

async function* saying(text: string): AsyncGenerator<Piece, void, undefined> {
  yield { type: 'said', text };
  yield { type: 'ended', end: { outcome: 'answered', explanation: '' } };
}

async function* watchedEvents(
  watched: AsyncIterable<{ readonly event: TurnEvent }>,
): AsyncGenerator<TurnEvent, void, undefined> {
  for await (const { event } of watched) yield event;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
