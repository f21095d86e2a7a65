/** Writes the finished steps of a turn: to the store before people see them, each once, under the fence of this attempt; and to the log. */

import type { TurnEvent, TurnStage } from '../../council/events.ts';
import type { PastTurn, TurnStep } from '../../council/past-turn.ts';
import { ScoreKeeper } from '../../council/score.ts';
import type { Log } from '../../domain/log.ts';
import { answerContent, type Ended } from '../../domain/stored-turn.ts';
import type { Convened, SageAnswer, Seat, Seated } from '../../domain/turn.ts';
import type { RememberedContext } from '../../memory/recall/context.ts';
import type { CallUsage } from '../../models/chat-model.ts';
import {
  type Message,
  SupersededError,
  type TurnRecord,
  type TurnStore,
  type UsageEvent,
} from '../../store/store.ts';
import type { Reservation } from '../money/reservation.ts';
import type { Channel } from '../places/channels.ts';

export interface JournalOptions {
  readonly held: Pick<TurnStore, 'checkpoint'>;
  readonly record: TurnRecord;
  readonly past: Pick<PastTurn, 'request'>;
  /** What the calls are paid from. */
  readonly paid: Pick<Reservation, 'count' | 'settle' | 'settleSometimes'>;
  /** Its settings are stored with the seats, so that a resumed turn continues as it began. */
  readonly channel: Pick<Channel, 'settings'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class Journal {
  readonly #options: JournalOptions;
  /** Steps that are stored already; they are not written again. */
  readonly #passed: ReadonlySet<string>;
  readonly #messages: Map<string, Message>;
  readonly #stages: { readonly stage: TurnStage; readonly startedAt: number }[] = [];
  /** Resolves when everything written so far is stored; rejects when some of it could not be. */
  #written: Promise<unknown> = Promise.resolve();
  #usage: UsageEvent[] = [];
  #usageCount = 0;
  /** What the models that were called have to say about themselves, each remark once. */
  readonly #remarks = new Set<string>();
  #remembered: Pick<Ended, 'interactionsRemembered' | 'memory'> = { interactionsRemembered: 0 };
  readonly #score: ScoreKeeper;
  /** Written together with the verdict, or with the end where there is none. */
  readonly #last: TurnStep[] = [];

  constructor(options: JournalOptions) {
    const { messages, steps } = options.record;
    this.#options = options;
    this.#score = new ScoreKeeper(options.past.request, options.record.usage);
    this.#messages = new Map(messages.map((message) => [message.id, message]));
    this.#passed = new Set([
      ...steps.map((step) => `${step.kind} ${step.key}`),
      ...messages.flatMap((message) =>
        message.status === 'complete' ? [`answered ${message.sage}`] : [],
      ),
    ]);
    // Under ids of their own, so that another attempt does not count them again.
    this.#usage = (options.past.request.convened?.calls ?? []).map((call, at) =>
      this.#usageOf(call, `convened:${at}`),
    );
  }

  /** Notes how much earlier talk the prompts hold; it is stored with the end. */
  remember(context: RememberedContext): void {
    const { interactions, receipt } = context;
    this.#remembered = { interactionsRemembered: interactions, memory: receipt };
  }

  /** Counts a call; it is stored with the next step. */
  count(call: CallUsage): void {
    const { record, paid } = this.#options;
    const { sage, remarks = [], ...counted } = call;
    for (const remark of remarks) this.#remarks.add(`${call.model} ${remark}`);
    paid.count(call);
    this.#score.count({ ...call, ...(sage ? { sageName: sage } : {}) });
    const usage = this.#usageOf(counted, `${record.attempt}:${this.#usageCount}`);
    this.#usage.push({ ...usage, ...(sage ? { sageName: sage } : {}) });
    this.#usageCount += 1;
  }

  #usageOf(call: Convened['calls'][number], id: string): UsageEvent {
    const { record, past, now } = this.#options;
    const { turnId, threadId } = record;
    const user = past.request.author.id;
    return { ...call, id: `${turnId}:${id}`, turnId, threadId, user, createdAt: now() };
  }

  /**
   * Stores the finished step that an event reports, if it reports one; events are stored in the order given.
   *
   * @returns Nothing for an event that needs no storing, as most do not: none of them should wait.
   *   Rejects with `SupersededError` when another process runs the turn, or with what the store throws.
   */
  write(event: TurnEvent): Promise<void> | undefined {
    this.#score.record(event);
    switch (event.type) {
      case 'stage_started':
        this.#stages.push({ stage: event.stage, startedAt: this.#options.now() });
        return undefined;
      case 'seated':
        return this.#seat(event.seated, () =>
          event.seated.seats.map((seat) => this.#pendingMessage(seat)),
        );
      case 'recalled':
        // The messages are the earlier turn's.
        return this.#seat(event.seated, () => []);
      case 'own_answer':
        return this.#step({ kind: 'own_answer', key: '', data: event.ownAnswer });
      case 'answered':
        if (this.#passed.has(`answered ${event.answer.sage}`)) return undefined;
        return this.#checkpoint({ messages: [this.#completeMessage(event.answer)] });
      case 'reviewed':
        return this.#step({ kind: 'reviewed', key: event.review.reviewer, data: event.review });
      case 'docketed':
        return this.#step({ kind: 'docket', key: '', data: event.docket });
      case 'rebutted':
        return this.#step({ kind: 'rebutted', key: event.rebuttal.sage, data: event.rebuttal });
      case 'recast':
        return this.#step({ kind: 'recast', key: event.ballot.reviewer, data: event.ballot });
      case 'ranked': {
        const { type: _, ...data } = event;
        this.#last.push({ kind: 'ranked', key: '', data });
        return undefined;
      }
      case 'concluded': {
        if (this.#passed.has('verdict ')) return undefined;
        const steps: readonly TurnStep[] = [
          ...this.#last.splice(0),
          { kind: 'verdict', key: '', data: event.verdict },
        ];
        return this.#checkpoint({ steps });
      }
      case 'ended': {
        const endedAt = this.#options.now();
        const { outcome, explanation } = event.end;
        const data = {
          explanation,
          stagesMs: this.#stageTimes(endedAt),
          ...this.#remembered,
          ...(this.#remarks.size > 0 && { remarks: [...this.#remarks] }),
        };
        const score = this.#score.score();
        const steps: TurnStep[] = [
          ...this.#last,
          { kind: 'ended', key: '', data },
          ...(score ? [{ kind: 'scored', key: '', data: score } as const] : []),
        ];
        // Only after all earlier steps: a turn that has ended is never resumed, so a step that could not
        // be written would be lost for good.
        return this.#written.then(() => this.#checkpoint({ steps, end: { outcome, endedAt } }));
      }
      default:
        return undefined;
    }
  }

  /**
   * Stores the calls counted so far, e.g. before the turn is left for a later start. Does nothing when
   * another process has the turn: the calls are paid for, and the receipt is the other's to write.
   */
  async writeUsage(): Promise<void> {
    if (this.#usage.length === 0) return;
    await this.#checkpoint({}).catch((error: unknown) => {
      if (!(error instanceof SupersededError)) throw error;
    });
  }

  #seat(seated: Seated, messages: () => readonly Message[]): Promise<void> | undefined {
    if (this.#passed.has('seated ')) return undefined;
    return this.#checkpoint({
      steps: [
        { kind: 'settings', key: '', data: this.#options.channel.settings },
        { kind: 'seated', key: '', data: seated },
      ],
      messages: messages(),
    });
  }

  /** Stores a step of its own, unless it is stored already. */
  #step(step: TurnStep): Promise<void> | undefined {
    if (this.#passed.has(`${step.kind} ${step.key}`)) return undefined;
    return this.#checkpoint({ steps: [step] });
  }

  #checkpoint(parts: {
    readonly steps?: readonly TurnStep[];
    readonly messages?: readonly Message[];
    readonly end?: { readonly outcome: string; readonly endedAt: number };
  }): Promise<void> {
    const { held, record, paid } = this.#options;
    const usage = this.#usage;
    this.#usage = [];
    const { turnId, threadId, attempt } = record;
    const written = held.checkpoint({ ...parts, turnId, threadId, attempt, usage });
    // What could not be stored goes with the next step.
    written.catch(() => this.#usage.unshift(...usage));
    // Sent together with the step, and not waited for.
    if (parts.end) void paid.settle();
    else paid.settleSometimes();
    this.#written = Promise.all([this.#written, written]);
    // The failure surfaces where the write was asked for, and at the end of the turn.
    this.#written.catch(() => undefined);
    return written;
  }

  #pendingMessage(seat: Seat): Message {
    const { record, past, now } = this.#options;
    const { isPrivate } = past.request;
    const id = `${record.turnId}:${seat.sage.key}`;
    const question = record.messages.find(({ role }) => role === 'human');
    const message: Message = {
      id,
      threadId: record.threadId,
      turnId: record.turnId,
      role: 'ai',
      type: 'sage_output',
      status: 'pending',
      sage: seat.sage.key,
      content: { type: 'sage_output', sage: seat.sage.key },
      createdAt: now(),
      ...(question && { parentId: question.id }),
      ...(isPrivate !== undefined && { isPrivate }),
    };
    this.#messages.set(id, message);
    return message;
  }

  #completeMessage(answer: SageAnswer): Message {
    const pending = this.#messages.get(`${this.#options.record.turnId}:${answer.sage}`);
    if (!pending) throw new TypeError(`${answer.sage} answered without having been seated.`);
    return { ...pending, status: 'complete', content: answerContent(answer) };
  }

  #stageTimes(endedAt: number): Readonly<Record<string, number>> {
    return Object.fromEntries(
      this.#stages.map(({ stage, startedAt }, index) => [
        stage,
        (this.#stages[index + 1]?.startedAt ?? endedAt) - startedAt,
      ]),
    );
  }
}

