/** What comes of a request: a turn of the council, or an errand. */

import { createHash, randomUUID } from 'node:crypto';
import type { TurnEvent } from '../../../council/events.ts';
import { plainName, type Source } from '../../../domain/source.ts';
import { channelOf, partsOf } from '../../../domain/thread-id.ts';
import { assertMay, type Caller } from '../caller.ts';
import { threadForm } from '../question.ts';
import { refusal, takenOrThrow } from '../refusals.ts';
import type { Uploads } from '../uploads.ts';
import { type WebCouncil, webName } from '../web-council.ts';
import { type ConversationLimits, conversationOf } from './conversation.ts';
import { deliberation, type Piece } from './deliberation.ts';
import { isErrand } from './errand.ts';
import { V1Failure } from './failure.ts';
import { askedBy, assertOffered } from './model-ids.ts';
import type { Reply } from './reply.ts';
import type { SentFile, SentMessage, V1Request } from './requests.ts';
import { responsePrefix } from './responses.ts';
import { usedBy } from './usage.ts';

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
    assertMay(asker.caller, 'ask');
    // Who may ask may read what is answered.
    const { scopes } = asker.caller;
    const caller: Caller = { ...asker.caller, scopes: new Set([...scopes, 'read']) };
    const reply = isErrand(request.messages)
      ? await this.#errand(request, { ...asker, caller })
      : await this.#turn(request, { ...asker, caller });
    return { ...reply, model: request.model, createdAt: Date.now() };
  }

  async #errand({ messages }: V1Request, { caller, gone }: Asker): Promise<Told> {
    const { council } = this.#options;
    const { threadId } = council.anywhere(caller);
    const shown = messages.map((message) => ({ role: roles[message.by], content: message.text }));
    const { person } = caller;
    const done = await council.ingress.errand({ threadId, person, messages: shown, signal: gone });
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
      ...{ ...asked, question, thread, eventId, isApart: true },
      ...(instructions !== '' && { instructions }),
      ...(heard && { heard }),
    });
    const { turnId } = takenOrThrow(asking);
    const stop = () => void council.stop(caller, turnId).catch(() => undefined);
    gone.addEventListener('abort', stop, { once: true });
    if (gone.aborted) stop();
    return {
      id: turnId,
      pieces: deliberation(eventsOf(council.watch(caller, turnId, { signal: gone }))),
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
    const turnId = previous.startsWith(responsePrefix) ? previous.slice(responsePrefix.length) : '';
    const turn = await council.turn(caller, turnId);
    if (!turn || partsOf(turn.threadId).platform !== webName) {
      const text =
        'There is no response with this id. It may have been forgotten, or never was a council’s.';
      throw new V1Failure(404, 'previous_response_not_found', text, 'previous_response_id');
    }
    return { thread: partsOf(turn.threadId).thread, isRemembered: true };
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

async function* saying(text: string): AsyncGenerator<Piece, void, undefined> {
  yield { type: 'said', text };
  yield { type: 'ended', end: { outcome: 'answered', explanation: '' } };
}

async function* eventsOf(
  watched: AsyncIterable<{ readonly event: TurnEvent }>,
): AsyncGenerator<TurnEvent, void, undefined> {
  for await (const { event } of watched) yield event;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
