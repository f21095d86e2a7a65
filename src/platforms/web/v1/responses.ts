/**
 * A reply as responses: events, or one object. The deliberation is a reasoning item, one part of its summary for each
 * section; the verdict is a message.
 *
 * @see https://www.openresponses.org/specification
 */

import { V1Failure } from './failure.ts';
import { inSeconds, type Reply, responsesUsage, untilAnswered, wholeOf } from './reply.ts';
import type { V1Request } from './requests.ts';

/** What a response repeats of its request. */
type Repeated = Pick<V1Request, 'previous' | 'instructions'>;

/** Of the ids of replies, by which later requests go on from them. */
export const responsePrefix = 'resp_';

/** What becomes known of a response as it goes. */
interface Known {
  readonly status: 'queued' | 'in_progress' | 'completed' | 'failed';
  readonly output: readonly (ReturnType<typeof reasoningItem> | ReturnType<typeof messageItem>)[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly usage?: ReturnType<typeof responsesUsage>;
}

/** The events of a reply. One that ends without an answer ends in `response.failed`. */
export async function* responseEvents(reply: Reply, request: Repeated) {
  let sequence = 0;
  const event = <Facts extends object>(type: string, facts: Facts) => ({
    ...{ type, sequence_number: sequence++ },
    ...facts,
  });
  const lifecycle = (type: string, known: Known) =>
    event(type, { response: responseOf(reply, request, known) });
  const begun: Known = { status: 'in_progress', output: [] };
  const thoughts: string[] = [];
  let said = '';
  /** The reasoning item is at 0 where there is one; behind it stands the message. */
  const address = () => ({
    ...{ item_id: idsOf(reply).message, content_index: 0 },
    output_index: Math.min(1, thoughts.length),
  });

  const inSummary = () => ({
    ...{ item_id: idsOf(reply).reasoning, output_index: 0 },
    summary_index: thoughts.length - 1,
  });
  /** Ends the part of the summary that is being told. */
  function* endPart() {
    const text = thoughts.at(-1);
    if (text === undefined || said !== '') return;
    yield event('response.reasoning_summary_text.done', { ...inSummary(), text });
    yield event('response.reasoning_summary_part.done', {
      ...inSummary(),
      part: summaryPart(text),
    });
  }

  yield lifecycle('response.created', begun);
  yield lifecycle('response.in_progress', begun);
  try {
    for await (const piece of untilAnswered(reply.pieces)) {
      const { text } = piece;
      if (piece.type === 'said') {
        if (said === '') {
          yield* endPart();
          if (thoughts.length > 0) {
            const item = reasoningItem(reply, thoughts);
            yield event('response.output_item.done', { output_index: 0, item });
          }
          const { output_index } = address();
          const item = messageItem(reply, 'in_progress', []);
          yield event('response.output_item.added', { output_index, item });
          yield event('response.content_part.added', { ...address(), part: textPart('') });
        }
        said += text;
        yield event('response.output_text.delta', { ...address(), delta: text, logprobs: [] });
      } else if (said === '') {
        if (thoughts.length === 0) {
          const item = reasoningItem(reply, []);
          yield event('response.output_item.added', { output_index: 0, item });
        }
        if (!piece.goesOn) {
          yield* endPart();
          thoughts.push('');
          const part = summaryPart('');
          yield event('response.reasoning_summary_part.added', { ...inSummary(), part });
        }
        thoughts.push(`${thoughts.pop() ?? ''}${text}`);
        yield event('response.reasoning_summary_text.delta', { ...inSummary(), delta: text });
      }
    }
  } catch (error) {
    yield lifecycle('response.failed', failedWith(error));
    return;
  }
  const output = outputOf(reply, thoughts, said);
  const { output_index } = address();
  yield event('response.output_text.done', { ...address(), text: said, logprobs: [] });
  yield event('response.content_part.done', { ...address(), part: textPart(said) });
  yield event('response.output_item.done', { output_index, item: output.at(-1) });
  const usage = responsesUsage(await reply.used());
  yield lifecycle('response.completed', { status: 'completed', output, usage });
}

/** A whole reply. Throws a {@link V1Failure} where it ends without an answer. */
export async function wholeResponse(reply: Reply, request: Repeated) {
  const { thoughts, said } = await wholeOf(reply);
  const output = outputOf(reply, thoughts, said);
  const usage = responsesUsage(await reply.used());
  return responseOf(reply, request, { status: 'completed', output, usage });
}

/** A response as it is kept, whatever came of it. @param status - Of its turn. */
export async function keptResponse(
  reply: Reply,
  request: Repeated,
  status: 'queued' | 'running' | 'ended',
) {
  if (status !== 'ended') {
    const known = { status: status === 'queued' ? status : 'in_progress', output: [] } as const;
    return responseOf(reply, request, known);
  }
  try {
    return await wholeResponse(reply, request);
  } catch (error) {
    return responseOf(reply, request, failedWith(error));
  }
}

/** Throws what is no {@link V1Failure}. */
function failedWith(error: unknown): Known {
  if (!(error instanceof V1Failure)) throw error;
  const { code, message } = error;
  return { status: 'failed', output: [], error: { code, message } };
}

function outputOf(reply: Reply, thoughts: readonly string[], said: string) {
  return [
    ...(thoughts.length === 0 ? [] : [reasoningItem(reply, thoughts)]),
    messageItem(reply, 'completed', [textPart(said)]),
  ];
}

/** Every field that the specification requires, since strict readers miss each of them. */
function responseOf(reply: Reply, request: Repeated, { status, output, error, usage }: Known) {
  return {
    ...{ id: `${responsePrefix}${reply.id}`, object: 'response', status, model: reply.model },
    created_at: inSeconds(reply.createdAt),
    completed_at: status === 'completed' ? inSeconds(reply.endedAt ?? Date.now()) : null,
    ...{
      previous_response_id: request.previous ?? null,
      instructions: request.instructions ?? null,
      output,
    },
    ...{ error: error ?? null, incomplete_details: null, usage: usage ?? null },
    ...{ tools: [], tool_choice: 'none', parallel_tool_calls: false, max_tool_calls: null },
    ...{ text: { format: { type: 'text' } }, reasoning: { effort: null, summary: null } },
    ...{ temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, top_logprobs: 0 },
    ...{ truncation: 'disabled', max_output_tokens: null, background: false, store: true },
    ...{ service_tier: 'default', metadata: {}, user: null },
    ...{ safety_identifier: null, prompt_cache_key: null },
  };
}

function idsOf({ id }: Reply) {
  return { reasoning: `rs_${id}`, message: `msg_${id}` };
}

function reasoningItem(reply: Reply, thoughts: readonly string[]) {
  return {
    ...({ type: 'reasoning', id: idsOf(reply).reasoning } as const),
    summary: thoughts.map(summaryPart),
  };
}

function messageItem(
  reply: Reply,
  status: 'in_progress' | 'completed',
  content: readonly ReturnType<typeof textPart>[],
) {
  return {
    ...({ type: 'message', id: idsOf(reply).message, role: 'assistant', status, content } as const),
  };
}

function summaryPart(text: string) {
  return { type: 'summary_text', text } as const;
}

function textPart(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] } as const;
}