/** Logs each setting that no longer holds; its value is shown with the settings. */
export function logIgnored(log: Log, { resolved }: Channel): void {
  for (const [setting, { ignored }] of Object.entries(resolved)) {
    if (ignored.length > 0) log.warn({ setting, times: ignored.length }, 'setting ignored');
  }
}

/** Logs each step that ended; never what was asked or said. */
export function logEvent(log: Log, event: TurnEvent): void {
  switch (event.type) {
    case 'seated':
      log.info(
        {
          seats: event.seated.seats.map((seat) => seat.sage.key),
          how: event.seated.how,
          because: event.seated.because,
          // Fewer than there are seats: the moderator gave none, or one that was too long.
          focused: event.seated.seats.filter(({ focus }) => focus !== undefined).length,
          // Whom and why is in the receipt: the moderator's own words are in it.
          dropped: event.seated.dropped.length,
          latencyMs: event.seated.latencyMs,
        },
        'council seated',
      );
      return;
    case 'answered': {
      const { sage, status, reason, model, latencyMs } = event.answer;
      log.info({ sage, status, reason, model, latencyMs }, 'sage ended');
      return;
    }
    case 'own_answer': {
      const { failure, model, latencyMs } = event.ownAnswer;
      log.info({ reason: failure?.reason, model, latencyMs }, 'the chair wrote its own answer');
      return;
    }
    case 'reviewed': {
      const { reviewer, ballot, model, latencyMs } = event.review;
      log.info({ reviewer, ballot: ballot.status, model, latencyMs }, 'review ended');
      return;
    }
    case 'docketed': {
      const { contradictions, droppedQuotes, failure, by, latencyMs } = event.docket;
      const found = { contradictions: contradictions.length, droppedQuotes };
      log.info({ ...found, reason: failure?.reason, by, latencyMs }, 'docket drawn up');
      return;
    }
    case 'rebutted': {
      const { sage, position, failure, model, latencyMs } = event.rebuttal;
      log.info({ sage, position, reason: failure?.reason, model, latencyMs }, 'rebuttal ended');
      return;
    }
    case 'recast': {
      const { reviewer, ballot, model, latencyMs } = event.ballot;
      log.info({ reviewer, ballot: ballot.status, model, latencyMs }, 'second ballot ended');
      return;
    }
    case 'concluded': {
      const { kind, by, latencyMs } = event.verdict;
      log.info({ kind, by, latencyMs }, 'verdict reached');
      return;
    }
    case 'ended':
      log.info({ outcome: event.end.outcome }, 'turn ended');
      return;
  }
}
