/** What can be done with a turn that has ended, by the commands that members have for it. */

import { createRoute, z } from '@hono/zod-openapi';
import { ratings } from '../../../domain/stored-turn.ts';
import { partsOf } from '../../../domain/thread-id.ts';
import { type Caller, callerIn } from '../caller.ts';
import type { WebCommand, WebCouncil } from '../web-council.ts';
import { type Api, commanded, given, said, turnFor, turnPath, wrong } from './answering.ts';
import { named, takenTurn } from './schemas.ts';

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
