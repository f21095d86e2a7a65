/** The pages for people. */

import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import type { Reply } from '../../../../commands/command.ts';
import { takenWords } from '../../../domain/asking.ts';
import { ratings } from '../../../domain/stored-turn.ts';
import { partsOf, workspaceOf } from '../../../domain/thread-id.ts';
import { wishedDepths } from '../../../domain/turn.ts';
import { firstSentences } from '../../../domain/words.ts';
import { readPick } from '../../chat/show/verdict-offers.ts';
import { assertMay, type Caller, callerIn, type WebEnv } from '../caller.ts';
import { replyTo, type WebRoutes } from '../server.ts';
import type { WebGround } from '../web.ts';
import { sharedPath, type WebThread, type WebTurn, webName } from '../web-council.ts';
import { script, style } from './assets.ts';
import { type Html, html } from './html.ts';
import { type PageOptions, pageOf } from './layout.ts';
import { livePage } from './live-page.ts';
import { replyHtml } from './reply-html.ts';
import { askForm, turnMain } from './turn-page.ts';

const mostThreads = 40;
/** Seconds after which a browser without scripts loads a turn that runs again. */
const againSeconds = 5;

const askedForm = z.object({
  question: z.string().trim().min(1),
  thread: z.string().optional(),
  depth: z.preprocess((given) => given || undefined, z.enum(wishedDepths).optional()),
});
const pickForm = z.object({ pick: z.string().max(200) });
const nextForm = z.object({ number: z.coerce.number().int().min(1).max(9) });
const feedbackForm = z.object({ rating: z.enum(ratings) });
const signInForm = z.object({ key: z.string().trim().min(1).max(500) });
const exportQuery = z.object({ format: z.enum(['html', 'markdown', 'json']).catch('html') });

type Page = Omit<PageOptions, 'caller' | 'threads'>;

