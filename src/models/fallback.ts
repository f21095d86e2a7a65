import {
  type ChatChunk,
  type ChatModel,
  type ChatReply,
  type ChatRequest,
  ModelError,
} from './chat-model.ts';

/**
 * A model for which others stand in when it fails, in their order. Outside of `withRetry`: each has had
 * its own tries before the next is asked. A reply says by whom it is; a call says for whom it stands in.
 *
 * @returns A model that throws the failure of the first: that is the one to fix.
 */
export function withFallback(model: ChatModel, others: readonly ChatModel[]): ChatModel {
  const standIns = others.filter(({ id }) => id !== model.id);
  if (standIns.length === 0) return model;

  async function complete(request: ChatRequest): Promise<ChatReply> {
    const failures = new Failures(model);
    for (const next of [model, ...standIns]) {
      try {
        return signed(await next.complete(failures.passOn(request)), next, model);
      } catch (error) {
        failures.add(error, request);
      }
    }
    throw failures.first;
  }

  async function* stream(request: ChatRequest): AsyncGenerator<ChatChunk> {
    const failures = new Failures(model);
    for (const next of [model, ...standIns]) {
      if (failures.last) yield { type: 'restarted', cause: failures.last };
      try {
        for await (const chunk of next.stream(failures.passOn(request))) {
          const isEnd = chunk.type === 'finished';
          yield isEnd ? { ...chunk, reply: signed(chunk.reply, next, model) } : chunk;
        }
        return;
      } catch (error) {
        failures.add(error, request);
      }
    }
    throw failures.first;
  }

  return { id: model.id, complete, stream };
}

function signed(reply: ChatReply, by: ChatModel, asked: ChatModel): ChatReply {
  return by === asked ? reply : { ...reply, by: by.id };
}

/** The failures of one call, of one model after the other. */
class Failures {
  readonly #asked: ChatModel;
  first: ModelError | undefined;
  last: ModelError | undefined;

  constructor(asked: ChatModel) {
    this.#asked = asked;
  }

  /** Throws what is no model's failure: a stop, a deadline, a fault in the code. */
  add(error: unknown, { signal }: ChatRequest): void {
    signal.throwIfAborted();
    if (!(error instanceof ModelError)) throw error;
    this.first ??= error;
    this.last = error;
  }

  /** The request for the next model. */
  passOn(request: ChatRequest): ChatRequest {
    const { first } = this;
    return first ? { ...request, standsInFor: `${this.#asked.id}: ${first.message}` } : request;
  }
}
