/** The page of a turn, complete without scripts: the question, the deliberation, and the actions below it. */

import { receiptOf } from '../../../council/receipt.ts';
import { sourcesIn } from '../../../domain/heard.ts';
import { isRecorded, partsOf } from '../../../domain/thread-id.ts';
import { counted } from '../../../domain/words.ts';
import { langOf } from '../../../pages/said-html.ts';
import { goDeeper, offersBelow } from '../../chat/asking/turn-actions.ts';
import { type Caller, isTheirs } from '../caller.ts';
import type { Offered } from '../question-fields.ts';
import type { WebTurn } from '../web-council.ts';
import { askForm } from './ask-form.ts';
import { type Html, html, raw, timeHtml } from './html.ts';
import { allRegions } from './turn-regions.ts';
import { viewOf } from './turn-view.ts';

/** The links and forms around a turn. */
export interface TurnLinks {
  /** Path of the link for others; absent: it has none. */
  readonly shared?: string | undefined;
  /** The choices for a follow-up; absent: the viewer can't ask one. */
  readonly offered?: Offered | undefined;
  /** Id of the newest turn of its conversation. A follow-up is asked once until there is a newer one. */
  readonly newest?: string | undefined;
}

/** @param viewer - Absent: someone with a link, who may only read. */
export function turnMain(turn: WebTurn, viewer?: Caller, links: TurnLinks = {}): Html {
  const { turnId, past, status } = turn;
  const { request } = past;
  const isOver = status === 'ended';
  const live = !isOver && viewer ? `/turns/${turnId}/live` : '';
  const mayAsk = viewer?.scopes.has('ask') === true && !isRecorded(turn.threadId);
  const isOwn = mayAsk && isTheirs(viewer, request);
  return html`<main id="main" tabindex="-1" data-live="${live}">
<header class="question">
<p class="small">${about(turn, viewer)}</p>
<h1${request.question.length > 120 ? html` class="long" tabindex="0"` : ''}${raw(langOf(request.question))}>${request.question}</h1>
</header>
${!isOver && isOwn ? html`<form class="actions" method="post" action="/turns/${turnId}/stop"><button>Stop</button></form>` : ''}
${allRegions(viewOf(turn))}
${isOver && viewer ? below(turn, links, mayAsk, isOwn) : ''}
</main>`;
}

/** When it was asked and, except for readers with a link, by whom and in which conversation. */
function about({ past, threadId }: WebTurn, viewer: Caller | undefined): Html {
  const { author, askedAt, preset } = past.request;
  if (isRecorded(threadId)) return html`A recorded council`;
  return html`${viewer ? `${author.name} asked, ` : 'Asked '}${timeHtml(askedAt)}${preset === undefined ? '' : `, with the preset ${preset}`}${viewer ? html` · <a href="/threads/${partsOf(threadId).thread}">Conversation</a>` : ''}`;
}

/** The actions for a turn that has ended. */
function below(turn: WebTurn, links: TurnLinks, mayAsk: boolean, isOwn: boolean): Html {
  const { turnId } = turn;
  return html`${mayAsk ? followUp(turn, links) : ''}
${cost(turn)}
<nav class="actions" aria-label="More about this turn">
<a href="/turns/${turnId}/receipt">How it came about</a>
<a href="/turns/${turnId}/export?format=html">Save as a page</a>
<a href="/turns/${turnId}/export?format=markdown">Save as Markdown</a>
${isOwn ? html`<a href="/turns/${turnId}/forget">Delete this question</a>` : ''}
</nav>
${isOwn || (mayAsk && links.shared) ? share(turnId, links.shared) : ''}`;
}

