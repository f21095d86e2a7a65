/** The frame of every page, its style sheet and its script. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { shortened } from '../../../domain/words.ts';
import { baseStyle } from '../../../pages/page.ts';
import type { Caller, WebEnv } from '../caller.ts';
import type { WebThread } from '../question-fields.ts';
import { type Html, html, raw, timeHtml } from './html.ts';

export interface PageOptions {
  readonly title: string;
  /** Absent: a page for people who are not signed in. */
  readonly caller?: Caller | undefined;
  /** Conversations to list beside it. */
  readonly threads?: readonly WebThread[];
  /** The search that found them. */
  readonly search?: string;
  /** Lists only conversations whose last question is older, in milliseconds since 1970. */
  readonly before?: number | undefined;
  /** The conversation to mark as current. */
  readonly thread?: string;
  readonly body: Html;
  /** Seconds after which a browser without scripts reloads it; absent: never. */
  readonly reloadSeconds?: number;
}

/** Renders a page with the caller's conversations beside it. */
export type ShowPage = (
  context: Context<WebEnv>,
  page: Omit<PageOptions, 'caller' | 'threads'>,
  status?: ContentfulStatusCode,
) => Promise<Response>;

const mostTitle = 80;
/** How many conversations are listed. */
export const mostThreads = 40;

/** Renders a complete page. */
export function pageOf(page: PageOptions): string {
  const { title, caller, body, reloadSeconds } = page;
  const shown = shortened(title, mostTitle);
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${shown} · Council</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${style.path}">
<script type="module" src="${script.path}"></script>
${reloadSeconds === undefined ? '' : html`<noscript><meta http-equiv="refresh" content="${reloadSeconds}"></noscript>`}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="/">Council</a>
${caller ? html`<nav aria-label="Pages"><a href="/">Ask</a><a class="narrow" href="#threads">Conversations</a><a href="/settings">Settings</a>${caller.keyId === undefined ? '' : html`<form method="post" action="/sign-out"><button>Sign out</button></form>`}</nav>` : ''}
</header>
<div class="frame">
${body}
${page.threads ? aside(page, page.threads) : ''}
</div>
<p id="said" class="unseen" role="status"></p>
</body>
</html>`}`;
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%232f6f4f'/%3E%3C/svg%3E";

function aside({ search = '', thread }: PageOptions, threads: readonly WebThread[]): Html {
  const items = threads
    .slice(0, mostThreads)
    .map(
      (one) =>
        html`<li><a href="/threads/${one.thread}"${one.thread === thread ? raw(' aria-current="page"') : ''}>${shortened(one.title, mostTitle)}<br>${timeHtml(one.askedAt)}</a></li>`,
    );
  const last = threads.length > mostThreads ? threads[mostThreads - 1] : undefined;
  const older = new URLSearchParams({ search, before: `${last?.askedAt}` });
  const none = search === '' ? 'Nothing has been asked yet.' : 'Nothing was found.';
  return html`<aside id="threads" aria-labelledby="threads-title">
<h2 id="threads-title">Conversations</h2>
<form role="search" action="/" method="get"><label class="unseen" for="search">Search conversations</label><input id="search" type="search" name="search" value="${search}" placeholder="Search"><button>Search</button></form>
${items.length === 0 ? html`<p class="small">${none}</p>` : html`<ul>${items}</ul>`}
${last ? html`<p><a href="/?${`${older}`}#threads">Older conversations</a></p>` : ''}
</aside>`;
}

/** @param before - Content to put in front of the file's. */
function asset(file: string, mediaType: string, before = '') {
  const content = before + readFileSync(new URL(`browser/${file}`, import.meta.url), 'utf8');
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 12);
  const [name = '', ending = ''] = file.split('.');
  return { path: `/assets/${name}-${hash}.${ending}`, mediaType, content };
}

export const style = asset('council.css', 'text/css; charset=utf-8', baseStyle);
export const script = asset('council.js', 'text/javascript; charset=utf-8');
