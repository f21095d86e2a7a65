/**
 * Formats replies for `/v1/responses`, streamed or whole. The deliberation is a reasoning item with one summary part
 * per section; the verdict is a message.
 *
 * @see https://www.openresponses.org/specification
 */

import { CodedError, withIsoTimes } from '../refusals.ts';
import { inSeconds, type Reply, type Usage, wholeOf } from './deliberation.ts';
import { responsePrefix, type V1Request } from './requests.ts';

/** The fields that a response repeats from its request. */
type Echoed = Pick<V1Request, 'previous' | 'instructions'>;

/** The fields of a response that change while it is generated. */
interface State {
  readonly status: 'queued' | 'in_progress' | 'completed' | 'failed';
  readonly output: readonly (ReturnType<typeof reasoningItem> | ReturnType<typeof messageItem>)[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly usage?: ReturnType<typeof responsesUsage>;
}

/** The events of a reply. A reply without an answer ends with `response.failed`. */
export async function* responseEvents(reply: Reply, request: Echoed) {
  let sequence = 0;
  const event = <Facts extends object>(type: string, facts: Facts) => ({
    type: `response.${type}`,
    sequence_number: sequence++,
    ...facts,
  });
  const lifecycle = (type: string, state: State) =>
    event(type, { response: responseOf(reply, request, state) });
  const reasoning: string[] = [];
  let content = '';
  /** The reasoning item, if there is one, is at index 0, the message behind it. */
  const inMessage = () => ({
    item_id: `msg_${reply.id}`,
    content_index: 0,
    output_index: Math.min(1, reasoning.length),
  });

  const inSummary = () => ({
    item_id: `rs_${reply.id}`,
    output_index: 0,
    summary_index: reasoning.length - 1,
  });
  /** Ends the current part of the summary. */
  function* endPart() {
    const text = reasoning.at(-1);
    if (text === undefined || content !== '') return;
    yield event('reasoning_summary_text.done', { ...inSummary(), text });
    yield event('reasoning_summary_part.done', { ...inSummary(), part: summaryPart(text) });
  }

  for (const type of ['created', 'in_progress']) {
    yield lifecycle(type, { status: 'in_progress', output: [] });
  }
  try {
    for await (const piece of reply.pieces) {
      const { text } = piece;
      if (piece.type === 'content') {
        if (content === '') {
          yield* endPart();
          if (reasoning.length > 0) {
            const item = reasoningItem(reply, reasoning);
            yield event('output_item.done', { output_index: 0, item });
          }
          const { output_index } = inMessage();
          const item = messageItem(reply, 'in_progress', []);
          yield event('output_item.added', { output_index, item });
          yield event('content_part.added', { ...inMessage(), part: textPart('') });
        }
        content += text;
        yield event('output_text.delta', { ...inMessage(), delta: text, logprobs: [] });
      } else if (content === '') {
        if (reasoning.length === 0) {
          const item = reasoningItem(reply, []);
          yield event('output_item.added', { output_index: 0, item });
        }
        if (!piece.isContinued) {
          yield* endPart();
          reasoning.push('');
          const part = summaryPart('');
          yield event('reasoning_summary_part.added', { ...inSummary(), part });
        }
        reasoning.push(`${reasoning.pop() ?? ''}${text}`);
        yield event('reasoning_summary_text.delta', { ...inSummary(), delta: text });
      }
    }
  } catch (error) {
    yield lifecycle('failed', failedWith(error));
    return;
  }
  const output = outputOf(reply, reasoning, content);
  const { output_index } = inMessage();
  yield event('output_text.done', { ...inMessage(), text: content, logprobs: [] });
  yield event('content_part.done', { ...inMessage(), part: textPart(content) });
  yield event('output_item.done', { output_index, item: output.at(-1) });
  const usage = responsesUsage(await reply.usage());
  yield lifecycle('completed', { status: 'completed', output, usage });
}

/** The whole reply. Throws a {@link CodedError} if it ends without an answer. */
export async function wholeResponse(reply: Reply, request: Echoed) {
  const { reasoning, content } = await wholeOf(reply);
  const output = outputOf(reply, reasoning, content);
  const usage = responsesUsage(await reply.usage());
  return responseOf(reply, request, { status: 'completed', output, usage });
}

/** A stored response, finished or not. @param status - Of its turn. */
export async function storedResponse(
  reply: Reply,
  request: Echoed,
  status: 'queued' | 'running' | 'ended',
) {
  if (status !== 'ended') {
    const state = { status: status === 'queued' ? status : 'in_progress', output: [] } as const;
    return responseOf(reply, request, state);
  }
  try {
    return await wholeResponse(reply, request);
  } catch (error) {
    return responseOf(reply, request, failedWith(error));
  }
}

/** The state after a {@link CodedError}; rethrows other errors. */
function failedWith(error: unknown): State {
  if (!(error instanceof CodedError)) throw error;
  const { code, message } = error;
  return { status: 'failed', output: [], error: { code, message: withIsoTimes(message) } };
}

function outputOf(reply: Reply, reasoning: readonly string[], content: string) {
  return [
    ...(reasoning.length === 0 ? [] : [reasoningItem(reply, reasoning)]),
    messageItem(reply, 'completed', [textPart(content)]),
  ];
}

/** Contains every field that the specification requires, because strict clients check them all. */
function responseOf(reply: Reply, request: Echoed, { status, output, error, usage }: State) {
  return {
    id: `${responsePrefix}${reply.id}`,
    object: 'response',
    status,
    model: reply.model,
    created_at: inSeconds(reply.createdAt),
    completed_at: status === 'completed' ? inSeconds(reply.endedAt ?? Date.now()) : null,
    previous_response_id: request.previous ?? null,
    instructions: request.instructions ?? null,
    output,
    error: error ?? null,
    incomplete_details: null,
    usage: usage ?? null,
    tools: [],
    tool_choice: 'none',
    parallel_tool_calls: false,
    max_tool_calls: null,
    text: { format: { type: 'text' } },
    reasoning: { effort: null, summary: null },
    temperature: 1,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    truncation: 'disabled',
    max_output_tokens: null,
    background: false,
    store: true,
    service_tier: 'default',
    metadata: {},
    user: null,
    safety_identifier: null,
    prompt_cache_key: null,
  };
}

function reasoningItem(reply: Reply, reasoning: readonly string[]) {
  const summary = reasoning.map(summaryPart);
  return { type: 'reasoning', id: `rs_${reply.id}`, summary } as const;
}

function messageItem(
  reply: Reply,
  status: 'in_progress' | 'completed',
  content: readonly ReturnType<typeof textPart>[],
) {
  return { type: 'message', id: `msg_${reply.id}`, role: 'assistant', status, content } as const;
}

function summaryPart(text: string) {
  return { type: 'summary_text', text } as const;
}

function textPart(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] } as const;
}

/** The `usage` of a response. */
function responsesUsage({ input, output, reasoning }: Usage) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
