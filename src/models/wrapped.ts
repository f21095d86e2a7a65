import type { ChatChunk, ChatModel, ChatReply, ChatRequest } from './chat-model.ts';

/** Asks a model by one of its verbs. A whole reply comes as a stream of its last chunk alone. */
type Ask = (model: ChatModel, request: ChatRequest) => AsyncIterable<ChatChunk>;

const askForStream: Ask = (model, request) => model.stream(request);

async function* askForWhole(model: ChatModel, request: ChatRequest): AsyncGenerator<ChatChunk> {
  yield { type: 'finished', reply: await model.complete(request) };
}

/** Reads a call to its end. */
export async function replyOf(chunks: AsyncIterable<ChatChunk>): Promise<ChatReply> {
  for await (const chunk of chunks) {
    if (chunk.type === 'finished') return chunk.reply;
  }
  throw new Error("The stream ended without its reply: a fault in the model's adapter.");
}

/**
 * Wraps both verbs of a model in the same way.
 *
 * @param wrap - Makes one call by means of `ask`, and returns its chunks.
 */
export function wrapped(
  model: ChatModel,
  wrap: (request: ChatRequest, ask: Ask) => AsyncIterable<ChatChunk>,
): ChatModel {
  return {
    id: model.id,
    stream: (request) => wrap(request, askForStream),
    complete: (request) => replyOf(wrap(request, askForWhole)),
  };
}
