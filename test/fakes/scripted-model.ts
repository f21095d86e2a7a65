/** A model that says what a test wrote down, and throws when it is asked for more. */

import type {
  ChatChunk,
  ChatModel,
  ChatReply,
  ChatRequest,
  ModelError,
} from '../../src/models/chat-model.ts';

/** What to say to one call: text, pieces of text, an error, or whatever a function makes of the request. */
export type Line =
  | string
  | readonly string[]
  | ModelError
  | ((
      request: ChatRequest,
    ) =>
      | string
      | readonly string[]
      | ModelError
      | Promise<string | readonly string[] | ModelError>);

export interface ScriptedModel extends ChatModel {
  /** Every request so far. */
  readonly requests: readonly ChatRequest[];
  /** How many lines no one has asked for. */
  readonly unsaid: number;
}

/** @param lines - One for each call, in order. */
export function scriptedModel(id: string, lines: readonly Line[]): ScriptedModel {
  const requests: ChatRequest[] = [];
  const left = [...lines];

  async function next(request: ChatRequest): Promise<readonly string[]> {
    request.signal.throwIfAborted();
    requests.push(request);
    const line = left.shift();
    if (line === undefined) {
      throw new Error(
        `${id} was asked more often than scripted: ${request.stage} ${request.sage ?? ''}`,
      );
    }
    const said =
      typeof line === 'function'
        ? await untilAborted(Promise.resolve(line(request)), request.signal)
        : line;
    if (said instanceof Error) throw said;
    return typeof said === 'string' ? [said] : said;
  }

  return {
    id,
    requests,
    get unsaid() {
      return left.length;
    },
    async complete(request) {
      return replyOf((await next(request)).join(''));
    },
    async *stream(request): AsyncGenerator<ChatChunk> {
      const pieces = await next(request);
      for (const text of pieces) {
        request.signal.throwIfAborted();
        yield { type: 'text', text };
      }
      yield { type: 'finished', reply: replyOf(pieces.join('')) };
    },
  };
}

/** A line that is never said: the call hangs until it is aborted. */
export const hang: Line = () => new Promise(() => undefined);

function replyOf(text: string): ChatReply {
  return {
    text,
    reasoning: '',
    finishReason: 'stop',
    usage: { inputTokens: 10, outputTokens: 5, reasoningTokens: 0 },
  };
}

async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