export function pageRoutes({ council, callers, log, examples, shares }: WebGround): WebRoutes {
  const app = new Hono<WebEnv>();

  async function shown(context: Context<WebEnv>, page: Page, status: 200 | 404 | 422 = 200) {
    const caller = callerIn(context);
    const search = page.search ?? '';
    const threads = caller.scopes.has('read')
      ? await council.threads(caller, { limit: mostThreads, search })
      : [];
    return context.html(pageOf({ ...page, caller, threads }), status);
  }

  /** @throws HTTPException 404 where there is no such turn for this caller. */
  async function turnIn(context: Context<WebEnv>): Promise<WebTurn> {
    const turn = await council.turn(callerIn(context), context.req.param('turn') ?? '');
    if (!turn) throw new HTTPException(404, { message: 'There is no such turn.' });
    return turn;
  }

  /** Runs a command as the caller, where a turn was asked. */
  function command(
    caller: Caller,
    { threadId }: WebTurn,
    name: string,
    options: Readonly<Record<string, unknown>>,
  ): Promise<Reply> {
    const place = { ...council.place(caller, ''), ...partsOf(threadId), threadId };
    return council.ingress.command({ place, person: caller.person, command: name, options });
  }

  /** Runs a command that asks, and leads to the newest turn of the conversation, which came of it. */
  async function ask(
    context: Context<WebEnv>,
    name: string,
    options: Readonly<Record<string, unknown>>,
  ): Promise<Response> {
    const caller = callerIn(context);
    assertMay(caller, 'ask');
    const turn = await turnIn(context);
    const reply = await command(caller, turn, name, { ...options, turn: turn.turnId });
    const thread = reply.isRefusal ? undefined : await council.thread(caller, threadOf(turn));
    const [newest] = thread?.turnIds ?? [];
    if (newest !== undefined) return context.redirect(`/turns/${newest}`, 303);
    const body = html`<main id="main" tabindex="-1"><h1>Not asked</h1>${replyHtml(reply)}<p><a href="/turns/${turn.turnId}">Back</a></p></main>`;
    return shown(context, { title: 'Not asked', body }, 422);
  }

  /** Makes a link for others, or withdraws it. */
  async function share(
    context: Context<WebEnv>,
    change: (turn: WebTurn) => Promise<unknown>,
  ): Promise<Response> {
    const caller = callerIn(context);
    assertMay(caller, 'ask');
    const turn = await turnIn(context);
    if (workspaceOf(turn.threadId) === `${webName}:${caller.workspace}`) await change(turn);
    return context.redirect(`/turns/${turn.turnId}`, 303);
  }

  app.onError(async (error, context) => {
    const { status, message } = replyTo(error);
    if (status === 500) log.error({ error }, 'a page could not be shown');
    const body = html`<main id="main" tabindex="-1"><h1>${message}</h1><p><a href="/">To the first page</a></p></main>`;
    return context.html(pageOf({ title: message, caller: context.var.caller, body }), status);
  });

  app.use(async (context, next) => {
    await next();
    if (!context.res.headers.has('Cache-Control'))
      context.header('Cache-Control', 'private, no-cache');
  });
  for (const { path, mediaType, content } of [style, script]) {
    app.get(path, (context) =>
      context.body(content, 200, {
        'Content-Type': mediaType,
        'Cache-Control': 'public, max-age=31536000, immutable',
      }),
    );
  }

  app.get('/sign-in', (context) => context.html(pageOf(signIn())));
  app.post('/sign-in', async (context) => {
    const form = signInForm.safeParse(await context.req.parseBody());
    const keyId = form.success ? await callers.keyIdOf(form.data.key) : undefined;
    if (keyId === undefined) {
      return context.html(pageOf(signIn('This key is not known here, or was withdrawn.')), 401);
    }
    await callers.remember(context, keyId);
    return context.redirect('/', 303);
  });
  app.post('/sign-out', async (context) => {
    await callers.forget(context);
    return context.redirect('/sign-in', 303);
  });

  app.get('/shared/:secret', async (context) => {
    const turn = await shares.find(context.req.param('secret'));
    if (!turn) throw new HTTPException(404, { message: 'This link leads to nothing any more.' });
    const body = turnMain(turn, undefined, { mayShare: false });
    return context.html(pageOf({ title: turn.past.request.question, body }));
  });

  app.use(async (context, next) => {
    if (context.var.caller) return next();
    return context.redirect('/sign-in', 303);
  });

  app.get('/', (context) => {
    const search = context.req.query('search') ?? '';
    const body = html`<main id="main" tabindex="-1"><h1>What should the council think about?</h1>
${callerIn(context).scopes.has('ask') ? askForm('Your question') : ''}
${examples.length === 0 ? '' : recorded(examples)}</main>`;
    return shown(context, { title: 'Ask', search, body });
  });

  app.post('/ask', async (context) => {
    const form = askedForm.safeParse(await context.req.parseBody());
    if (!form.success) throw new HTTPException(400, { message: 'A question needs words.' });
    const { question, thread, depth } = form.data;
    const taken = await council.ask(callerIn(context), {
      ...{ question, ...(thread === undefined ? {} : { thread }) },
      ...(depth === undefined ? {} : { depth }),
    });
    if (taken.status === 'accepted') return context.redirect(`/turns/${taken.turnId}`, 303);
    const why = taken.status === 'refused' ? taken.reason : 'The question was asked already.';
    const body = html`<main id="main" tabindex="-1"><h1>Not asked</h1><p>${why}</p><blockquote class="said">${question}</blockquote>${askForm('Ask again', thread)}</main>`;
    return shown(context, { title: 'Not asked', body }, 422);
  });

  app.get('/turns/:turn', async (context) => {
    const turn = await turnIn(context);
    const { past, status, threadId } = turn;
    const mayShare = threadId.startsWith(`${webName}:`);
    const thread = mayShare ? threadOf(turn) : undefined;
    const secret = mayShare ? await shares.of(turn) : undefined;
    const shared = secret === undefined ? undefined : sharedPath(secret);
    const body = turnMain(turn, callerIn(context), { thread, mayShare, shared });
    return shown(context, {
      ...{ title: past.request.question, body },
      ...(thread === undefined ? {} : { thread }),
      ...(status === 'ended' ? {} : { again: againSeconds }),
    });
  });
  app.get('/turns/:turn/live', async (context) =>
    livePage(context, await turnIn(context), { council, log }),
  );
  app.post('/turns/:turn/stop', async (context) => {
    await council.stop(callerIn(context), context.req.param('turn'));
    return context.redirect(`/turns/${context.req.param('turn')}`, 303);
  });
  app.post('/turns/:turn/share', (context) => share(context, shares.make));
  app.post('/turns/:turn/unshare', (context) => share(context, shares.withdraw));
  app.post('/turns/:turn/feedback', async (context) => {
    const caller = callerIn(context);
    assertMay(caller, 'ask');
    const form = feedbackForm.safeParse(await context.req.parseBody());
    if (!form.success) throw new HTTPException(400, { message: 'Say whether it was of use.' });
    const turn = await turnIn(context);
    await command(caller, turn, 'feedback', { ...form.data, turn: turn.turnId });
    return context.redirect(`/turns/${turn.turnId}`, 303);
  });
  app.post('/turns/:turn/deeper', (context) => ask(context, 'deeper', {}));
  app.post('/turns/:turn/again', async (context) => {
    const form = pickForm.safeParse(await context.req.parseBody());
    if (!form.success) throw new HTTPException(400, { message: 'Choose a sage.' });
    return ask(context, 'again', readPick(form.data.pick));
  });
  app.post('/turns/:turn/next', async (context) => {
    const form = nextForm.safeParse(await context.req.parseBody());
    if (!form.success) throw new HTTPException(400, { message: 'Choose a question.' });
    return ask(context, 'next', form.data);
  });
  app.get('/turns/:turn/receipt', async (context) => {
    const turn = await turnIn(context);
    const reply = await command(callerIn(context), turn, 'receipt', { turn: turn.turnId });
    const { question } = turn.past.request;
    const body = html`<main id="main" class="receipt" tabindex="-1"><p class="small"><a href="/turns/${turn.turnId}">${firstSentences(question, 120)}</a></p><h1>How it came about</h1>${replyHtml(reply)}</main>`;
    return shown(context, { title: 'How it came about', body });
  });
  app.get('/turns/:turn/export', async (context) => {
    const { format } = exportQuery.parse(context.req.query());
    const reply = await command(callerIn(context), await turnIn(context), 'export', { format });
    const file = reply.blocks.find((block) => block.type === 'file');
    if (!file) throw new HTTPException(404, { message: 'There is nothing to save.' });
    return context.body(file.content, 200, {
      'Content-Type': `${file.mediaType}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${file.name.replace(/[^\w.-]/g, '-')}"`,
    });
  });

  app.get('/threads/:thread', async (context) => {
    const thread = context.req.param('thread');
    const caller = callerIn(context);
    const found = await council.thread(caller, thread);
    if (!found) throw new HTTPException(404, { message: 'There is no such conversation.' });
    const turns = await Promise.all(
      found.turnIds.toReversed().map((id) => council.turn(caller, id)),
    );
    const title = firstSentences(found.title, 120);
    return shown(context, { title, thread, body: conversation(found, turns, caller) });
  });

  app.get('/settings', async (context) => {
    const caller = callerIn(context);
    const place = council.place(caller, 'settings');
    const { person } = caller;
    const reply = await council.ingress.command({ place, person, command: 'config', options: {} });
    const blocks = reply.blocks.filter(({ type }) => type === 'settings');
    const body = html`<main id="main" class="receipt" tabindex="-1"><h1>Settings</h1><p class="small">What holds for questions that are asked here. It is changed in council.yaml.</p>${replyHtml({ ...reply, blocks })}</main>`;
    return shown(context, { title: 'Settings', body });
  });

  return { path: '/', app };
}

