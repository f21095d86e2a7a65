import type { ChatChunk, ChatModel, ChatReply, ChatRequest } from '../../src/models/chat-model.ts';

/** What one call does: the pieces of its text, then its end; an error is thrown instead of an end. */
export interface ScriptedCall {
  readonly pieces?: readonly string[];
  readonly reasoning?: string;
  readonly reply?: Partial<ChatReply>;
  readonly error?: unknown;
}

/** A model that says what its script says, and throws when it is asked more often. */
export function createScriptedModel(...script: readonly ScriptedCall[]) {
  const requests: ChatRequest[] = [];

  function nextCall(request: ChatRequest): ScriptedCall {
    const call = script[requests.length];
    requests.push(request);
    if (call === undefined) {
      throw new Error(
        `The model was asked ${requests.length} times; ${script.length} were scripted.`,
      );
    }
    return call;
  }

  function replyOf({ pieces = [], reasoning = '', reply }: ScriptedCall): ChatReply {
    return { text: pieces.join(''), reasoning, finishReason: 'stop', ...reply };
  }

  async function complete(request: ChatRequest): Promise<ChatReply> {
    const call = nextCall(request);
    if ('error' in call) {
      throw call.error;
    }
    return replyOf(call);
  }

  async function* stream(request: ChatRequest): AsyncGenerator<ChatChunk> {
    const call = nextCall(request);
    if (call.reasoning) {
      yield { type: 'reasoning', text: call.reasoning };
    }
    for (const text of call.pieces ?? []) {
      yield { type: 'text', text };
    }
    if ('error' in call) {
      throw call.error;
    }
    yield { type: 'finished', reply: replyOf(call) };
  }

  const model: ChatModel = { id: 'scripted:model', complete, stream };
  return { model, requests };
}
