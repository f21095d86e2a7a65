/** The pages and forms of a turn, below `/turns`. */

import { setTimeout as wait } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import type { Reply } from '../../../../commands/command.ts';
import { ratings } from '../../../domain/stored-turn.ts';
import { isRecorded, partsOf } from '../../../domain/thread-id.ts';
import { firstSentences } from '../../../domain/words.ts';
import { readPick } from '../../chat/asking/turn-actions.ts';
import { assertMay, assertTheirs, callerIn, type WebEnv } from '../caller.ts';
import { exported, forgetTurn, turnOrThrow } from '../council-replies.ts';
import { eventStream, type Frame } from '../event-stream.ts';
import { isUpTo } from '../live-turns.ts';
import type { WebParts } from '../server.ts';
import { sharedPath, type WebTurn } from '../web-council.ts';
import { fieldsIn } from './ask-form.ts';
import { type Html, html, replyHtml } from './html.ts';
import type { ShowPage } from './layout.ts';
import { turnMain } from './turn-page.ts';
import { changedBy } from './turn-regions.ts';
import { applyEvent, initialView } from './turn-view.ts';

/** Seconds after which a browser without scripts reloads a running turn. */
const reloadSeconds = 5;

/** The forms below a turn: the command that each gives, and its options. */
const forms: Readonly<Record<string, z.ZodType<Readonly<Record<string, unknown>>>>> = {
  again: z.object({ pick: z.string().max(200) }).transform(({ pick }) => readPick(pick)),
  deeper: z.object({}),
  feedback: z.object({ rating: z.enum(ratings) }),
  next: z.object({ number: z.coerce.number().int().min(1).max(9) }),
};
const exportQuery = z.object({ format: z.enum(['html', 'markdown', 'json']).catch('html') });

/** Polling for the stored end of a turn, which is written after its last event. */
const endPolls = { everyMs: 100, most: 50 } as const;

