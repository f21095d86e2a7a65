/** Tells a turn on a platform's canvas: what is said, in which order, and what people hear when something can't be shown. */

import type { TurnEvent } from '../../../council/events.ts';
import { partiesOf } from '../../../domain/docket.ts';
import type { Log } from '../../../domain/log.ts';
import type { SageAnswer } from '../../../domain/turn.ts';
import { linkSignals } from '../../../waiting.ts';
import { type PresentedTurn, UndeliveredError, UnshowableError } from '../../platform.ts';
import type { Canvas, Canvases, Part, ShownTurn } from './canvas.ts';
import { countOf, doneSentence } from './progress-words.ts';
import { failureOf, outlast, type Patience, TurnPosts } from './turn-posts.ts';
import { advance, notBegun } from './turn-progress.ts';

/** As `Platform.present`. */
export async function tellTurn(
  turn: PresentedTurn,
  events: AsyncIterable<TurnEvent>,
  shutdown: AbortSignal,
  canvases: Canvases,
  log: Log,
): Promise<void> {
  const ending = new AbortController();
  using shown = linkSignals(shutdown, ending.signal);
  try {
    const teller = await TurnTeller.open(turn, shown.signal, canvases, log);
    await teller.hear(events);
  } catch (error) {
    throw shutdown.aborted ? shutdown.reason : await told(error, turn, shutdown, canvases, log);
  } finally {
    // Gives up what is not finished, and the room that is kept for it.
    ending.abort();
  }
}

/** What is refused at the beginning is told to the person who asked, and nothing else comes of the turn. */
async function told(
  error: unknown,
  turn: PresentedTurn,
  shutdown: AbortSignal,
  canvases: Canvases,
  log: Log,
): Promise<unknown> {
  if (turn.isAlreadyShown || !(error instanceof Error) || failureOf(error) === undefined)
    return error;
  const { turnId } = turn.request;
  log.warn({ turnId, error }, 'a turn can’t be shown, and ends before it costs anything');
  const why = `The answers can’t be shown there. ${error.message}`;
  try {
    await canvases.tellAlone(turn, why, error, shutdown);
  } catch (again) {
    shutdown.throwIfAborted();
    log.warn({ turnId, error: again }, 'the person could not be told either');
  }
  return new UnshowableError(why, { cause: error });
}

/** What one turn is told with. */
interface Telling extends Patience {
  readonly canvases: Canvases;
  readonly asked: PresentedTurn;
}

export class TurnTeller {
  readonly #canvas: Canvas;
  readonly #posts: TurnPosts;
  readonly #patience: Telling;
  /** Keys of the sages that have said all they will. */
  readonly #heard = new Set<string>();
  /** What is being said, or was. */
  readonly #telling: Promise<void>[] = [];
  #turn: ShownTurn;
  /** The verdict so far, while it is written. */
  #growing: { readonly text: string; readonly begins: boolean } | undefined;

  private constructor(turn: ShownTurn, canvas: Canvas, posts: TurnPosts, patience: Telling) {
    this.#turn = turn;
    this.#canvas = canvas;
    this.#posts = posts;
    this.#patience = patience;
  }

  /**
   * Shows what the turn begins with.
   *
   * @param signal - Ends the showing.
   * @throws What the platform refuses it with; {UndeliveredError} when it is away; the signal's reason.
   */
  static async open(
    turn: PresentedTurn,
    signal: AbortSignal,
    canvases: Canvases,
    log: Log,
  ): Promise<TurnTeller> {
    const { turnId, question, isPosted } = turn.request;
    const first: ShownTurn = {
      ...{ turnId, progress: notBegun, reviews: [], personas: new Map(), notes: [] },
      ...(isPosted ? {} : { question }),
    };
    const posts = new TurnPosts(turnId, log, turn.isAlreadyShown);
    const patience = { canvases, log, turnId, signal, asked: turn };
    const canvas = await outlast((isAgain) => {
      const isResumed = turn.isResumed || isAgain;
      return canvases.open({ ...turn, isResumed }, first, posts, signal);
    }, patience);
    const teller = new TurnTeller(first, canvas, posts, patience);
    teller.#showProgress();
    if (!isPosted) teller.#tell({ kind: 'question', question });
    return teller;
  }

