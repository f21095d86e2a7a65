/** The pages: questions, conversations, settings and shared turns. */

import { hash, randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import { english } from '../../../domain/languages/english.ts';
import { channelOf } from '../../../domain/thread-id.ts';
import { firstSentences, shortened, withUtcTimes } from '../../../domain/words.ts';
import { langOf, saidInline } from '../../../pages/said-html.ts';
import { assertMay, type Caller, callerIn, type WebEnv } from '../caller.ts';
import { notFound } from '../council-replies.ts';
import { replyTo } from '../refusals.ts';
import type { WebParts, WebRoutes } from '../server.ts';
import { type ConversationLimits, conversationOf } from '../v1/conversation.ts';
import type { WebTurn } from '../web-council.ts';
import { type AskFormOptions, askForm, fieldsIn, questionOf, typedSchema } from './ask-form.ts';
import { type Html, html, raw, table, timeHtml } from './html.ts';
import { mostThreads, pageOf, type ShowPage, script, style } from './layout.ts';
import { askToSignIn, signInRoutes } from './sign-in.ts';
import { turnMain } from './turn-page.ts';
import { turnRoutes } from './turn-routes.ts';

/** How many turns of a conversation a page shows. */
const mostTurns = 50;
/** How much of a question and its verdict a conversation shows, in characters. */
const mostExcerpt = 280;
const asksNothingWords =
  'That asks nothing, so no council was seated. To ask it all the same, choose a depth.';
const needsBothWords = 'Asking here takes a key that may ask and read; yours may not do both.';
/** Which turns or conversations: those asked before a time, in milliseconds since 1970; by default the newest. */
const pageQuery = z.object({
  before: z.coerce.number().int().positive().optional().catch(undefined),
});

export function pageRoutes(
  { council, callers, log, examples, shares, uploads }: WebParts,
  limits: ConversationLimits,
): WebRoutes {
  const app = new Hono<WebEnv>();

  const showPage: ShowPage = async (context, page, status = 200) => {
    const caller = callerIn(context);
    const { search = '', before } = page;
    // One more than is shown tells whether there are older ones.
    const threads = caller.scopes.has('read')
      ? await council.threads(caller, { limit: mostThreads + 1, search, before })
      : [];
    return context.html(pageOf({ ...page, caller, threads }), status);
  };

  const showError = (error: Error, context: Context<WebEnv>) => {
    const { status, message, headers } = replyTo(error, log, withUtcTimes);
    const body = html`<main id="main" tabindex="-1"><h1>${message}</h1><p><a href="/">Back to the start page</a></p></main>`;
    const page = pageOf({ title: message, caller: context.var.caller, body });
    return context.html(page, status, headers);
  };

  for (const { path, mediaType, content } of [style, script]) {
    app.get(path, (context) =>
      context.body(content, 200, {
        'Content-Type': mediaType,
        'Cache-Control': 'public, max-age=31536000, immutable',
      }),
    );
  }

  app.route('/', signInRoutes(callers));

  app.get('/shared/:secret', async (context) => {
    const turn = await shares.find(context.req.param('secret'));
    if (!turn) throw new HTTPException(404, { message: 'This link no longer works.' });
    const body = turnMain(turn);
    return context.html(pageOf({ title: turn.past.request.question, body }));
  });

  app.use((context, next) => (context.var.caller ? next() : askToSignIn(context)));

  /** The form for questions, or why the caller can't ask here. */
  const formFor = async (caller: Caller, options: Omit<AskFormOptions, 'offered'>) => {
    const { scopes } = caller;
    if (!scopes.has('ask') || !scopes.has('read')) return html`<p>${needsBothWords}</p>`;
    const typed = { ...options.typed, form: randomUUID() };
    return askForm({ ...options, typed, offered: await council.offered(caller) });
  };

  app.get('/', async (context) => {
    const search = context.req.query('search') ?? '';
    const { before } = pageQuery.parse(context.req.query());
    const body = html`<main id="main" tabindex="-1"><h1>What should the council think about?</h1>
<p>Several AI sages each give you their own answer. They review one another without knowing who wrote what, and a chair sums it all up in one verdict.</p>
${await formFor(callerIn(context), { label: 'Your question' })}
${examples.length === 0 ? '' : recorded(examples)}</main>`;
    return showPage(context, { title: 'Ask', search, before, body });
  });

  app.post('/ask', async (context) => {
    const caller = callerIn(context);
    // Else the question would be paid for, and its page shown to no one.
    assertMay(caller, 'read');
    const typed = typedSchema.parse(await fieldsIn(context));
    try {
      const question = questionOf(typed);
      if (!question) {
        const isEmpty = typed.question.trim() === '';
        const message = isEmpty ? 'The question is empty.' : 'There is no such depth.';
        throw new HTTPException(400, { message });
      }
      const isChosen = typed.depth !== '' || typed.preset !== '' || typed.sages.length > 0;
      if (!isChosen && !(await council.asks(caller, question.question))) {
        throw new HTTPException(422, { message: asksNothingWords });
      }
      // Another question from the same form, e.g. after going back, is not a repetition.
      const sent = JSON.stringify([caller.person.id, typed]);
      const eventId = typed.form === '' ? undefined : hash('sha256', sent);
      // A text that is too long for a question comes with it as a document.
      const said = conversationOf([{ by: 'user', text: question.question, files: [] }], {
        eventId: eventId ?? '',
        author: caller.person,
        at: Date.now(),
        limits,
        place: channelOf(council.anywhere(caller).threadId),
        uploads,
      });
      const { turnId } = await council.ask(caller, { ...question, ...said, eventId });
      return context.redirect(`/turns/${turnId}`, 303);
    } catch (error) {
      const { status, message: problem, headers } = replyTo(error, log, withUtcTimes);
      // While the store is unreachable, the choices and conversations can't be read.
      const isAway = status >= 500;
      const offered = isAway ? { sages: [], presets: [] } : await council.offered(caller);
      const form = askForm({ label: 'Your question', typed, problem, offered });
      const body = html`<main id="main" tabindex="-1"><h1>Not asked</h1>${form}</main>`;
      const page = { title: 'Not asked', body };
      for (const [name, value] of Object.entries(headers)) context.header(name, value);
      if (isAway) return context.html(pageOf({ ...page, caller }), status);
      return showPage(context, page, status);
    }
  });

  app.route('/turns', turnRoutes({ council, shares, log }, showPage));

  app.get('/threads/:thread', async (context) => {
    const thread = context.req.param('thread');
    const caller = callerIn(context);
    const { before } = pageQuery.parse(context.req.query());
    // One more than is shown tells whether there are older ones.
    const found = await council.history(caller, thread, { limit: mostTurns + 1, before });
    const turns = found.slice(0, mostTurns);
    const first = turns.at(-1);
    if (!first) throw notFound('conversation');
    const { question } = first.past.request;
    const address = `/threads/${thread}`;
    const older =
      found.length > mostTurns
        ? html`<p><a href="${address}?before=${first.createdAt}">Older questions</a></p>`
        : html``;
    const after =
      before === undefined
        ? await formFor(caller, { label: 'Ask a follow-up', typed: { thread } })
        : html`<p><a href="${address}">Newest questions</a></p>`;
    const body = conversation(question, turns.toReversed(), { older, after });
    return showPage(context, { title: firstSentences(question, 120), thread, body });
  });

  app.get('/settings', async (context) => {
    const { defaults } = await council.overview(callerIn(context));
    const rows = defaults.map(({ label, value, description }) => [label, value, description]);
    const body = html`<main id="main" class="receipt" tabindex="-1"><h1>Settings</h1><p class="small">These settings apply to questions asked here. Change them in council.yaml.</p>${table(['Setting', 'Value', 'What it does'], rows)}</main>`;
    return showPage(context, { title: 'Settings', body });
  });

  return { path: '/', app, showError };
}

function recorded(examples: WebParts['examples']): Html {
  return html`<section><h2>Recorded councils</h2><p class="small">Written by hand to show how a council works. They need no model.</p><ul>${examples.map(({ turnId, title }) => html`<li><a href="/turns/${turnId}">${title}</a></li>`)}</ul></section>`;
}

/** @param around - What precedes and follows the turns. */
function conversation(
  title: string,
  turns: readonly WebTurn[],
  { older, after }: Readonly<Record<'older' | 'after', Html>>,
): Html {
  const items = turns.map((turn) => {
    const { question, askedAt } = turn.past.request;
    const begins = excerpt(turn);
    return html`<li><h2${raw(langOf(question))}><a href="/turns/${turn.turnId}">${shortened(question, mostExcerpt)}</a></h2><p class="small">${timeHtml(askedAt)}</p><p${raw(langOf(begins))}>${raw(saidInline(begins))}</p></li>`;
  });
  return html`<main id="main" tabindex="-1"><h1${raw(langOf(title))}>${firstSentences(title, 160)}</h1>${older}<ol class="turns">${items}</ol>${after}</main>`;
}

function excerpt({ past, status, outcome }: WebTurn): string {
  if (past.verdict) return firstSentences(past.verdict.verdict, mostExcerpt);
  const [only] = past.answers;
  if (status !== 'ended') return english.seated;
  return only && outcome === 'answered'
    ? firstSentences(only.answer, mostExcerpt)
    : (past.ended?.explanation ?? '');
}
