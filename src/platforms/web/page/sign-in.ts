/** Signing in with a key, and out again. */

import { type Context, Hono } from 'hono';
import { addressOf, type Callers, callerIn, unknownKeyWords, type WebEnv } from '../caller.ts';
import { MinuteLimit } from '../refusals.ts';
import { fieldsIn, type Typed, typedFields, typedSchema } from './ask-form.ts';
import { html } from './html.ts';
import { type PageOptions, pageOf } from './layout.ts';

/** How many keys an address may try in a minute. */
const mostTries = 10;
const cookieWords =
  'You are not signed in. If your key was accepted, your browser did not keep the session: allow cookies for this site, and open it at its public address.';

/** The routes `/sign-in` and `/sign-out`. */
export function signInRoutes(callers: Callers): Hono<WebEnv> {
  const app = new Hono<WebEnv>();
  const tries = new MinuteLimit();

  app.get('/sign-in', (context) => context.html(pageOf(signIn({ to: context.req.query('to') }))));
  app.post('/sign-in', async (context) => {
    const sent = await fieldsIn(context);
    const typed = typedSchema.parse(sent);
    const to = context.req.query('to');
    const address = addressOf(context);
    tries.count(address, mostTries, 'Too many wrong keys were tried. Try again in a minute.');
    const { key } = sent;
    const keyId = typeof key === 'string' ? await callers.keyIdOf(key.trim()) : undefined;
    if (keyId === undefined) {
      return context.html(pageOf(signIn({ to, typed, problem: unknownKeyWords })), 401);
    }
    tries.forget(address);
    await callers.remember(context, keyId);
    // The browser sends the question on, as it was sent here.
    if (typed.question !== '') return context.redirect('/ask', 307);
    return context.redirect(to && ownPath.test(to) ? to : '/', 303);
  });
  app.post('/sign-out', async (context) => {
    await callers.forget(context);
    return context.redirect('/sign-in', 303);
  });
  return app;
}

/**
 * Leads a person who is not signed in to the form; it keeps a question that was sent, and the page of a button.
 *
 * @throws HTTPException 401 for a program: it would take the form for what it asked for, e.g. an MCP client that looks
 *   for OAuth.
 */
export async function askToSignIn(context: Context<WebEnv>): Promise<Response> {
  const { req } = context;
  if (!(req.header('accept') ?? 'text/html').includes('text/html')) callerIn(context);
  const { pathname, search } = new URL(req.url);
  const from = URL.parse(req.header('referer') ?? '')?.pathname;
  if (req.method === 'POST') {
    const isQuestion = pathname === '/ask';
    const typed = isQuestion ? typedSchema.parse(await fieldsIn(context)) : undefined;
    const problem = `Your session has ended. Sign in, and ${isQuestion ? 'your question is asked' : 'press the button again'}.`;
    return context.html(pageOf(signIn({ to: from, typed, problem })), 401);
  }
  const isLink = req.header('accept')?.includes('text/html') && pathname !== '/';
  const to = isLink ? pathname + search : undefined;
  if (from === signInPath()) return context.html(pageOf(signIn({ to, problem: cookieWords })), 401);
  return context.redirect(signInPath(to), 303);
}

/** A path on this site. Browsers read `//`, and `/` with a backslash or tab behind it, as another host. */
const ownPath = /^\/(?![/\\])[^\\\p{Cc}]*$/u;

/** @param to - The path to land on afterwards; absent: the start page. */
function signInPath(to?: string): string {
  return to ? `/sign-in?${new URLSearchParams({ to })}` : '/sign-in';
}

interface SignInOptions {
  /** As for {@link signInPath}. */
  readonly to?: string | undefined;
  /** Why the last attempt failed, or why it is needed again. */
  readonly problem?: string;
  /** A question that was sent without a session. */
  readonly typed?: Typed | undefined;
}

function signIn({ to, problem, typed }: SignInOptions): PageOptions {
  const body = html`<main id="main" class="sign-in" tabindex="-1"><h1>Sign in</h1>
${problem === undefined ? '' : html`<p class="notices bad" id="problem" role="alert">${problem}</p>`}
<form class="ask" method="post" action="${signInPath(to)}" enctype="multipart/form-data">${typed ? typedFields(typed) : ''}<label for="key">Key</label><input id="key" name="key" type="password" autocomplete="current-password" required autofocus${problem === undefined ? '' : html` aria-describedby="problem"`}><div class="row"><button class="primary">Sign in</button></div></form>
<p class="small">You get a key from the person who runs this council, who makes it with “npm run council -- keys make NAME”.</p></main>`;
  return { title: 'Sign in', body };
}
