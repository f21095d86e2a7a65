/** Presents a turn on a platform's canvas: decides what is posted, in which order, and what is said about failures. */

import type { TurnEvent } from '../../../council/events.ts';
import { partiesOf } from '../../../domain/docket.ts';
import { turnWordsIn } from '../../../domain/languages/languages.ts';
import type { Log } from '../../../domain/log.ts';
import type { SageAnswer } from '../../../domain/turn.ts';
import { linkSignals } from '../../../waiting.ts';
import { type PresentedTurn, UndeliveredError, UnshowableError } from '../../platform.ts';
import { reasonFor } from '../pacing/platform-error.ts';
import type { Canvases, Part, ShownTurn } from './canvas.ts';
import { countOf, doneSentence } from './progress-words.ts';
import { failureOf, outlast, TurnPosts } from './turn-posts.ts';
import { advance, notBegun } from './turn-progress.ts';

/** See {@link Platform.present}. */
export async function presentTurn(
  turn: PresentedTurn,
  events: AsyncIterable<TurnEvent>,
  shutdown: AbortSignal,
  canvases: Canvases,
  log: Log,
): Promise<void> {
  const { turnId } = turn.request;
  const ending = new AbortController();
  using shown = linkSignals(shutdown, ending.signal);
  const explain = (lost: string, refusal: Error) =>
    canvases.tellAsker(turn, lost, shutdown, refusal).catch(onUntold(turnId, log, shutdown));
  let explained: Promise<void> | undefined;
  const posts = new TurnPosts(turnId, log, turn.isAlreadyShown, (error) => {
    log.warn({ turnId, error }, 'a turn can no longer be shown; it ends before more is paid');
    const lost = 'The rest of the answers can’t be shown there';
    turn.endUnshown?.(`${lost}. ${error.message}`);
    explained = explain(lost, error);
  });
  try {
    const presenter = await openPresenter(turn, shown.signal, canvases, log, posts);
    await presenter.present(events);
    await explained;
  } catch (error) {
    shutdown.throwIfAborted();
    if (turn.isAlreadyShown || !(error instanceof Error) || !failureOf(error)) throw error;
    // The platform refused the beginning of the turn.
    log.warn({ turnId, error }, 'a turn can’t be shown; it ends before any model is paid');
    const lost = 'The answers can’t be shown there';
    await explain(lost, error);
    shutdown.throwIfAborted();
    throw new UnshowableError(`${lost}. ${error.message}`, { cause: error });
  } finally {
    // Drops pending edits.
    ending.abort();
  }
}

/**
 * Shows the beginning of a turn.
 *
 * @param signal - Aborted: ends the presentation.
 * @returns Presents the rest.
 * @throws The platform's refusal; {UndeliveredError} if it doesn't answer; the signal's reason.
 */