function threadOf({ threadId }: WebTurn): string {
  return partsOf(threadId).thread;
}

function recorded(examples: WebGround['examples']): Html {
  return html`<section><h2>Recorded councils</h2><p class="small">Written by hand, to show how a council goes. They need no model.</p><ul>${examples.map(({ turnId, title }) => html`<li><a href="/turns/${turnId}">${title}</a></li>`)}</ul></section>`;
}

function conversation(
  { title, thread }: WebThread,
  turns: readonly (WebTurn | undefined)[],
  { scopes }: Caller,
): Html {
  const items = turns.flatMap((turn) =>
    turn
      ? html`<li><h2><a href="/turns/${turn.turnId}">${turn.past.request.question}</a></h2><p>${excerpt(turn)}</p></li>`
      : [],
  );
  return html`<main id="main" tabindex="-1"><h1>${firstSentences(title, 160)}</h1><ol class="turns">${items}</ol>${scopes.has('ask') ? askForm('Ask a follow-up', thread) : ''}</main>`;
}

function excerpt({ past, status, outcome }: WebTurn): string {
  if (past.verdict) return firstSentences(past.verdict.verdict, 280);
  const [only] = past.answers;
  if (status !== 'ended') return takenWords(0);
  return only && outcome === 'answered'
    ? firstSentences(only.answer, 280)
    : (past.ended?.explanation ?? '');
}

/** @param problem - Why it did not succeed before. */
function signIn(problem?: string): PageOptions {
  const body = html`<main id="main" class="sign-in" tabindex="-1"><h1>Sign in</h1>
${problem === undefined ? '' : html`<p class="notices bad" role="alert">${problem}</p>`}
<form class="ask" method="post" action="/sign-in"><label for="key">Key</label><input id="key" name="key" type="password" autocomplete="current-password" required><div class="row"><button class="primary">Sign in</button></div></form>
<p class="small">Whoever runs this council makes keys, with “npm run council -- keys”.</p></main>`;
  return { title: 'Sign in', body };
}
