/** Routes for turns: ask, read, watch and stop; rate them, go deeper, or ask one sage again. */

import { createRoute, z } from '@hono/zod-openapi';
import type { Log } from '../../../domain/log.ts';
import { ratings } from '../../../domain/stored-turn.ts';
import { partsOf } from '../../../domain/thread-id.ts';
import { type Caller, callerIn } from '../caller.ts';
import { replyOrThrow, turnOrThrow } from '../council-replies.ts';
import { eventStream, type Frame } from '../event-stream.ts';
import type { NumberedEvent } from '../live-turns.ts';
import type { WebCommand, WebCouncil } from '../web-council.ts';
import {
  type Api,
  acceptedTurn,
  bodyIn,
  bodyOf,
  contentOf,
  failed,
  jsonOf,
  named,
  questionBody,
  turnBody,
  turnPath,
} from './schemas.ts';

const ask = createRoute({
  method: 'post',
  path: '/turns',
  summary: 'Ask the council',
  request: {
    headers: z.object({
      'idempotency-key': z
        .string()
        .max(200)
        .optional()
        .describe('Requests with the same key are asked once'),
    }),
    body: bodyIn('The question', questionBody),
  },
  responses: { 202: jsonOf('Accepted: read or watch its turn', acceptedTurn), default: failed },
});

const read = createRoute({
  method: 'get',
  path: '/turns/{turn}',
  summary: 'Read a turn so far',
  request: { params: turnPath },
  responses: { 200: jsonOf('The turn', turnBody), default: failed },
});

const watch = createRoute({
  method: 'get',
  path: '/turns/{turn}/events',
  summary: 'Watch a turn',
  description:
    'Server-sent events. The event name is the type (seated, answer_grew, answered, reviewed, ranked, concluded and others; ended is the last), the data is its record. With the header Last-Event-ID, the stream resumes after that event.',
  request: {
    params: turnPath,
    headers: z.object({ 'last-event-id': z.string().max(200).optional() }),
  },
  responses: {
    200: contentOf('text/event-stream', 'The events until the turn ends'),
    default: failed,
  },
});

const stop = createRoute({
  method: 'post',
  path: '/turns/{turn}/stop',
  summary: 'Stop a turn; the answers so far are kept',
  request: { params: turnPath },
  responses: {
    200: jsonOf(
      'Whether it was running or queued',
      named('Stopped', z.object({ stopped: z.boolean() })),
    ),
    default: failed,
  },
});

/** Adds the routes to ask, read, watch and stop turns. */
export function turnRoutes(api: Api, council: WebCouncil, log: Log): void {
  api.openapi(ask, async (context) => {
    const caller = callerIn(context);
    const asked = context.req.valid('json');
    const { 'idempotency-key': key } = context.req.valid('header');
    const eventId = key ? `api:${caller.keyId ?? ''}:${key}` : undefined;
    const accepted = await council.ask(caller, { ...asked, eventId });
    return context.json(acceptedTurn.parse(accepted), 202);
  });

  api.openapi(read, async (context) => {
    const turn = await turnOrThrow(council, callerIn(context), context.req.valid('param').turn);
    return context.json(bodyOf(turn), 200);
  });

  api.openapi(watch, async (context) => {
    const caller = callerIn(context);
    const { turn: turnId } = context.req.valid('param');
    const { 'last-event-id': after } = context.req.valid('header');
    await turnOrThrow(council, caller, turnId);
    const gone = new AbortController();
    const events = council.watch(caller, turnId, { after, signal: gone.signal });
    return eventStream(context, framesOf(events), {
      gone,
      onError: (error) =>
        void log.warn({ turnId, error }, 'a program disconnected before its turn was reported'),
    });
  });

  api.openapi(stop, async (context) => {
    const stopped = await council.stop(callerIn(context), context.req.valid('param').turn);
    return context.json({ stopped }, 200);
  });
}

async function* framesOf(
  events: AsyncIterable<NumberedEvent>,
): AsyncGenerator<Frame, void, undefined> {
  for await (const { id, event } of events) {
    yield { id, event: event.type, data: JSON.stringify(event, withoutPrivate) };
  }
}

/** A JSON replacer that drops prompts, which are their authors' own, and what is for the asker alone. */
function withoutPrivate(key: string, value: unknown): unknown {
  return key === 'prompt' || key === 'toAsker' ? undefined : value;
}

const again = createRoute({
  method: 'post',
  path: '/turns/{turn}/again',
  summary: 'Ask one sage again, alone',
  request: {
    params: turnPath,
    body: bodyIn(
      'The sage, and optionally its model',
      named(
        'Again',
        z.strictObject({
          sage: z.string().describe('Key of a sage that sat in the turn'),
          model: z
            .string()
            .exactOptional()
            .describe('provider:model, one that took part in the turn'),
        }),
      ),
    ),
  },
  responses: { 202: jsonOf('The turn of the new answer', acceptedTurn), default: failed },
});

const deeper = createRoute({
  method: 'post',
  path: '/turns/{turn}/deeper',
  summary: 'Go deeper: sages that contradict each other answer again',
  request: { params: turnPath },
  responses: { 202: jsonOf('The deeper turn', acceptedTurn), default: failed },
});

const rating = z.strictObject({ rating: z.enum(ratings) });
const rate = createRoute({
  method: 'post',
  path: '/turns/{turn}/feedback',
  summary: 'Rate a turn; a later rating with the same key replaces it',
  request: { params: turnPath, body: bodyIn('good or bad', named('Feedback', rating)) },
  responses: { 200: jsonOf('The stored rating', named('Noted', rating)), default: failed },
});

/** Adds the routes for turns that have ended. */
export function afterVerdictRoutes(api: Api, council: WebCouncil): void {
  async function askBy(caller: Caller, turnId: string, command: Omit<WebCommand, 'of'>) {
    const { threadId } = await turnOrThrow(council, caller, turnId);
    const { asked } = await replyOrThrow(council, caller, 'ask', { of: threadId, ...command });
    if (asked) return { ...asked, thread: partsOf(threadId).thread };
    throw new Error('The command returned no turn.');
  }

  api.openapi(again, async (context) => {
    const { turn } = context.req.valid('param');
    const options = { turn, ...context.req.valid('json') };
    const accepted = await askBy(callerIn(context), turn, { command: 'again', options });
    return context.json(accepted, 202);
  });

  api.openapi(deeper, async (context) => {
    const { turn } = context.req.valid('param');
    const command = { command: 'deeper', options: { turn } };
    return context.json(await askBy(callerIn(context), turn, command), 202);
  });

  api.openapi(rate, async (context) => {
    const caller = callerIn(context);
    const { turn } = context.req.valid('param');
    const rated = context.req.valid('json');
    const { threadId: of } = await turnOrThrow(council, caller, turn);
    const options = { turn, ...rated };
    await replyOrThrow(council, caller, 'ask', { of, command: 'feedback', options });
    return context.json(rated, 200);
  });
}