/** A summary of what it read, remembered and cost; the receipt has the details. */
function cost({ past, outcome = '', usage }: WebTurn): Html {
  const { totals, heard, memory, interactionsRemembered } = receiptOf(past, outcome, usage);
  const { calls, costUsd, callsWithoutCost } = totals;
  const total = costUsd === 0 ? ', at no cost' : ` for $${costUsd.toFixed(4)}`;
  const price = callsWithoutCost === 0 ? total : '';
  const recalled = memory?.used.filter(({ kind }) => kind !== 'question').length ?? 0;
  const remembered = [
    ...(interactionsRemembered === 0 ? [] : [counted(interactionsRemembered, 'earlier question')]),
    ...(recalled === 0 ? [] : [counted(recalled, 'message or summary', 'messages or summaries')]),
  ];
  const sentences = [
    ...(calls === 0 ? [] : [`${counted(calls, 'call')} to models${price}.`]),
    ...(remembered.length === 0 ? [] : [`Remembered ${remembered.join(' and ')}.`]),
    ...(heard?.words === undefined ? [] : [`Read ${heard.words}.`]),
    ...(heard?.gap === undefined ? [] : [heard.gap]),
  ];
  const sources = heard?.sources ?? [];
  return html`${sentences.length === 0 ? '' : html`<p class="small">${sentences.join(' ')}</p>`}
${sources.length === 0 ? '' : html`<section><h2>Sources</h2><ul class="small">${sources.map((source) => html`<li>${source}</li>`)}</ul></section>`}`;
}

function followUp(
  { turnId, threadId, past, outcome }: WebTurn,
  { offered, newest = '' }: TurnLinks,
): Html {
  const { request, heard, verdict, followed, seated, ranked, round, deepenedBy } = past;
  // A question without an answer may be asked again, and need not be written again.
  const isAnswered = outcome === 'answered';
  const label = isAnswered ? 'Ask a follow-up' : 'Ask again';
  const { thread } = partsOf(threadId);
  const beginning = request.question.slice(0, 100);
  const [whole = request.question] = sourcesIn(heard ?? { messages: [] }).flatMap((one) =>
    one.status === 'read' && !one.isCut && one.text.startsWith(beginning) ? one.text : [],
  );
  const typed = { thread, form: newest, question: isAnswered ? '' : whole };
  const below = verdict && offersBelow({ seats: seated?.seats ?? [], verdict, followed }, false);
  const good = past.feedback.filter(({ rating }) => rating === 'good').length;
  const rated = `${good} yes, ${past.feedback.length - good} no`;
  const canDeepen =
    below && deepenedBy === undefined && goDeeper(turnId, ranked, round?.docket).length > 0;
  return html`<section class="follow" aria-labelledby="follow-title">
<h2 id="follow-title">Continue</h2>
${isAnswered ? html`<form method="post" action="/turns/${turnId}/feedback"><span>Was this helpful?</span> <button name="rating" value="good">Yes</button> <button name="rating" value="bad">No</button>${past.feedback.length === 0 ? '' : html` <span class="small">${rated}</span>`}</form>` : ''}
${(below?.next ?? []).map(({ question, number }) => html`<form method="post" action="/turns/${turnId}/next"><button class="next" name="number" value="${number}"${raw(langOf(question))}>${question}</button></form>`)}
${offered ? askForm({ label, offered, typed }) : ''}
${canDeepen ? html`<form method="post" action="/turns/${turnId}/deeper"><button>Go deeper</button> <span class="small">Sages who contradict each other answer again, then all vote again.</span></form>` : ''}
</section>
${below ? html`<form class="actions" method="post" action="/turns/${turnId}/again"><label for="again">Ask one sage again</label> <select id="again" name="pick">${below.again.map(({ label, pick }) => html`<option value="${pick}">${label}</option>`)}</select> <button>Ask again</button></form>` : ''}`;
}

function share(turnId: string, shared: string | undefined): Html {
  if (shared === undefined) {
    return html`<form class="actions" id="share" method="post" action="/turns/${turnId}/share"><button>Make a link for others</button> <span class="small">Anyone with the link can read this turn, without the context it remembered or quoted.</span></form>`;
  }
  return html`<form class="actions" id="share" method="post" action="/turns/${turnId}/unshare"><a href="${shared}">Link for others</a> <button>Withdraw</button></form>`;
}
