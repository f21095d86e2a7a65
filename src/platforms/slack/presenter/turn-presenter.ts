/** Shows one turn in its thread: keeps its progress message, lets the sages speak, and brings the verdict. */

import type { SageAnswer, TurnEvent } from '../../../council/events.ts';
import type { Log } from '../../../domain/log.ts';
import type { PacedEdits } from '../../chat/pacing/pacer.ts';
import { advance } from '../../chat/show/turn-progress.ts';
import type { PresentedTurn } from '../../platform.ts';
import { type MessageBody, permalinkOf, updateMessage } from '../api/messages.ts';
import { withEnd, withRetryAfter } from '../api/patience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { isAway, SlackRefusal } from '../slack-error.ts';
import { inertSlackMarkdown } from '../slack-text.ts';
import type { SlackPlace } from '../thread-id.ts';
import { type Opening, prepare, type TurnPresenterOptions } from './opening.ts';
import { personasOf } from './persona.ts';
import { oneLine, type ProgressState, progressMessage } from './progress-message.ts';
import { SageSpeech, type SpeechSurroundings, Streaming } from './sage-speech.ts';
import type { StatusLine } from './status-line.ts';
import { statusOf } from './status-words.ts';
import type { TurnPoster } from './turn-poster.ts';
import { firstPart } from './turn-record.ts';
import { verdictMessages } from './verdict-message.ts';

/** Of one message, its last one included: edits are scarcer than what happens in a turn. */
const mostProgressEdits = 8;
/** The status line tells who is being seated; edits are left to those whose turns end meanwhile. */
const quietMs = 3000;
const longestReason = 300;

export class TurnPresenter {
  readonly #log: Log;
  /** Nothing is shown any more. */
  readonly #signal: AbortSignal;
  readonly #turn: PresentedTurn;
  readonly #place: SlackPlace;
  readonly #lookingApi: SlackApi;
  readonly #poster: TurnPoster;
  readonly #status: StatusLine;
  readonly #message: PacedEdits<MessageBody>;
  readonly #around: SpeechSurroundings;
  readonly #speeches = new Map<string, SageSpeech>();
  /** What is being shown, besides what is edited. */
  readonly #showing: Promise<void>[] = [];
  readonly #end: AbortController;
  #state: ProgressState;
  #edits = 0;

