/** The regions of a turn's page that change while it runs. */

import type { TurnEvent } from '../../../council/events.ts';
import { english } from '../../../domain/languages/english.ts';
import type { Seat } from '../../../domain/turn.ts';
import { criteriaNote, seatingNote, sharedModelNote } from '../../../domain/turn-words.ts';
import { counted, inlineMarkdown, listed, oneLine } from '../../../domain/words.ts';
import { faceHtml, noteHtml } from '../../../pages/page.ts';
import { langOf, saidBlock, saidInline } from '../../../pages/said-html.ts';
import { rankingNotes, type Spoken } from '../../../pages/spoken.ts';
import {
  countOf,
  progressSentence,
  seatsInWords,
  seatWords,
  stepOf,
  turnSteps,
} from '../../chat/show/progress-words.ts';
import { seatState } from '../../chat/show/turn-progress.ts';
import { roundMarkdown } from '../../chat/show/verdict-words.ts';
import { type Html, html, raw } from './html.ts';
import { namesIn, partsOfTurn, saidIn, type TurnView } from './turn-view.ts';

/** The regions by id, in the order of the page. Each sage's pane, `answer-<key of the sage>`, is one more. */
const regions = { notices, verdict, progress, answers, dispute, ranking, reviews };
type RegionId = keyof typeof regions;

/** The regions that an event changes, besides the pane of its sage. */
const changedIds: Partial<Record<TurnEvent['type'], readonly RegionId[]>> = {
  seat_named: ['notices', 'progress', 'answers'],
  seated: ['notices', 'progress', 'answers'],
  recalled: ['notices', 'progress', 'answers'],
  stage_started: ['progress'],
  sage_started: ['progress'],
  answered: ['notices', 'progress'],
  reviewed: ['progress', 'reviews'],
  docketed: ['progress', 'dispute'],
  rebutted: ['progress', 'dispute'],
  recast: ['progress', 'dispute'],
  ranked: ['ranking'],
  verdict_grew: ['verdict'],
  concluded: ['notices', 'verdict', 'progress', 'ranking'],
  ended: ['notices', 'verdict', 'progress', 'dispute', 'ranking', 'reviews'],
};

/** All regions in the order of the page. */
export function allRegions(view: TurnView): Html {
  return html`${Object.entries(regions).map(([id, show]) => html`<div id="${id}">${show(view)}</div>`)}`;
}

/** The regions that an event changes, by id, and a sentence about it for screen readers. */
export function changedBy(
  event: TurnEvent,
  view: TurnView,
): { readonly regions: ReadonlyMap<string, Html>; readonly say: string | undefined } {
  const ids = changedIds[event.type] ?? [];
  const changed = new Map<string, Html>(ids.map((id) => [id, regions[id](view)]));
  const { sage } = event.type === 'answered' ? event.answer : { sage: '', ...event };
  for (const seat of view.progress.seats) {
    const isChanged = event.type === 'ended' || seat.sage.key === sage;
    if (isChanged) changed.set(`answer-${seat.sage.key}`, pane(seat, view));
  }
  return { regions: changed, say: sentenceOn(event, view) };
}

/** What a screen reader announces: complete sentences, and nothing for growing texts. */
function sentenceOn(event: TurnEvent, view: TurnView): string | undefined {
  const { progress } = view;
  const nameOf = namesIn(view);
  switch (event.type) {
    case 'seated':
      return `Seated: ${listed(progress.seats.map(seatName)) || 'no sage'}.`;
    case 'stage_started':
      return progressSentence(progress, seatName);
    case 'answered': {
      const { sage } = event.answer;
      const done = `${countOf(progress, 'answered')} of ${progress.seats.length}`;
      return `${nameOf(sage)} ${seatWords(seatState(progress, sage))}: ${done} answered.`;
    }
    case 'rebutted':
      return `${nameOf(event.rebuttal.sage)} has responded to the opposing view.`;
    case 'concluded':
      return 'The verdict is ready.';
    case 'ended':
      return event.end.explanation || progressSentence(progress, seatName);
    default:
      return undefined;
  }
}

function seatName({ sage }: Seat): string {
  return sage.name;
}

/** Problems of a turn, at the top of the page. */
function notices(view: TurnView): Html {
  const { progress } = view;
  const { end, seated } = progress;
  const seats = progress.seats.filter(({ sage }) =>
    ['failed', 'stopped'].includes(seatState(progress, sage.key).doing),
  );
  const failed = seatsInWords({ ...progress, seats }, namesIn(view), oneLine);
  const notes = partsOfTurn(view).verdict?.notes ?? [];
  const note = seatingNote(seated?.note, end?.explanation);
  const lines = [
    ...(end && end.outcome !== 'answered'
      ? [end.explanation || progressSentence(progress, seatName)]
      : []),
    ...notes.flatMap((note) => (note.name === noticeName ? note.lines : [])),
    ...(note ? [note] : []),
    ...(failed === '' ? [] : [failed]),
  ];
  if (lines.length === 0) return html``;
  const isBad = end !== undefined && !progress.verdict;
  return html`<ul class="notices${isBad ? ' bad' : ''}" aria-label="What to know about this turn">${lines.map((line) => html`<li>${raw(saidInline(line))}</li>`)}</ul>`;
}

const noticeName = 'Notice';
/** Notes on a verdict that the page shows in other regions. */
const shownElsewhere: ReadonlySet<string> = new Set([noticeName, 'Asked once more']);

