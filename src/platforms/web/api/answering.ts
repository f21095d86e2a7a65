/** What the routes of the API have in common: how they are described, and how they answer. */

import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import type { Reply } from '../../../../commands/command.ts';
import { assertMay, type Caller, type Scope, type WebEnv } from '../caller.ts';
import { inWords, wordsOf } from '../refusals.ts';
import type { WebCommand, WebCouncil, WebTurn } from '../web-council.ts';
import { errorBody } from './schemas.ts';

export type Api = OpenAPIHono<WebEnv>;

/** JSON that a route gives, as the document says. */
export function said<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } } as const;
}

/** JSON that a route takes: a request without it is refused. */
export function given<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { ...said(description, schema), required: true } as const;
}

/** What a route gives that is no JSON. */
export function saidAs(mediaType: string, description: string) {
  return { description, content: { [mediaType]: { schema: z.string() } } };
}

/** What every route says where it can't do what was asked. */
export const wrong = said('What was wrong, in words', errorBody);

export const turnPath = z.object({
  turn: z.string().min(1).max(200).describe('Id of a turn'),
});

/** The same words for what never was and for what is another's. */
export function nothingCalled(what: 'turn' | 'conversation'): HTTPException {
  return new HTTPException(404, { message: `There is no such ${what} in this workspace.` });
}

/** @throws HTTPException 404. */
export async function turnFor(
  council: WebCouncil,
  caller: Caller,
  turnId: string,
): Promise<WebTurn> {
  const turn = await council.turn(caller, turnId);
  if (turn) return turn;
  throw nothingCalled('turn');
}

/**
 * Gives a command of `/council`.
 *
 * @returns What it replies. @throws HTTPException 422 with its words when it is refused.
 */
export async function commanded(
  council: WebCouncil,
  caller: Caller,
  scope: Scope,
  command: WebCommand,
): Promise<Reply> {
  assertMay(caller, scope);
  const reply = await council.command(caller, command);
  if (!reply.isRefusal) return reply;
  throw new HTTPException(422, { message: inWords(wordsOf(reply.blocks)) });
}