  private constructor(opening: Opening, ts: string, shown: MessageBody) {
    const { turn, place, options, state, poster, status, api, patientApi } = opening;
    const signal = AbortSignal.any([opening.end.signal, options.signal]);
    const { turnId, author } = turn.request;
    const { pacer, log } = options;
    const { team, channel } = place;
    const hasPersonas = opening.hasPersonas;
    this.#log = log;
    this.#signal = signal;
    this.#end = opening.end;
    this.#turn = turn;
    this.#place = place;
    this.#lookingApi = withEnd(withRetryAfter(patientApi), signal);
    this.#poster = poster;
    this.#status = status;
    this.#state = state;
    this.#around = {
      ...{ api, patientApi, pacer, log, place, turnId, poster, hasPersonas },
      retryWaitsMs: opening.retryWaitsMs,
      signal,
      recipient: channel.startsWith('D')
        ? undefined
        : { recipient_user_id: author.id, recipient_team_id: team },
      streaming: new Streaming(),
      onNoPersonas: () => options.onNoPersonas(team, channel),
    };
    this.#message = pacer.edits<MessageBody>({
      destination: { thread: `${channel} ${ts}`, channel },
      kindOf: (isLast) => (isLast ? 'last_edit' : 'edit'),
      signal,
      quietMs,
      shown,
      edit: async (body) => {
        this.#edits += 1;
        await updateMessage(patientApi, place, ts, body);
      },
      onEditFailed: (error) =>
        log.warn({ turnId, error }, 'a progress message could not be edited'),
    });
  }

  /** Rejects as Slack refuses the first message, or the look for what is there already; with the signal's reason. */
  static async open(turn: PresentedTurn, options: TurnPresenterOptions): Promise<TurnPresenter> {
    const opening = await prepare(turn, options);
    const { status, poster, state } = opening;
    status.show(...statusOf(state.progress, state.personas));
    if (turn.isResumed) await poster.recall();
    const body = progressMessage(state);
    const isThere = poster.known(firstPart) !== undefined;
    const ts = await poster.post(firstPart, body);
    if (ts === undefined) throw poster.missed ?? new Error('The first message is not there.');
    // A message takes the status away.
    if (!isThere) status.show(...statusOf(state.progress, state.personas));
    const presenter = new TurnPresenter(opening, ts, isThere ? { text: '', blocks: [] } : body);
    if (!opening.hasPersonas) options.onNoPersonas(opening.place.team, opening.place.channel);
    presenter.#showProgress();
    return presenter;
  }

  take(event: TurnEvent): void {
    this.#advance(event);
    switch (event.type) {
      case 'answer_grew':
        // Before the seating is complete the names may change.
        if (this.#state.progress.seated) this.#speechOf(event.sage)?.grow(event.answer);
        break;
      case 'answered':
        this.#showAnswer(event.answer);
        break;
      case 'reviewed':
        this.#state = { ...this.#state, reviews: [...this.#state.reviews, event.review] };
        break;
      case 'concluded':
        this.#showVerdict();
        break;
    }
  }

  /** The end is shown when everything before it is, see {@link finish}. */
  #advance(event: TurnEvent): void {
    const before = this.#state.progress;
    const progress = advance(before, event);
    if (progress === before) return;
    const isSeated = progress.seats !== before.seats;
    const personas = isSeated ? personasOf(progress.seats) : this.#state.personas;
    this.#state = { ...this.#state, progress, personas };
    if (progress.end) return;
    if (isSeated || progress.stage !== before.stage)
      this.#status.show(...statusOf(progress, personas));
    this.#showProgress();
  }

  /**
   * Resolves when all is shown and the progress message tells the end; rejects when Slack is away for
   * so long that part of it is not, and when the signal ends it.
   */
  async finish(): Promise<void> {
    // A turn that is left to be resumed keeps what says what it was doing.
    if (this.#state.progress.end) this.#endSpeeches();
    await Promise.all(this.#showing);
    const { missed, away } = this.#poster;
    this.#signal.throwIfAborted();
    if (away) throw away;
    if (missed) this.#note(missedNote(missed));
    await this.#message.finish(progressMessage(this.#state)).catch((error: unknown) => {
      if (this.#signal.aborted || isAway(error)) throw error;
      const { turnId } = this.#turn.request;
      this.#log.warn({ turnId, error }, 'the last state of a turn could not be shown');
    });
    await this.#status.clear();
  }

  /** Gives up what is not finished, and the room that is kept for it. */
  [Symbol.dispose](): void {
    this.#end.abort();
  }

  #showProgress(): void {
    if (this.#edits < mostProgressEdits - 1) this.#message.show(progressMessage(this.#state));
  }

  #speechOf(sage: string): SageSpeech | undefined {
    const known = this.#speeches.get(sage);
    const persona = this.#state.personas.get(sage);
    if (known || !persona) return known;
    const speech = new SageSpeech(sage, persona, this.#around);
    this.#speeches.set(sage, speech);
    return speech;
  }

  #showAnswer({ sage, status, answer, partial }: SageAnswer): void {
    const speech = this.#speechOf(sage);
    if (!speech) return;
    if (status === 'failed') {
      const reason = inertSlackMarkdown(oneLine(answer.replace(/^Error: /, ''), longestReason));
      this.#show(speech.breakOff(`_It broke off here:_ ${reason}`, partial));
    } else if (answer.trim() !== '') {
      this.#show(speech.end(answer, status === 'stopped' ? '_Stopped here._' : undefined));
    }
  }

  /** Those that have begun and heard of no end were stopped. */
  #endSpeeches(): void {
    for (const { sage } of this.#state.progress.seats) {
      const speech = this.#speechOf(sage.key);
      if (speech) this.#show(speech.breakOff('_Stopped here._'));
    }
  }

  /** Below all that was said before. */
  #showVerdict(): void {
    const { progress, reviews, personas } = this.#state;
    const { verdict, ranked } = progress;
    if (!verdict) return;
    const { turnId } = this.#turn.request;
    const messages = verdictMessages({ turnId, verdict, ranked, reviews, personas });
    const before = Promise.all(this.#showing);
    this.#show(before.then(() => this.#postVerdict(messages)));
  }

  async #postVerdict(messages: readonly MessageBody[]): Promise<void> {
    for (const [index, message] of messages.entries()) {
      const part = index === 0 ? 'verdict' : `verdict ${index + 1}`;
      const ts = await this.#poster.post(part, message);
      if (index === 0 && ts !== undefined) await this.#linkTo(ts);
    }
  }

  async #linkTo(ts: string): Promise<void> {
    try {
      const verdictUrl = await permalinkOf(this.#lookingApi, this.#place, ts);
      this.#state = { ...this.#state, verdictUrl };
    } catch (error) {
      const { turnId } = this.#turn.request;
      this.#log.info({ turnId, error }, 'the address of a verdict is not known');
    }
  }

  /** What can't be shown is told in the log and in the end, and holds up nothing else. */
  #show(shown: Promise<void>): void {
    this.#showing.push(shown.catch((error: unknown) => this.#poster.miss(error)));
  }

  #note(note: string): void {
    this.#state = { ...this.#state, notes: [...this.#state.notes, note] };
  }
}

/** What only the log should tell stays there. */
function missedNote(missed: Error): string {
  const reason = missed instanceof SlackRefusal ? `: ${missed.message}` : '.';
  return `Not everything could be shown${reason} /council receipt still knows the turn.`;
}