function verdict(view: TurnView): Html {
  const { verdict: spoken } = partsOfTurn(view);
  if (spoken) {
    const notes = spoken.notes.filter((note) => !note.chart && !shownElsewhere.has(note.name));
    return html`<article class="verdict" aria-labelledby="verdict-title">
<h2 id="verdict-title">${spoken.speaker}</h2>
${raw(saidBlock(spoken.text))}
${notes.map((note) => raw(noteHtml(note)))}
</article>`;
  }
  if (view.growingVerdict === '' || view.progress.end) return html``;
  return html`<article class="verdict growing" aria-labelledby="verdict-title">
<h2 id="verdict-title">Verdict <span class="small">the chair is writing</span></h2>
${raw(saidBlock(view.growingVerdict, true))}
</article>`;
}

/** The progress as a sentence and as steps; empty once the turn has ended. */
function progress({ progress: now }: TurnView): Html {
  if (now.end) return html``;
  const current = now.stage ? turnSteps.indexOf(stepOf[now.stage]) : -1;
  const items = turnSteps.map((name, index) => {
    // Only turns with a docket have this step.
    if (name === 'Dispute' && index !== current && !now.docket) return html``;
    if (index === current) return html`<li class="now" aria-current="step">${name}</li>`;
    if (index > current) return html`<li>${name}</li>`;
    return html`<li class="done"><span aria-hidden="true">✓</span> ${name}<span class="unseen">, done</span></li>`;
  });
  return html`<p>${now.stage ? progressSentence(now, seatName) : 'Waiting in the queue.'}</p>
<ol class="small steps">${items}</ol>`;
}

function section(name: RegionId, title: string, body: Html): Html {
  return html`<section class="${name}" aria-labelledby="${name}-title">
<h2 id="${name}-title">${title}</h2>
${body}
</section>`;
}

/** A pane for each sage, behind its tab. */
function answers(view: TurnView): Html {
  const { seats } = view.progress;
  if (seats.length === 0) return html``;
  const panes = seats.map((seat, index) => {
    const { key, name } = seat.sage;
    return html`<input class="unseen" type="radio" name="sage" id="tab-${key}"${index === 0 ? raw(' checked') : ''}>
<label class="tab" for="tab-${key}">${raw(faceHtml(seat.sage))}<bdi>${name}</bdi></label>
<section class="pane" id="answer-${key}">${pane(seat, view)}</section>`;
  });
  return section('answers', 'What the sages say', html`<div class="panes">${panes}</div>`);
}

/** The content of a pane: the sage, its focus, its state and its answer. */
function pane({ sage, focus }: Seat, view: TurnView): Html {
  const state = seatState(view.progress, sage.key);
  const spoken = partsOfTurn(view).answers.get(sage.key);
  const isBusy = ['waiting', 'thinking', 'answering'].includes(state.doing);
  const said = spoken?.text ?? view.growing.get(sage.key) ?? '';
  return html`<h3>${raw(faceHtml(sage))}<bdi>${sage.name}</bdi> <span class="small ${state.doing}">${seatWords(state)}</span></h3>
${focus === undefined ? '' : html`<p class="small focus"${raw(langOf(focus))}>${focus}</p>`}
${raw(saidBlock(said, isBusy))}
${(spoken?.notes ?? []).map((note) => raw(noteHtml(note)))}`;
}

/** At depth `deep`: the contradictions between the answers, and the rebuttals. */
function dispute(view: TurnView): Html {
  const { docket } = view.progress;
  if (!docket) return html``;
  const names = {
    nameOf: (sage: string) => inlineMarkdown(namesIn(view)(sage)),
    inert: inlineMarkdown,
  };
  const parts = [
    roundMarkdown({ docket, answers: countOf(view.progress, 'answered') }, names),
    ...view.events.flatMap((event) =>
      event.type === 'rebutted' ? roundMarkdown(event, names) : [],
    ),
  ];
  return section('dispute', 'What they dispute', raw(saidBlock(parts.join('\n\n'))));
}

/** The ranking as a chart with its table. */
function ranking(view: TurnView): Html {
  const { ranked } = view.progress;
  const charts = rankingNotes(saidIn(view)).filter(({ chart }) => chart);
  if (!ranked || charts.length === 0) return html``;
  const notes = [...criteriaNote(ranked), ...sharedModelNote(ranked)];
  const { disagreement } = ranked;
  const measured = disagreement?.openContradictions === undefined ? 'By their ballots, the' : 'The';
  const body = html`${charts.map((note) => raw(noteHtml(note)))}
${disagreement ? html`<p class="small">${measured} sages are ${english.agreement[disagreement.word]}.</p>` : ''}
${notes.map((note) => html`<p class="small">${note}</p>`)}`;
  return section('ranking', 'How they ranked each other, blind', body);
}

/** Each review as written, with the ballot as read and the sages behind the labels. */
function reviews(view: TurnView): Html {
  const { reviews: spoken } = partsOfTurn(view);
  const missing = view.events.flatMap((event) => {
    const { reviewer = '', failure } = event.type === 'reviewed' ? event.review : {};
    return failure ? [{ name: namesIn(view)(reviewer), why: failure.explanation }] : [];
  });
  if (spoken.length + missing.length === 0) return html``;
  const body = html`${spoken.map(review)}
${missing.map(({ name, why }) => html`<p class="small">No review by ${name}: ${why}</p>`)}`;
  return section('reviews', counted(spoken.length, 'blind review'), body);
}

function review({ speaker, text, notes, sage }: Spoken): Html {
  const ballot = notes.find(({ name }) => name === 'Ballot as read');
  return html`<details class="review"><summary>${sage ? raw(faceHtml(sage)) : ''}<bdi>${speaker}</bdi>${ballot ? html` <span class="small">${ballot.lines[0]}</span>` : ''}</summary>
${raw(saidBlock(text))}
${notes.map((note) => raw(noteHtml(note)))}
</details>`;
}