/** @param showPage - Renders a page beside the list of conversations. */
export function turnRoutes(
  { council, shares, log }: Pick<WebParts, 'council' | 'shares' | 'log'>,
  showPage: ShowPage,
): Hono<WebEnv> {
  const app = new Hono<WebEnv>();

  const turnIn = (context: Context<WebEnv>) =>
    turnOrThrow(council, callerIn(context), context.req.param('turn') ?? '');

  /** Shows what a command says of a turn. @param after - What follows it. */
  const showReply = (
    context: Context<WebEnv>,
    { turnId, past }: WebTurn,
    { title, reply, after = html`` }: Readonly<{ title: string; reply: Reply; after?: Html }>,
    status?: ContentfulStatusCode,
  ) => {
    const question = firstSentences(past.request.question, 120);
    const body = html`<main id="main" class="receipt" tabindex="-1"><p class="small"><a href="/turns/${turnId}">${question}</a></p><h1>${title}</h1>${replyHtml(reply)}${after}</main>`;
    return showPage(context, { title, body }, status);
  };

  /** Creates or withdraws the link for others. */
  async function share(
    context: Context<WebEnv>,
    change: (turn: WebTurn) => Promise<unknown>,
  ): Promise<Response> {
    assertMay(callerIn(context), 'ask');
    const turn = await turnIn(context);
    if (change === shares.make) assertTheirs(callerIn(context), turn.past.request, 'share');
    if (!isRecorded(turn.threadId)) await change(turn);
    return context.redirect(`/turns/${turn.turnId}#share`, 303);
  }

  /** Streams the changed regions of a turn's page until the whole turn is stored. A reader who reconnects gets the changes since. */
  async function livePage(context: Context<WebEnv>): Promise<Response> {
    const caller = callerIn(context);
    const turn = await turnIn(context);
    const { turnId } = turn;
    const after = context.req.header('last-event-id');
    const gone = new AbortController();
    const { signal } = gone;
    async function* frames(): AsyncGenerator<Frame, void, undefined> {
      let view = initialView(turn);
      for await (const { id, event } of council.watch(caller, turnId, { signal })) {
        view = applyEvent(view, event);
        if (isUpTo(id, after)) continue;
        const { regions, say } = changedBy(event, view);
        for (const [region, content] of regions) {
          const data = JSON.stringify({ id: region, html: String(content) });
          yield { event: 'region', data, id };
        }
        if (say !== undefined) yield { event: 'say', data: JSON.stringify(say), id };
      }
      for (let poll = 0; poll < endPolls.most && !signal.aborted; poll += 1) {
        const now = await council.turn(caller, turnId);
        if (now?.status === 'ended') break;
        await wait(endPolls.everyMs);
      }
      yield { event: 'whole', data: '' };
    }
    return eventStream(context, frames(), {
      gone,
      onError: (error) =>
        void log.warn({ turnId, error }, 'a live page of a turn could not be updated'),
    });
  }

  app.get('/deleted', (context) => {
    // The back button must not show it again.
    context.header('Clear-Site-Data', '"cache"');
    const body = html`<main id="main" tabindex="-1"><h1>Deleted</h1><p>The question is gone for good, with all that the council made of it. <a href="/">Ask another question</a></p></main>`;
    return showPage(context, { title: 'Deleted', body });
  });
  app.get('/:turn', async (context) => {
    const turn = await turnIn(context);
    const { past, status, threadId } = turn;
    const { thread } = partsOf(threadId);
    const secret = await shares.of(turn);
    const shared = secret && sharedPath(secret);
    const caller = callerIn(context);
    const mayAsk = status === 'ended' && caller.scopes.has('ask');
    const offered = mayAsk ? await council.offered(caller) : undefined;
    const [newest] = mayAsk ? await council.history(caller, thread, { limit: 1 }) : [];
    const body = turnMain(turn, caller, { shared, offered, newest: newest?.turnId });
    return showPage(context, {
      title: past.request.question,
      body,
      thread,
      ...(status === 'ended' ? {} : { reloadSeconds }),
    });
  });
  app.get('/:turn/live', livePage);
  app.post('/:turn/stop', async (context) => {
    const { turnId } = await turnIn(context);
    await council.stop(callerIn(context), turnId);
    return context.redirect(`/turns/${turnId}`, 303);
  });
  app.post('/:turn/share', (context) => share(context, shares.make));
  app.post('/:turn/unshare', (context) => share(context, shares.withdraw));
  for (const [command, schema] of Object.entries(forms)) {
    app.post(`/:turn/${command}`, async (context) => {
      const caller = callerIn(context);
      assertMay(caller, 'ask');
      const form = schema.safeParse(await fieldsIn(context));
      if (!form.success) throw new HTTPException(400, { message: 'The form is incomplete.' });
      const turn = await turnIn(context);
      const { turnId, threadId: of } = turn;
      const options = { ...form.data, turn: turnId };
      const reply = await council.command(caller, { of, command, options });
      // A command that asks leads to the new turn, any other back to its button.
      const next = reply.asked?.turnId ?? `${turnId}#follow-title`;
      if (!reply.isRefusal) return context.redirect(`/turns/${next}`, 303);
      const title = command === 'feedback' ? 'Not rated' : 'Not asked';
      return showReply(context, turn, { title, reply }, 422);
    });
  }
  app.get('/:turn/receipt', async (context) => {
    const turn = await turnIn(context);
    const { threadId: of, turnId } = turn;
    const command = { of, command: 'receipt', options: { turn: turnId } };
    const reply = await council.command(callerIn(context), command);
    return showReply(context, turn, { title: 'How it came about', reply });
  });
  app.get('/:turn/forget', async (context) => {
    const turn = await turnIn(context);
    const reply = await forgetTurn(council, callerIn(context), turn, false);
    const after = html`<p class="small">Its reviews, verdict, receipt and link for others go with it. Other questions of the conversation stay.</p><form class="actions" method="post" action="/turns/${turn.turnId}/forget"><button>Delete it for good</button> <a href="/turns/${turn.turnId}">Keep it</a></form>`;
    return showReply(context, turn, { title: 'Delete this question?', reply, after });
  });
  app.post('/:turn/forget', async (context) => {
    await forgetTurn(council, callerIn(context), await turnIn(context), true);
    return context.redirect('/turns/deleted', 303);
  });
  app.get('/:turn/export', async (context) => {
    const { threadId } = await turnIn(context);
    return exported(council, callerIn(context), threadId, exportQuery.parse(context.req.query()));
  });

  return app;
}
