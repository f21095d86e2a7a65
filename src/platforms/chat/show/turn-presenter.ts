/** Presents a turn on a platform's canvas: decides what is posted, in which order, and what is said about failures. */

import type { TurnEvent } from '../../../council/events.ts';
import { partiesOf } from '../../../domain/docket.ts';
import type { Log } from '../../../domain/log.ts';
import type { SageAnswer } from '../../../domain/turn.ts';
import { linkSignals } from '../../../waiting.ts';
import { type PresentedTurn, UndeliveredError, UnshowableError } from '../../platform.ts';
import type { Canvas, Canvases, Part, ShownTurn } from './canvas.ts';
import { countOf, doneSentence } from './progress-words.ts';
import { failureOf, type OutlastOptions, outlast, TurnPosts } from './turn-posts.ts';
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
    canvases.explainToAsker(turn, lost, refusal, shutdown).catch((error: unknown) => {
      if (!shutdown.aborted) log.warn({ turnId, error }, 'the asker could not be informed either');
    });
  let explained: Promise<void> | undefined;
  const posts = new TurnPosts(turnId, log, turn.isAlreadyShown, (error) => {
    log.warn({ turnId, error }, 'a turn can no longer be shown; it ends before more is paid');
    const lost = 'The rest of the answers can’t be shown there';
    turn.endUnshown?.(`${lost}. ${error.message}`);
    explained = explain(lost, error);
  });
  try {
    const presenter = await TurnPresenter.open(turn, shown.signal, canvases, log, posts);
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

interface Options extends OutlastOptions {
  readonly canvases: Canvases;
  readonly asked: PresentedTurn;
}

export class TurnPresenter {
  readonly #canvas: Canvas;
  readonly #posts: TurnPosts;
  readonly #options: Options;
  /** Keys of the sages whose answer is complete. */
  readonly #answered = new Set<string>();
  /** All parts so far, posted or waiting. */
  readonly #parts: Promise<void>[] = [];
  #turn: ShownTurn;
  /** The verdict so far, while it is written. */
  #growing: string | undefined;
  /** Settled once everything above the verdict is posted. */
  #above: Promise<unknown> | undefined;

  private constructor(turn: ShownTurn, canvas: Canvas, posts: TurnPosts, options: Options) {
    this.#turn = turn;
    this.#canvas = canvas;
    this.#posts = posts;
    this.#options = options;
  }

  /**
   * Shows the beginning of the turn.
   *
   * @param signal - Aborted: ends the presentation.
   * @throws The platform's refusal; {UndeliveredError} if it doesn't answer; the signal's reason.
   */
  static async open(
    turn: PresentedTurn,
    signal: AbortSignal,
    canvases: Canvases,
    log: Log,
    posts = new TurnPosts(turn.request.turnId, log, turn.isAlreadyShown),
  ): Promise<TurnPresenter> {
    const { turnId, question, isPosted } = turn.request;
    const first: ShownTurn = {
      ...{ turnId, progress: notBegun, reviews: [], personas: new Map(), notes: [] },
      ...(isPosted ? {} : { question }),
    };
    const options = { canvases, log, turnId, signal, asked: turn };
    const canvas = await outlast((isAgain) => {
      const isResumed = turn.isResumed || isAgain;
      return canvases.open({ ...turn, isResumed }, first, posts, signal);
    }, options);
    const presenter = new TurnPresenter(first, canvas, posts, options);
    presenter.#showProgress();
    if (!isPosted) presenter.#post({ kind: 'question', question });
    return presenter;
  }

  /** Presents all events. Rejects like {@link finish}. */
  async present(events: AsyncIterable<TurnEvent>): Promise<void> {
    const { log, turnId, signal } = this.#options;
    try {
      for await (const event of events) this.take(event);
      await this.finish();
    } catch (error) {
      if (signal.aborted || error instanceof UndeliveredError) throw error;
      log.error({ turnId, error }, 'a turn could not be shown');
      // The council continues, and its answers are stored.
      for await (const _ of events);
    }
  }

  take(event: TurnEvent): void {
    this.#advance(event);
    switch (event.type) {
      case 'recalled':
        // Their answers stand above.
        for (const { sage } of event.seated.seats) this.#answered.add(sage.key);
        break;
      case 'answer_grew': {
        const persona = this.#turn.personas.get(event.sage);
        // Names may change until the seating is complete.
        if (this.#turn.progress.seated && persona)
          this.#canvas.grow({ kind: 'answer', sage: event.sage, persona }, event.answer);
        break;
      }
      case 'verdict_grew':
        if (this.#canvas.grows) this.#growVerdict(event.verdict);
        break;
      case 'answered':
        this.#postAnswer(event.answer);
        break;
      case 'reviewed':
        this.#turn = { ...this.#turn, reviews: [...this.#turn.reviews, event.review] };
        break;
      case 'docketed': {
        const { docket } = event;
        const answers = countOf(this.#turn.progress, 'answered');
        this.#post({ kind: 'round', index: 0, said: { docket, answers } });
        break;
      }
      case 'rebutted': {
        const { docket } = this.#turn.progress;
        const parties = docket ? partiesOf(docket) : [];
        const index = 1 + parties.indexOf(event.rebuttal.sage);
        this.#post({ kind: 'round', index, said: { rebuttal: event.rebuttal } });
        break;
      }
      case 'ranked':
        if (event.ranking.places.length > 0) this.#post({ kind: 'ranking' });
        break;
      case 'concluded':
        this.#growing = undefined;
        this.#post({ kind: 'verdict', verdict: event.verdict });
        break;
      case 'ended':
        this.#endAnswers();
        this.#growing = undefined;
        if (this.#canvas.grows && !this.#turn.progress.verdict) {
          const cutShort = event.end.outcome === 'stopped' ? stopped : brokenOff;
          this.#post({ kind: 'verdict', verdict: undefined, cutShort });
        }
        if (event.end.outcome !== 'answered') this.#post({ kind: 'end', end: event.end });
        // The person who stopped the turn knows that it ended.
        if (event.end.outcome !== 'stopped') this.#keep(this.#ping());
        break;
    }
  }

  /**
   * Resolves when everything is posted and the progress shows the end.
   *
   * @throws {UndeliveredError} if part of it could not be posted because of an outage; the signal's reason.
   */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#parts);
    await Promise.all(this.#parts);
    const { log, turnId, signal } = this.#options;
    // A turn that will be resumed keeps its current progress.
    signal.throwIfAborted();
    const { missed, isUnshowable } = this.#posts;
    if (isUnshowable) return;
    const notes = [...this.#notes(), ...(missed ? [missedNote(missed)] : [])];
    const last = { ...this.#turn, notes };
    try {
      await outlast(() => this.#canvas.finish(last), this.#options);
    } catch (error) {
      if (signal.aborted || error instanceof UndeliveredError) throw error;
      log.warn({ turnId, error }, 'the last state of a turn could not be shown');
      this.#posts.missEdit(error);
    }
  }

  /** Mentions the asker below everything else. Skipped if the store fails. */
  async #ping(): Promise<void> {
    const { log, turnId, asked } = this.#options;
    const earlier = [...this.#parts];
    const isWanted = await asked.wantsPing().catch((error: unknown) => {
      log.warn(
        { turnId, error },
        'the asker was not mentioned when the turn was done: the store failed',
      );
      return false;
    });
    const words = doneSentence(this.#turn.progress);
    const ping: Part = { kind: 'ping', personId: asked.request.author.id, words };
    // Composed only now, so that its rejection is handled at once.
    const before = Promise.all(earlier);
    await (isWanted ? this.#say(ping, this.#turn, before) : before);
  }

  /** Updates the progress, but not to the end, which {@link finish} shows. */
  #advance(event: TurnEvent): void {
    const before = this.#turn.progress;
    const progress = advance(before, event);
    if (progress === before) return;
    const { canvases } = this.#options;
    const isSeated = progress.seats !== before.seats;
    const personas = isSeated ? canvases.personasOf(progress.seats) : this.#turn.personas;
    this.#turn = { ...this.#turn, progress, personas };
    if (!progress.end) this.#showProgress();
  }

  #showProgress(): void {
    if (!this.#posts.isAlreadyShown) this.#canvas.progress({ ...this.#turn, notes: this.#notes() });
  }

  /** Small print: what was read of the conversation, the depth, and notes on the place. */
  #notes(): readonly string[] {
    const { heard, seated } = this.#turn.progress;
    const depth = seated?.depth ? [`Depth ${seated.depth}, chosen by the moderator.`] : [];
    const read = heard?.words === undefined ? [] : [`Read ${heard.words}.`];
    const gap = heard?.gap === undefined ? [] : [heard.gap];
    return [...read, ...gap, ...depth, ...this.#canvas.notes];
  }

  #postAnswer({ sage, status, answer, partial }: SageAnswer): void {
    const persona = this.#turn.personas.get(sage);
    if (!persona) return;
    const said = { kind: 'answer', sage, persona } as const;
    if (status === 'failed') {
      const reason = answer.replace(/^Error: /, '');
      const cutShort = { words: 'It broke off here:', reason };
      this.#post({ ...said, text: partial, cutShort, isOnlyEnding: true });
    } else if (answer.trim() !== '') {
      this.#answered.add(sage);
      const cutShort = status === 'stopped' ? { cutShort: stopped } : {};
      this.#post({ ...said, text: answer, ...cutShort, isOnlyEnding: false });
    }
  }

  /** Streams the verdict once everything above it is posted. */
  #growVerdict(text: string): void {
    this.#growing = text;
    this.#above ??= Promise.allSettled(this.#parts);
    void this.#above.then(() => {
      const isNewest = this.#growing === text && !this.#options.signal.aborted;
      if (isNewest) this.#canvas.grow({ kind: 'verdict' }, text);
    });
  }

  /** Ends the streamed answers of sages that were stopped. */
  #endAnswers(): void {
    for (const [sage, persona] of this.#turn.personas) {
      if (this.#answered.has(sage)) continue;
      const said = { kind: 'answer', sage, persona, text: undefined } as const;
      this.#post({ ...said, cutShort: stopped, isOnlyEnding: true });
    }
  }

  /** Posts a part below all earlier ones, except for streamed answers, which stand side by side. */
  #post(part: Part): void {
    const isBeside = part.kind === 'answer' && this.#canvas.grows;
    const before = isBeside ? undefined : Promise.all(this.#parts);
    this.#keep(this.#say(part, this.#turn, before));
  }

  #keep(posted: Promise<void>): void {
    // The error surfaces in `finish`, possibly later.
    posted.catch(() => undefined);
    this.#parts.push(posted);
  }

  /** Posts a part. A refusal is logged and mentioned in the end, and delays nothing else. */
  async #say(part: Part, turn: ShownTurn, before: Promise<unknown> | undefined): Promise<void> {
    if (before) await before;
    this.#options.signal.throwIfAborted();
    try {
      await outlast((isAgain) => this.#canvas.say(part, turn, isAgain), this.#options);
    } catch (error) {
      if (this.#options.signal.aborted || error instanceof UndeliveredError) throw error;
      this.#posts.miss(error);
    }
  }
}

const stopped = { words: 'Stopped here.' };
const brokenOff = { words: 'It broke off here.' };

/** Small print about a failed post; only platform errors are quoted. */
function missedNote(missed: Error): string {
  const reason = failureOf(missed) ? `: ${missed.message.replace(/\.$/, '')}` : '';
  return `Not everything could be posted${reason}. /council receipt shows how the turn went.`;
}