export async function openPresenter(
  asked: PresentedTurn,
  signal: AbortSignal,
  canvases: Canvases,
  log: Log,
  posts = new TurnPosts(asked.request.turnId, log, asked.isAlreadyShown),
) {
  const { turnId, question, isPosted, author, language } = asked.request;
  const words = turnWordsIn(language);
  const outages = { canvases, log, turnId, signal };
  /** Keys of the sages whose answer is complete. */
  const answered = new Set<string>();
  /** All parts so far, posted or waiting. */
  const parts: Promise<void>[] = [];
  /** The verdict so far, while it is written. */
  let growing: string | undefined;
  /** Settled once everything above the verdict is posted. */
  let above: Promise<unknown> | undefined;
  const stopped = { words: words.stoppedHere };
  let turn: ShownTurn = {
    turnId,
    words,
    progress: notBegun,
    reviews: [],
    personas: new Map(),
    notes: [],
    ...(isPosted ? {} : { question }),
  };
  const canvas = await outlast((isAgain) => {
    const isResumed = asked.isResumed || isAgain;
    return canvases.open({ ...asked, isResumed }, turn, posts, signal);
  }, outages);
  showProgress();
  if (!isPosted) post({ kind: 'question', question });

  /** Presents all events. Rejects like {@link finish}. */
  async function present(events: AsyncIterable<TurnEvent>): Promise<void> {
    try {
      for await (const event of events) take(event);
      await finish();
    } catch (error) {
      if (signal.aborted || error instanceof UndeliveredError) throw error;
      log.error({ turnId, error }, 'a turn could not be shown');
      // The council continues, and its answers are stored.
      for await (const _ of events);
    }
  }

  function take(event: TurnEvent): void {
    advanceBy(event);
    switch (event.type) {
      case 'recalled':
        // Their answers stand above.
        for (const { sage } of event.seated.seats) answered.add(sage.key);
        break;
      case 'answer_grew': {
        const persona = turn.personas.get(event.sage);
        // Names may change until the seating is complete.
        if (turn.progress.seated && persona)
          canvas.grow({ kind: 'answer', sage: event.sage, persona }, event.answer);
        break;
      }
      case 'verdict_grew':
        if (canvas.grows) growVerdict(event.verdict);
        break;
      case 'answered':
        postAnswer(event.answer);
        break;
      case 'reviewed':
        turn = { ...turn, reviews: [...turn.reviews, event.review] };
        break;
      case 'docketed': {
        const { docket } = event;
        const answers = countOf(turn.progress, 'answered');
        post({ kind: 'round', index: 0, said: { docket, answers } });
        break;
      }
      case 'rebutted': {
        const { docket } = turn.progress;
        const parties = docket ? partiesOf(docket) : [];
        const index = 1 + parties.indexOf(event.rebuttal.sage);
        post({ kind: 'round', index, said: { rebuttal: event.rebuttal } });
        break;
      }
      case 'ranked':
        if (event.ranking.places.length > 0) post({ kind: 'ranking' });
        break;
      case 'concluded':
        growing = undefined;
        post({ kind: 'verdict', verdict: event.verdict });
        break;
      case 'ended':
        endAnswers();
        growing = undefined;
        if (canvas.grows && !turn.progress.verdict) {
          const cutShort =
            event.end.outcome === 'stopped' ? stopped : { words: `${words.brokeOff}.` };
          post({ kind: 'verdict', verdict: undefined, cutShort });
        }
        if (event.end.outcome !== 'answered') post({ kind: 'end', end: event.end });
        if (event.end.toAsker !== undefined) {
          const telling = canvases.tellAsker(asked, event.end.toAsker, signal);
          keep(telling.catch(onUntold(turnId, log, signal)));
        }
        // The person who stopped the turn knows that it ended.
        if (event.end.outcome !== 'stopped') keep(ping());
        break;
    }
  }

  /**
   * Resolves when everything is posted and the progress shows the end.
   *
   * @throws {UndeliveredError} if part of it could not be posted because of an outage; the signal's reason.
   */
  async function finish(): Promise<void> {
    await Promise.allSettled(parts);
    await Promise.all(parts);
    // A turn that will be resumed keeps its current progress.
    signal.throwIfAborted();
    const { missed, isUnshowable } = posts;
    if (isUnshowable) return;
    const last = { ...turn, notes: [...notes(), ...(missed ? [missedNote(missed)] : [])] };
    try {
      await outlast(() => canvas.finish(last), outages);
    } catch (error) {
      if (signal.aborted || error instanceof UndeliveredError) throw error;
      log.warn({ turnId, error }, 'the last state of a turn could not be shown');
      posts.missEdit(error);
    }
  }

  /** Mentions the asker below everything else. Skipped if the store fails. */
  async function ping(): Promise<void> {
    const earlier = [...parts];
    const isWanted = await asked.wantsPing().catch((error: unknown) => {
      const sentence = 'the asker was not mentioned when the turn was done: the store failed';
      log.warn({ turnId, error }, sentence);
      return false;
    });
    const part: Part = {
      kind: 'ping',
      personId: author.id,
      words: doneSentence(turn.progress, words),
    };
    // Composed only now, so that its rejection is handled at once.
    const before = Promise.all(earlier);
    await (isWanted ? say(part, turn, before) : before);
  }

  /** Updates the progress, but not to the end, which {@link finish} shows. */
  function advanceBy(event: TurnEvent): void {
    const before = turn.progress;
    const progress = advance(before, event);
    if (progress === before) return;
    const isSeated = progress.seats !== before.seats;
    const personas = isSeated ? canvases.personasOf(progress.seats) : turn.personas;
    turn = { ...turn, progress, personas };
    if (!progress.end) showProgress();
  }

  function showProgress(): void {
    if (!posts.isAlreadyShown) canvas.progress({ ...turn, notes: notes() });
  }

  /** Small print: what was read of the conversation, the depth, and notes on the place. */
  function notes(): readonly string[] {
    const { heard, seated } = turn.progress;
    const depth = seated?.depth ? [words.depth(seated.depth)] : [];
    const read = heard?.words === undefined ? [] : [`Read ${heard.words}.`];
    const gap = heard?.gap === undefined ? [] : [heard.gap];
    return [...read, ...gap, ...depth, ...canvas.notes];
  }

  function postAnswer({ sage, status, answer, partial }: SageAnswer): void {
    const persona = turn.personas.get(sage);
    if (!persona) return;
    const said = { kind: 'answer', sage, persona } as const;
    if (status === 'failed') {
      const reason = answer.replace(/^Error: /, '');
      const cutShort = { words: `${words.brokeOff}:`, reason };
      post({ ...said, text: partial, cutShort, isOnlyEnding: true });
    } else if (answer.trim() !== '') {
      answered.add(sage);
      const cutShort = status === 'stopped' ? { cutShort: stopped } : {};
      post({ ...said, text: answer, ...cutShort, isOnlyEnding: false });
    }
  }

  /** Streams the verdict once everything above it is posted. */
  function growVerdict(text: string): void {
    growing = text;
    above ??= Promise.allSettled(parts);
    void above.then(() => {
      if (growing === text && !signal.aborted) canvas.grow({ kind: 'verdict' }, text);
    });
  }

  /** Ends the streamed answers of sages that were stopped. */
  function endAnswers(): void {
    for (const [sage, persona] of turn.personas) {
      if (answered.has(sage)) continue;
      const said = { kind: 'answer', sage, persona, text: undefined } as const;
      post({ ...said, cutShort: stopped, isOnlyEnding: true });
    }
  }

  /** Posts a part below all earlier ones, except for streamed answers, which stand side by side. */
  function post(part: Part): void {
    const isBeside = part.kind === 'answer' && canvas.grows;
    const before = isBeside ? undefined : Promise.all(parts);
    keep(say(part, turn, before));
  }

  function keep(posted: Promise<void>): void {
    // The error surfaces in `finish`, possibly later.
    posted.catch(() => undefined);
    parts.push(posted);
  }

  /** Posts a part. A refusal is logged and mentioned in the end, and delays nothing else. */
  async function say(
    part: Part,
    shown: ShownTurn,
    before: Promise<unknown> | undefined,
  ): Promise<void> {
    if (before) await before;
    signal.throwIfAborted();
    try {
      await outlast((isAgain) => canvas.say(part, shown, isAgain), outages);
    } catch (error) {
      if (signal.aborted || error instanceof UndeliveredError) throw error;
      posts.miss(error);
    }
  }

  return { present, take, finish };
}

function onUntold(turnId: string, log: Log, signal: AbortSignal) {
  return (error: unknown) => {
    if (!signal.aborted) log.warn({ turnId, error }, 'the asker could not be informed either');
  };
}

/** Small print about a failed post; only platform errors are quoted. */
function missedNote(missed: Error): string {
  const reason = failureOf(missed) ? `: ${reasonFor(missed).replace(/\.$/, '')}` : '';
  return `Not everything could be posted${reason}. /council receipt shows how the turn went.`;
}