  /** Tells these events to the end. Rejects as {@link finish} does. */
  async hear(events: AsyncIterable<TurnEvent>): Promise<void> {
    const { log, turnId, signal } = this.#patience;
    try {
      for await (const event of events) this.take(event);
      await this.finish();
    } catch (error) {
      if (signal.aborted || error instanceof UndeliveredError) throw error;
      log.error({ turnId, error }, 'a turn could not be shown');
      // The council goes on, and what it says is kept.
      for await (const _ of events);
    }
  }

  take(event: TurnEvent): void {
    this.#advance(event);
    switch (event.type) {
      case 'recalled':
        // They have said it above.
        for (const { sage } of event.seated.seats) this.#heard.add(sage.key);
        break;
      case 'answer_grew': {
        const persona = this.#turn.personas.get(event.sage);
        // Before the seating is complete the names may change.
        if (this.#turn.progress.seated && persona)
          this.#canvas.grow({ kind: 'answer', sage: event.sage, persona }, event.answer);
        break;
      }
      case 'verdict_grew':
        if (this.#canvas.grows) this.#growVerdict(event.verdict);
        break;
      case 'answered':
        this.#tellAnswer(event.answer);
        break;
      case 'reviewed':
        this.#turn = { ...this.#turn, reviews: [...this.#turn.reviews, event.review] };
        break;
      case 'docketed': {
        const { docket } = event;
        const answers = countOf(this.#turn.progress, 'answered');
        this.#tell({ kind: 'round', index: 0, said: { docket, answers } });
        break;
      }
      case 'rebutted': {
        const { docket } = this.#turn.progress;
        const parties = docket ? partiesOf(docket) : [];
        const index = 1 + parties.indexOf(event.rebuttal.sage);
        this.#tell({ kind: 'round', index, said: { rebuttal: event.rebuttal } });
        break;
      }
      case 'ranked':
        if (event.ranking.places.length > 0) this.#tell({ kind: 'ranking' });
        break;
      case 'concluded':
        this.#growing = undefined;
        this.#tell({ kind: 'verdict', verdict: event.verdict });
        break;
      case 'ended':
        this.#endAnswers();
        this.#growing = undefined;
        if (this.#canvas.grows && !this.#turn.progress.verdict) {
          const cutShort = event.end.outcome === 'stopped' ? stopped : brokenOff;
          this.#tell({ kind: 'verdict', verdict: undefined, cutShort });
        }
        if (event.end.outcome !== 'answered') this.#tell({ kind: 'end', end: event.end });
        // A person who has stopped it knows.
        if (event.end.outcome !== 'stopped') this.#keep(this.#ping());
        break;
    }
  }

  /**
   * Resolves when all is said and the progress shows the end.
   *
   * @throws {UndeliveredError} when the platform was away so long that part of it is not there; the signal's reason.
   */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#telling);
    await Promise.all(this.#telling);
    const { log, turnId, signal } = this.#patience;
    // A turn that will be resumed keeps its progress as it is.
    signal.throwIfAborted();
    const { missed } = this.#posts;
    const notes = [...this.#notes(), ...(missed ? [missedNote(missed)] : [])];
    const last = { ...this.#turn, notes };
    try {
      await outlast((isAgain) => this.#canvas.finish(last, isAgain), this.#patience);
    } catch (error) {
      if (signal.aborted || error instanceof UndeliveredError) throw error;
      log.warn({ turnId, error }, 'the last state of a turn could not be shown');
    }
  }

  /** Below everything else. A store that can't tell who wants it is no reason to wait. */
  async #ping(): Promise<void> {
    const { log, turnId, asked } = this.#patience;
    const earlier = [...this.#telling];
    const isWanted = await asked.wantsPing().catch((error: unknown) => {
      log.warn(
        { turnId, error },
        'the person who asked was not told that the turn is done: the store failed',
      );
      return false;
    });
    const words = doneSentence(this.#turn.progress);
    const ping: Part = { kind: 'ping', personId: asked.request.author.id, words };
    // Not composed before the store has answered: its rejection would be handled by nothing until then.
    const before = Promise.all(earlier);
    await (isWanted ? this.#say(ping, this.#turn, before) : before);
  }

  /** The end is shown when everything before it is, see {@link finish}. */
  #advance(event: TurnEvent): void {
    const before = this.#turn.progress;
    const progress = advance(before, event);
    if (progress === before) return;
    const { canvases } = this.#patience;
    const isSeated = progress.seats !== before.seats;
    const personas = isSeated ? canvases.personasOf(progress.seats) : this.#turn.personas;
    this.#turn = { ...this.#turn, progress, personas };
    if (!progress.end) this.#showProgress();
  }

  #showProgress(): void {
    if (!this.#posts.isAlreadyShown) this.#canvas.progress({ ...this.#turn, notes: this.#notes() });
  }

  /** Small print: what was read of people's conversation, how deep it goes, and what holds in this place. */
  #notes(): readonly string[] {
    const { heard, seated } = this.#turn.progress;
    const depth = seated?.depth ? [`Depth ${seated.depth}, as the moderator sees it.`] : [];
    const read = heard?.words === undefined ? [] : [`Read ${heard.words}.`];
    const gap = heard?.gap === undefined ? [] : [heard.gap];
    return [...read, ...gap, ...depth, ...this.#canvas.notes];
  }

  #tellAnswer({ sage, status, answer, partial }: SageAnswer): void {
    const persona = this.#turn.personas.get(sage);
    if (!persona) return;
    const said = { kind: 'answer', sage, persona } as const;
    if (status === 'failed') {
      const reason = answer.replace(/^Error: /, '');
      const cutShort = { words: 'It broke off here:', reason };
      this.#tell({ ...said, text: partial, cutShort, isOnlyEnding: true });
    } else if (answer.trim() !== '') {
      this.#heard.add(sage);
      const cutShort = status === 'stopped' ? { cutShort: stopped } : {};
      this.#tell({ ...said, text: answer, ...cutShort, isOnlyEnding: false });
    }
  }

  /** It begins when all that stands above it is there. */
  #growVerdict(text: string): void {
    const isFirst = this.#growing === undefined;
    this.#growing = { text, begins: this.#growing?.begins ?? false };
    if (this.#growing.begins) this.#canvas.grow({ kind: 'verdict' }, text);
    else if (isFirst) void Promise.allSettled(this.#telling).then(() => this.#beginVerdict());
  }

  #beginVerdict(): void {
    if (!this.#growing || this.#patience.signal.aborted) return;
    this.#growing = { ...this.#growing, begins: true };
    this.#canvas.grow({ kind: 'verdict' }, this.#growing.text);
  }

  /** Sages that have begun and that nothing more was heard of were stopped. */
  #endAnswers(): void {
    for (const [sage, persona] of this.#turn.personas) {
      if (this.#heard.has(sage)) continue;
      const said = { kind: 'answer', sage, persona, text: undefined } as const;
      this.#tell({ ...said, cutShort: stopped, isOnlyEnding: true });
    }
  }

  /** What the council itself says stands below all that was said before. */
  #tell(part: Part): void {
    const isBeside = part.kind === 'answer' && this.#canvas.grows;
    const before = isBeside ? undefined : Promise.all(this.#telling);
    this.#keep(this.#say(part, this.#turn, before));
  }

  #keep(telling: Promise<void>): void {
    // The error surfaces in `finish`, possibly later.
    telling.catch(() => undefined);
    this.#telling.push(telling);
  }

  /** What is refused is told in the log and in the end, and holds up nothing else. */
  async #say(part: Part, turn: ShownTurn, before: Promise<unknown> | undefined): Promise<void> {
    if (before) await before;
    this.#patience.signal.throwIfAborted();
    try {
      const say = (isAgain: boolean) => this.#canvas.say(part, turn, isAgain);
      await outlast(say, this.#patience);
    } catch (error) {
      if (this.#patience.signal.aborted || error instanceof UndeliveredError) throw error;
      this.#posts.miss(error);
    }
  }
}

const stopped = { words: 'Stopped here.' };
const brokenOff = { words: 'It broke off here.' };

/** In small print. What only the log should tell stays there. */
function missedNote(missed: Error): string {
  const reason = failureOf(missed) ? `: ${missed.message.replace(/\.$/, '')}` : '';
  return `Not everything could be posted${reason}. /council receipt still knows the turn.`;
}
