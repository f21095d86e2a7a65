/** The council as a model, for programs that use OpenAI’s API. */

import { type Context, Hono } from 'hono';
import { councilHeader } from '../../../domain/asking.ts';
import type { WebEnv } from '../caller.ts';
import { eventStream, type Frame } from '../event-stream.ts';
import { CodedError, failureOf } from '../refusals.ts';
import type { WebParts, WebRoutes } from '../server.ts';
import type { ConversationLimits } from './conversation.ts';
import { inSeconds, type Reply, type Usage, wholeOf } from './deliberation.ts';
import { createReplies, programIn, storedReply } from './replies.ts';
import {
  assertOffered,
  chatRequest,
  modelIds,
  responsesRequest,
  type V1Request,
} from './requests.ts';
import { responseEvents, storedResponse, wholeResponse } from './responses.ts';

/** Options of `/v1`, where programs use the council as a model. */
export interface V1Options {
  readonly limits: ConversationLimits;
  /** The field of chat completions for the deliberation: only one, because some programs show both. */
  readonly reasoningField: 'reasoning_content' | 'reasoning';
}

type ChatFormat = Pick<V1Options, 'reasoningField'> & Pick<V1Request, 'wantsUsage'>;

/** One of the two APIs: how to read a request and format its reply. */
interface Api {
  readonly read: (body: unknown) => V1Request;
  readonly events: (reply: Reply, request: V1Request) => AsyncGenerator<object, void, undefined>;
  readonly whole: (reply: Reply, request: V1Request) => Promise<object>;
  /** Sent after the last event; absent: nothing. */
  readonly last?: string;
}

/** Requests contain pictures. */
const mostBodyBytes = 16_000_000;
/** One hour: longer than any council takes. */
const withinMs = 3_600_000;
/** Headers in which programs send the id of a chat. */
const chatHeaders = ['x-session-id', 'x-openwebui-chat-id', 'x-conversation-id'];
/** Ids that several chats share: LibreChat's of each new one, Open WebUI's of temporary ones, and templates left unfilled. */
const sharedChat = /^(?:new$|local:|\{\{)/;

export function v1Routes(parts: WebParts, { reasoningField, limits }: V1Options): WebRoutes {
  const { council, log } = parts;
  const replies = createReplies(parts, limits);
  const startedAt = inSeconds(Date.now());
  const chat: Api = {
    read: chatRequest,
    events: (reply, { wantsUsage }) => chatChunks(reply, { reasoningField, wantsUsage }),
    whole: (reply) => chatCompletion(reply, reasoningField),
    last: '[DONE]',
  };
  const responses: Api = { read: responsesRequest, events: responseEvents, whole: wholeResponse };

  const answer = async (context: Context<WebEnv>, api: Api) => {
    const { req } = context;
    if (req.header(councilHeader) !== undefined)
      throw new CodedError(400, 'council_recursion', recursionWords);
    const caller = programIn(context);
    const body: unknown = await req.json().catch(() => {
      throw new CodedError(400, 'invalid_json', 'The body is not valid JSON.');
    });
    const request = api.read(body);
    const gone = new AbortController();
    const reply = await replies.to(request, {
      caller,
      gone: AbortSignal.any([gone.signal, req.raw.signal]),
      chat: chatHeaders
        .flatMap((name) => req.header(name) || [])
        .find((id) => !sharedChat.test(id)),
      idempotencyKey: req.header('idempotency-key'),
    });
    context.header('x-request-id', reply.id);
    if (request.ignored.length > 0) context.header('x-council-ignored', request.ignored.join(', '));
    if (!request.isStreamed) return context.json(await api.whole(reply, request));
    return eventStream(context, framesOf(api.events(reply, request), api.last), {
      gone,
      onError: (error) => ({ data: JSON.stringify(failureOf(error, log).body) }),
    });
  };

  const modelBody = (id: string) => ({
    id,
    object: 'model',
    created: startedAt,
    owned_by: 'council',
  });
  const app = new Hono<WebEnv>();
  app.get('/models', async (context) => {
    const ids = modelIds(await council.offered(programIn(context)));
    return context.json({ object: 'list', data: ids.map(modelBody) });
  });
  app.get('/models/:id{.+}', async (context) => {
    const id = context.req.param('id');
    assertOffered(id, await council.offered(programIn(context)));
    return context.json(modelBody(id));
  });
  app.post('/chat/completions', (context) => answer(context, chat));
  app.post('/responses', (context) => answer(context, responses));
  app.get('/responses/:id', async (context) => {
    if (context.req.query('stream') === 'true') {
      const why = 'Stored responses can’t be streamed: omit `stream`.';
      throw new CodedError(400, 'unsupported_value', why, 'stream');
    }
    const turn = await replies.turnOf(programIn(context), context.req.param('id'));
    const { request } = turn.past;
    return context.json(await storedResponse(storedReply(turn), request, turn.status));
  });
  app.delete('/responses/:id', async (context) => {
    const id = context.req.param('id');
    await replies.forget(programIn(context), id);
    return context.json({ id, object: 'response', deleted: true });
  });
  return { path: '/v1', app, mostBodyBytes, withinMs, allowsOrigins: true };
}

/** Events with a type are named after it. */
export async function* framesOf(
  events: AsyncGenerator<object, void, undefined>,
  last?: string,
): AsyncGenerator<Frame, void, undefined> {
  for await (const event of events) {
    yield { ...('type' in event && { event: `${event.type}` }), data: JSON.stringify(event) };
  }
  if (last !== undefined) yield { data: last };
}

/**
 * The chunks of a reply, without `[DONE]`. Throws a `CodedError` if it ends without an answer.
 *
 * Programs break without these rules: only the first chunk has the role, every chunk has the same id, time and model,
 * the one with the finish reason has no content, and the usage comes after it.
 *
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
export async function* chatChunks(reply: Reply, { reasoningField, wantsUsage }: ChatFormat) {
  const facts = { ...factsOf(reply), object: 'chat.completion.chunk' };
  const chunk = (delta: object, finish_reason: 'stop' | null = null) => ({
    ...facts,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...(wantsUsage && { usage: null }),
  });
  yield chunk({ role: 'assistant', content: '' });
  let separator = '';
  for await (const piece of reply.pieces) {
    if (piece.type === 'content') yield chunk({ content: piece.text });
    else yield chunk({ [reasoningField]: `${piece.isContinued ? '' : separator}${piece.text}` });
    separator = '\n\n';
  }
  yield chunk({}, 'stop');
  if (wantsUsage) yield { ...facts, choices: [], usage: chatUsage(await reply.usage()) };
}

/** The whole reply as a chat completion. Throws a `CodedError` if it ends without an answer. */
export async function chatCompletion(reply: Reply, reasoningField: V1Options['reasoningField']) {
  const { reasoning, content } = await wholeOf(reply);
  return {
    ...factsOf(reply),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content,
          refusal: null,
          [reasoningField]: reasoning.join('\n\n'),
        },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: chatUsage(await reply.usage()),
  };
}

function factsOf({ id, createdAt, model }: Reply) {
  return { id: `chatcmpl-${id}`, created: inSeconds(createdAt), model };
}

/** The `usage` of a chat completion. */
function chatUsage({ input, output, reasoning }: Usage) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

const recursionWords =
  'This request came from a council that uses itself as a model and would ask itself endlessly. Give its sages another model.';
