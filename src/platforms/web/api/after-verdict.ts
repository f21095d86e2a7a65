/** What can be done with a turn that has ended, by the commands that members have for it. */

import { createRoute, z } from '@hono/zod-openapi';
import { ratings } from '../../../domain/stored-turn.ts';
import { partsOf } from '../../../domain/thread-id.ts';
import { type Caller, callerIn } from '../caller.ts';
import type { WebCommand, WebCouncil, WebTurn } from '../web-council.ts';
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
  /** @param next - Finds the turn that came of it. */
  async function follow(
    caller: Caller,
    turnId: string,
    command: Omit<WebCommand, 'of'>,
    next: (turn: WebTurn) => string | undefined,
  ) {
    const { threadId } = await turnFor(council, caller, turnId);
    await commanded(council, caller, 'ask', { of: threadId, ...command });
    const followed = next(await turnFor(council, caller, turnId));
    if (followed === undefined)
      throw new Error('A command left no trace in the turn that it is of.');
    return { turnId: followed, thread: partsOf(threadId).thread, turnsBefore: 0, isNew: true };
  }

  api.openapi(again, async (context) => {
    const { turn } = context.req.valid('param');
    const { sage: asked, ...model } = context.req.valid('json');
    const options = { turn, sage: asked, ...model };
    const lastOf = ({ past }: WebTurn) => {
      const wanted = asked.trim().toLowerCase();
      const seat = past.seated?.seats.find(({ sage: { key, name } }) =>
        [key, name.toLowerCase()].includes(wanted),
      );
      return past.followed.findLast(({ sage }) => sage === seat?.sage.key)?.turnId;
    };
    const taken = await follow(callerIn(context), turn, { command: 'again', options }, lastOf);
    return context.json(taken, 202);
  });

  api.openapi(deeper, async (context) => {
    const { turn } = context.req.valid('param');
    const command = { command: 'deeper', options: { turn } };
    const taken = await follow(callerIn(context), turn, command, ({ past }) => past.deepenedBy);
    return context.json(taken, 202);
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
