/** What all routes ask of the council, with an HTTP error where it has no such thing or refuses. */

import { HTTPException } from 'hono/http-exception';
import type { Reply } from '../../../commands/command.ts';
import { assertMay, assertTheirs, type Caller, type Scope } from './caller.ts';
import type { WebCommand, WebCouncil, WebTurn } from './web-council.ts';

/** The same error for what doesn't exist and for what belongs to others. */
export function notFound(what: 'turn' | 'conversation'): HTTPException {
  return new HTTPException(404, { message: `There is no such ${what} in this workspace.` });
}

/** Reads a turn. @throws HTTPException 404. */
export async function turnOrThrow(
  council: WebCouncil,
  caller: Caller,
  turnId: string,
): Promise<WebTurn> {
  const turn = await council.turn(caller, turnId);
  if (turn) return turn;
  throw notFound('turn');
}

/** Runs a `/council` command. @throws HTTPException 422 with the text of the reply if it refuses. */
export async function replyOrThrow(
  council: WebCouncil,
  caller: Caller,
  scope: Scope,
  command: WebCommand,
): Promise<Reply> {
  assertMay(caller, scope);
  const reply = await council.command(caller, command);
  if (!reply.isRefusal) return reply;
  const texts = reply.blocks.flatMap((block) => (block.type === 'text' ? block.text : []));
  throw new HTTPException(422, { message: texts.join('\n\n') });
}

/** Says what is deleted with a turn, or deletes it. Throws like {@link replyOrThrow}, and 403 if another person asked. */
export async function forgetTurn(
  council: WebCouncil,
  caller: Caller,
  turn: WebTurn,
  confirm: boolean,
): Promise<Reply> {
  assertTheirs(caller, turn.past.request, 'delete');
  const { turnId, threadId: of } = turn;
  const options = { do: 'forget', what: `turn ${turnId}`, confirm };
  return replyOrThrow(council, caller, 'ask', { of, command: 'memory', options });
}

/** Exports a conversation as a file to download. Throws like {@link replyOrThrow}. */
export async function exported(
  council: WebCouncil,
  caller: Caller,
  of: string,
  options: { readonly format: 'html' | 'markdown' | 'json' },
): Promise<Response> {
  const { blocks } = await replyOrThrow(council, caller, 'read', {
    of,
    command: 'export',
    options,
  });
  const file = blocks.find((block) => block.type === 'file');
  if (!file) throw notFound('conversation');
  return new Response(file.content, {
    headers: {
      'content-type': `${file.mediaType}; charset=utf-8`,
      'content-disposition': `attachment; filename="${encodeURIComponent(file.name)}"`,
    },
  });
}
