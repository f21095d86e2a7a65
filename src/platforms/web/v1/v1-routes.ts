/** The council as a model, for programs that speak OpenAI’s API. */

import { type Context, Hono } from 'hono';
import { councilHeader } from '../../../domain/asking.ts';
import type { Log } from '../../../domain/log.ts';
import { callerIn, type WebEnv } from '../caller.ts';
import { eventStream, eventStreamHeaders, type Frame } from '../event-stream.ts';
import type { WebRoutes } from '../server.ts';
import { chatChunks, chatCompletion, type ReasoningField } from './chat-completions.ts';
import { failureOf, V1Failure } from './failure.ts';
import { Replies, type RepliesOptions } from './replies.ts';
import { inSeconds, type Reply } from './reply.ts';
import {
  chatRequest,
  modelIds,
  responsesRequest,
  unknownModel,
  type V1Request,
} from './requests.ts';
import { keptResponse, responseEvents, wholeResponse } from './responses.ts';

export interface V1Options extends RepliesOptions {
  /** Which field chat completions tell the deliberation in. */
  readonly reasoningField: ReasoningField;
  readonly log: Log;
}

interface FrameForm {
  /** Each frame is named after its event’s type, as responses are read. */
  readonly isNamed: boolean;
  /** Sent behind the last event of a whole stream; absent: nothing. */
  readonly last?: string;
}

/** One of the two shapes in which a reply is asked for and told. */
interface Shape {
  readonly read: (body: unknown) => V1Request;
  readonly events: (reply: Reply, request: V1Request) => AsyncGenerator<object, void, undefined>;
  readonly whole: (reply: Reply, request: V1Request) => Promise<object>;
  readonly stream: FrameForm;
}

/** For pictures, which come in the body. */
const mostBodyBytes = 16_000_000;
/** Longer than any council takes. */
const withinMs = 3_600_000;
/** Headers in which programs name a chat. */
const chatHeaders = ['x-session-id', 'x-openwebui-chat-id', 'x-conversation-id'];

export function v1Routes(options: V1Options): WebRoutes {
  const { reasoningField, log } = options;
  const replies = new Replies(options);
  const startedAt = inSeconds(Date.now());
  const formOf = ({ wantsUsage }: V1Request) => ({ reasoningField, wantsUsage });
  const chat: Shape = {
    read: chatRequest,
    events: (reply, request) => chatChunks(reply, formOf(request)),
    whole: (reply, request) => chatCompletion(reply, formOf(request)),
    stream: { isNamed: false, last: '[DONE]' },
  };
  const responses: Shape = {
    read: responsesRequest,
    events: responseEvents,
    whole: wholeResponse,
    stream: { isNamed: true },
  };

  const answer = async (context: Context<WebEnv>, shape: Shape) => {
    const { req } = context;
    if (req.header(councilHeader) !== undefined)
      throw new V1Failure(400, 'council_recursion', itself);
    const caller = callerIn(context);
    const request = shape.read(await bodyOf(context));
    const gone = new AbortController();
    const reply = await replies.to(request, {
      ...{ caller, gone: AbortSignal.any([gone.signal, req.raw.signal]) },
      chat: chatHeaders.flatMap((name) => req.header(name) || [])[0],
      idempotencyKey: req.header('idempotency-key'),
    });
    context.header('x-request-id', reply.id);
    if (request.ignored.length > 0) context.header('x-council-ignored', request.ignored.join(', '));
    if (!request.isStreamed) return context.json(await shape.whole(reply, request));
    const stream = eventStream(framesOf(shape.events(reply, request), shape.stream), {
      onGone: () => gone.abort(),
      onError: (error) => ({ data: JSON.stringify(failureOf(error, log).body) }),
    });
    return context.body(stream, 200, eventStreamHeaders);
  };

  const modelOf = (id: string) => ({
    id,
    object: 'model',
    created: startedAt,
    owned_by: 'council',
  });
  const app = new Hono<WebEnv>();
  app.onError((error, context) => {
    const { body, status, headers } = failureOf(error, log);
    return context.json(body, status, headers);
  });
  app.get('/models', async (context) => {
    const ids = modelIds(await options.council.offered(callerIn(context)));
    return context.json({ object: 'list', data: ids.map(modelOf) });
  });
  app.get('/models/:id{.+}', async (context) => {
    const id = context.req.param('id');
    const ids = modelIds(await options.council.offered(callerIn(context)));
    if (!ids.includes(id)) throw unknownModel(id);
    return context.json(modelOf(id));
  });
  app.post('/chat/completions', (context) => answer(context, chat));
  app.post('/responses', (context) => answer(context, responses));
  app.get('/responses/:id', async (context) => {
    if (context.req.query('stream') === 'true') {
      const why = 'A response that was asked for before is read whole: leave `stream` out.';
      throw new V1Failure(400, 'unsupported_value', why, 'stream');
    }
    const { reply, repeated, status } = await replies.kept(
      callerIn(context),
      context.req.param('id'),
    );
    return context.json(await keptResponse(reply, repeated, status));
  });
  app.delete('/responses/:id', async (context) => {
    const id = context.req.param('id');
    await replies.forget(callerIn(context), id);
    return context.json({ id, object: 'response', deleted: true });
  });
  return { path: '/v1', app, mostBodyBytes, withinMs, allowsOrigins: true };
}

export async function* framesOf(
  events: AsyncGenerator<object, void, undefined>,
  { isNamed, last }: FrameForm,
): AsyncGenerator<Frame, void, undefined> {
  for await (const event of events) {
    const name = isNamed && 'type' in event && { event: `${event.type}` };
    yield { ...name, data: JSON.stringify(event) };
  }
  if (last !== undefined) yield { data: last };
}

const itself =
  'This was asked by a council: it is set as a model of its own, and would ask itself without end. Give its sages another model.';

async function bodyOf(context: Context<WebEnv>): Promise<unknown> {
  const text = await context.req.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new V1Failure(400, 'invalid_json', 'The body is no JSON.');
  }
}
