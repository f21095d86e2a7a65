/** Turns: asked, read, watched and stopped; and what can be done with one that has ended, by the commands that members have for it. */

import { createHash } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import type { Log } from '../../../domain/log.ts';
import { ratings } from '../../../domain/stored-turn.ts';
import { partsOf } from '../../../domain/thread-id.ts';
import { assertMay, type Caller, callerIn } from '../caller.ts';
import { eventStream, eventStreamHeaders, type Frame } from '../event-stream.ts';
import type { Numbered } from '../live-turns.ts';
import { takenOrThrow } from '../refusals.ts';
import type { WebCommand, WebCouncil } from '../web-council.ts';
import { type Api, commanded, given, said, saidAs, turnFor, turnPath, wrong } from './answering.ts';
import { bodyOf, named, questionBody, takenTurn, turnBody } from './schemas.ts';

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
        .describe('However often a request is sent with the same key, it asks once'),
    }),
    body: given('The question', questionBody),
  },
  responses: { 202: said('It is taken: read or watch its turn', takenTurn), default: wrong },
});

const read = createRoute({
  method: 'get',
  path: '/turns/{turn}',
  summary: 'Read a turn as far as it has come',
  request: { params: turnPath },
  responses: { 200: said('The turn', turnBody), default: wrong },
});

const watch = createRoute({
  method: 'get',
  path: '/turns/{turn}/events',
  summary: 'Watch a turn',
  description:
    'Server-sent events. Each has the type of what happened as its name, and the record of it as its data: seated, answer_grew, answered, reviewed, ranked, concluded and others, at last ended. With the header Last-Event-ID they go on after that one.',
  request: {
    params: turnPath,
    headers: z.object({ 'last-event-id': z.string().max(200).optional() }),
  },
  responses: { 200: saidAs('text/event-stream', 'What happens, to its end'), default: wrong },
});

const stop = createRoute({
  method: 'post',
  path: '/turns/{turn}/stop',
  summary: 'Stop a turn; what was said so far is kept',
  request: { params: turnPath },
  responses: {
    200: said('Whether it ran or waited', named('Stopped', z.object({ stopped: z.boolean() }))),
    default: wrong,
  },
});

const anotherQuestion = 'Another question was asked with this Idempotency-Key.';

/** Adds the routes. */
export function turnRoutes(api: Api, council: WebCouncil, log: Log): void {
  api.openapi(ask, async (context) => {
    const caller = callerIn(context);
    assertMay(caller, 'ask');
    const asked = context.req.valid('json');
    const { 'idempotency-key': key } = context.req.valid('header');
    if (key === undefined) {
      return context.json(takenTurn.parse(takenOrThrow(await council.ask(caller, asked))), 202);
    }
    const eventId = `api:${caller.keyId ?? ''}:${key}`;
    // Sent again, it has to name the same conversation.
    const { thread = createHash('sha256').update(eventId).digest('hex') } = asked;
    // Known before it is judged: the limits that the first one has used up are not the second one's.
    const earlier = await council.ingress.turnOf(eventId, await council.place(caller, thread));
    if (earlier && earlier.question !== asked.question.trim()) {
      throw new HTTPException(409, { message: anotherQuestion });
    }
    const taken = earlier
      ? { turnId: earlier.turnId, thread, turnsBefore: 0, isNew: false }
      : takenOrThrow(await council.ask(caller, { ...asked, thread, eventId }));
    return context.json(takenTurn.parse(taken), 202);
  });

  api.openapi(read, async (context) => {
    const turn = await turnFor(council, callerIn(context), context.req.valid('param').turn);
    return context.json(bodyOf(turn), 200);
  });

  api.openapi(watch, async (context) => {
    const caller = callerIn(context);
    const { turn: turnId } = context.req.valid('param');
    const { 'last-event-id': after } = context.req.valid('header');
    await turnFor(council, caller, turnId);
    const gone = new AbortController();
    const stream = eventStream(
      framesOf(council.watch(caller, turnId, { after, signal: gone.signal })),
      {
        onGone: () => gone.abort(),
        onFault(error) {
          log.warn({ turnId, error }, 'a program disconnected before its turn was reported');
          return undefined;
        },
      },
    );
    return context.body(stream, 200, eventStreamHeaders);
  });

  api.openapi(stop, async (context) => {
    const stopped = await council.stop(callerIn(context), context.req.valid('param').turn);
    return context.json({ stopped }, 200);
  });
}

async function* framesOf(events: AsyncIterable<Numbered>): AsyncGenerator<Frame, void, undefined> {
  for await (const { id, event } of events) {
    yield { id, event: event.type, data: JSON.stringify(event, withoutPrompts) };
  }
}

/** Prompts belong to those who made them. */
function withoutPrompts(key: string, value: unknown): unknown {
  return key === 'prompt' ? undefined : value;
}

const again = createRoute({
  method: 'post',
  path: '/turns/{turn}/again',
  summary: 'Have one sage answer the question once more, by itself',
  request: {
    params: turnPath,
    body: given(
      'Who, and with which model',
      named(
        'Again',
        z.strictObject({
          sage: z.string().describe('Key of a sage that sat in the turn'),
          model: z.string().exactOptional().describe('provider:model that took part in it'),
        }),
      ),
    ),
  },
  responses: { 202: said('The turn in which it answers', takenTurn), default: wrong },
});

const deeper = createRoute({
  method: 'post',
  path: '/turns/{turn}/deeper',
  summary: 'Go deeper: the sages that contradict each other answer once more',
  request: { params: turnPath },
  responses: { 202: said('The turn that goes on from it', takenTurn), default: wrong },
});

const rating = z.strictObject({ rating: z.enum(ratings) });
const rate = createRoute({
  method: 'post',
  path: '/turns/{turn}/feedback',
  summary: 'Say how a turn went; a later rating by the same key replaces it',
  request: { params: turnPath, body: given('good or bad', named('Feedback', rating)) },
  responses: { 200: said('It is noted', named('Noted', rating)), default: wrong },
});

/** Adds the routes. */
export function afterVerdictRoutes(api: Api, council: WebCouncil): void {
  async function follow(caller: Caller, turnId: string, command: Omit<WebCommand, 'of'>) {
    const { threadId } = await turnFor(council, caller, turnId);
    const { asked } = await commanded(council, caller, 'ask', { of: threadId, ...command });
    if (asked) return { ...asked, thread: partsOf(threadId).thread };
    throw new Error('A command that asks has asked nothing.');
  }

  api.openapi(again, async (context) => {
    const { turn } = context.req.valid('param');
    const options = { turn, ...context.req.valid('json') };
    const taken = await follow(callerIn(context), turn, { command: 'again', options });
    return context.json(taken, 202);
  });

  api.openapi(deeper, async (context) => {
    const { turn } = context.req.valid('param');
    const command = { command: 'deeper', options: { turn } };
    return context.json(await follow(callerIn(context), turn, command), 202);
  });

  api.openapi(rate, async (context) => {
    const caller = callerIn(context);
    const { turn } = context.req.valid('param');
    const rated = context.req.valid('json');
    const { threadId: of } = await turnFor(council, caller, turn);
    const options = { turn, ...rated };
    await commanded(council, caller, 'ask', { of, command: 'feedback', options });
    return context.json(rated, 200);
  });
}
