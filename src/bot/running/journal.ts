/** Stores each finished step of a turn once, under the fence of its attempt, before it is shown; and logs it. */

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
  /** Pays for the calls. */
  readonly paid: Pick<Reservation, 'count' | 'settle' | 'settleIfDue'>;
  /** Its settings are stored with the seats, so that a resumed turn continues unchanged. */
  readonly channel: Pick<Channel, 'settings'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class Journal {
  readonly #options: JournalOptions;
  /** Steps that are stored already. */
  readonly #passed: ReadonlySet<string>;
  readonly #messages: Map<string, Message>;
  readonly #stages: { readonly stage: TurnStage; readonly startedAt: number }[] = [];
  /** Resolves when everything written so far is stored. Rejects if some of it could not be. */
  #written: Promise<unknown> = Promise.resolve();
  #usage: UsageEvent[] = [];
  #usageCount = 0;
  /** The distinct remarks of the called models about themselves. */
  readonly #remarks = new Set<string>();
  #remembered: Pick<Ended, 'interactionsRemembered' | 'memory'> = { interactionsRemembered: 0 };
  readonly #score: ScoreKeeper;
  /** Stored together with the verdict, or with the end if there is none. */
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
    // With fixed ids, so that another attempt does not count them again.
    this.#usage = (options.past.request.convened?.calls ?? []).map((call, at) =>
      this.#usageOf(call, `convened:${at}`),
    );
  }

  /** Notes how much the prompts recall, for the receipt. Stored with the end. */
  remember(context: RememberedContext): void {
    const { interactions, receipt } = context;
    this.#remembered = { interactionsRemembered: interactions, memory: receipt };
  }

  /** Counts a call. Stored with the next step. */
  count(call: CallUsage): void {
    const { record, paid } = this.#options;
    const { sage, remarks = [], ...counted } = call;
    for (const remark of remarks) this.#remarks.add(`${call.model} ${remark}`);
    paid.count(call);
    const usage = { ...counted, ...(sage && { sageName: sage }) };
    this.#score.count(usage);
    this.#usage.push(this.#usageOf(usage, `${record.attempt}:${this.#usageCount}`));
    this.#usageCount += 1;
  }

  #usageOf(call: Convened['calls'][number] & { sageName?: string }, id: string): UsageEvent {
    const { record, past, now } = this.#options;
    const { turnId, threadId } = record;
    const user = past.request.author.id;
    return { ...call, id: `${turnId}:${id}`, turnId, threadId, user, createdAt: now() };
  }

  /**
   * Stores the finished step that an event reports, if any, in the order of the calls.
   *
   * @returns `undefined` for events that need no storing, which are most of them and should not wait.
   *   Rejects with `SupersededError` if another process runs the turn, or with what the store throws.
   */
  write(event: TurnEvent): Promise<void> | undefined {
    this.#score.record(event);
    switch (event.type) {
      case 'stage_started':
        this.#stages.push({ stage: event.stage, startedAt: this.#options.now() });
        return undefined;
      case 'seated':
        return this.#seat(event.seated, event.seated.seats);
      case 'recalled':
        // The messages belong to the earlier turn.
        return this.#seat(event.seated, []);
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
        const verdict: TurnStep = { kind: 'verdict', key: '', data: event.verdict };
        // The question is remembered together with the verdict, so it has changed.
        const messages = this.#options.record.messages.filter(({ role }) => role === 'human');
        return this.#checkpoint({ steps: [...this.#last.splice(0), verdict], messages });
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
        // Only after all earlier steps: an ended turn is never resumed, so a step that failed to be stored
        // would be lost.
        return this.#written.then(() => this.#checkpoint({ steps, end: { outcome, endedAt } }));
      }
      default:
        return undefined;
    }
  }

  /**
   * Stores the calls counted so far, e.g. before the turn is left for a later start. Does nothing if another
   * process has the turn: the calls are paid for, and that process writes the receipt.
   */
  async writeUsage(): Promise<void> {
    if (this.#usage.length === 0) return;
    await this.#checkpoint({}).catch((error: unknown) => {
      if (!(error instanceof SupersededError)) throw error;
    });
  }

  /** @param speaking - The seats whose sages will answer in this turn. */
  #seat(seated: Seated, speaking: readonly Seat[]): Promise<void> | undefined {
    if (this.#passed.has('seated ')) return undefined;
    return this.#checkpoint({
      steps: [
        { kind: 'settings', key: '', data: this.#options.channel.settings },
        { kind: 'seated', key: '', data: seated },
      ],
      messages: speaking.map((seat) => this.#pendingMessage(seat)),
    });
  }

  /** Stores a step unless it is stored already. */
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
    // Retried with the next step.
    written.catch(() => this.#usage.unshift(...usage));
    // Sent along with the step and not awaited.
    if (parts.end) void paid.settle();
    else paid.settleIfDue();
    this.#written = Promise.all([this.#written, written]);
    // The error surfaces in the returned promise and at the end of the turn.
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

/** Logs each finished step, but never questions or answers. */
export function logEvent(log: Log, event: TurnEvent): void {
  const entry = entryOf(event);
  if (entry) log.info(...entry);
}

function entryOf(event: TurnEvent): Parameters<Log['info']> | undefined {
  switch (event.type) {
    case 'seated': {
      const { seats, how, because, dropped, latencyMs } = event.seated;
      const counted = { seats: seats.map(({ sage }) => sage.key), dropped: dropped.length };
      return [{ ...counted, how, because, latencyMs }, 'council seated'];
    }
    case 'answered':
      return [factsOf(event.answer), 'sage ended'];
    case 'own_answer':
      return [factsOf(event.ownAnswer), 'the chair wrote its own answer'];
    case 'reviewed':
      return [factsOf(event.review), 'review ended'];
    case 'docketed':
      return [factsOf(event.docket), 'docket drawn up'];
    case 'rebutted':
      return [factsOf(event.rebuttal), 'rebuttal ended'];
    case 'recast':
      return [factsOf(event.ballot), 'second ballot ended'];
    case 'concluded':
      return [factsOf(event.verdict), 'verdict reached'];
    case 'ended':
      return [{ outcome: event.end.outcome }, 'turn ended'];
    default:
      return undefined;
  }
}

/** The fields of steps that are logged, as far as a step has them. The others contain what was said. */
const loggedFields = ['sage', 'reviewer', 'status', 'reason', 'position', 'kind', 'by', 'model'];

/** @param step - Of a stage that calls a model. */
function factsOf(step: {
  readonly latencyMs: number;
  readonly failure?: { readonly reason: string } | undefined;
  readonly ballot?: { readonly status: string };
}) {
  const { latencyMs, failure, ballot } = step;
  const facts = loggedFields.map((name) => [name, Reflect.get(step, name)] as const);
  const nested = { ...(failure && { reason: failure.reason }), ballot: ballot?.status };
  return { ...Object.fromEntries(facts), ...nested, latencyMs };
}
