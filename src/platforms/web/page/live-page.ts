/** A turn's page while it runs: what has changed, as rendered parts in a stream of server-sent events. */

import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'hono';
import type { Log } from '../../../domain/log.ts';
import { callerIn, type WebEnv } from '../caller.ts';
import { eventStream, eventStreamHeaders, type Frame } from '../event-stream.ts';
import { isUpTo } from '../live-turns.ts';
import type { WebCouncil, WebTurn } from '../web-council.ts';
import { changedBy } from './turn-regions.ts';
import { asked, follow } from './turn-view.ts';

/** The end is stored when it has been told; how often and how long it is looked for. */
const looks = { everyMs: 100, most: 50 } as const;

/** Tells a turn until it is stored whole. A reader who comes back is told what has changed since. */
export function livePage(
  context: Context<WebEnv>,
  turn: WebTurn,
  { council, log }: { readonly council: WebCouncil; readonly log: Log },
): Response {
  const caller = callerIn(context);
  const { turnId } = turn;
  const after = context.req.header('last-event-id');
  const ending = new AbortController();
  const { signal } = ending;
  async function* frames(): AsyncGenerator<Frame, void, undefined> {
    let view = asked(turn);
    for await (const { id, event } of council.watch(caller, turnId, { signal })) {
      view = follow(view, event);
      if (isUpTo(id, after)) continue;
      const { regions, say } = changedBy(event, view);
      for (const [region, content] of regions) {
        const data = JSON.stringify({ id: region, html: String(content) });
        yield { event: 'region', data, id };
      }
      if (say !== undefined) yield { event: 'say', data: JSON.stringify(say), id };
    }
    for (let look = 0; look < looks.most && !signal.aborted; look += 1) {
      const now = await council.turn(caller, turnId);
      if (now?.status === 'ended') break;
      await wait(looks.everyMs);
    }
    yield { event: 'whole', data: '' };
  }
  const stream = eventStream(frames(), {
    onGone: () => ending.abort(),
    onFault(error) {
      log.warn({ turnId, error }, 'a page could not be told of its turn any more');
      return undefined;
    },
  });
  return context.body(stream, 200, eventStreamHeaders);
}
