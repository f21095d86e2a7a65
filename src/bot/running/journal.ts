/** Stores each finished step of a turn once, under the fence of its attempt, before it is shown; and logs it. */

import type { TurnEvent, TurnStage } from '../../council/events.ts';
import { finishedStep, type PastTurn, type TurnStep } from '../../council/past-turn.ts';
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

interface JournalOptions {
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

export type Journal = ReturnType<typeof journalOf>;

export function journalOf({ held, record, past, paid, channel, now }: JournalOptions) {
  const { turnId, threadId, attempt } = record;
  const { request } = past;
  const score = new ScoreKeeper(request);
  const messages = new Map(record.messages.map((message) => [message.id, message]));
  /** Steps that are stored already. */
  const passed: ReadonlySet<string> = new Set([
    ...record.steps.map((step) => `${step.kind} ${step.key}`),
    ...record.messages.flatMap((message) =>
      message.status === 'complete' ? [`answered ${message.sage}`] : [],
    ),
  ]);
  const stages: { readonly stage: TurnStage; readonly startedAt: number }[] = [];
  /** Resolves when everything written so far is stored. Rejects if some of it could not be. */
  let written: Promise<unknown> = Promise.resolve();
  // With fixed ids, so that another attempt does not count them again.
  let usage = (request.convened?.calls ?? []).map((call, at) => usageOf(call, `convened:${at}`));
  const allCalls = [...record.usage, ...usage];
  /** The distinct remarks of the called models about themselves. */
  const remarked = new Set<string>();
  let remembered: Pick<Ended, 'interactionsRemembered' | 'memory'> = { interactionsRemembered: 0 };
  /** Stored together with the verdict, or with the end if there is none. */
  const last: TurnStep[] = [];

  function usageOf(
    call: Convened['calls'][number] & { sageName?: string },
    id: string,
  ): UsageEvent {
    const user = request.author.id;
    return { ...call, id: `${turnId}:${id}`, turnId, threadId, user, createdAt: now() };
  }

  /**
   * Stores the finished step that an event reports, if any, in the order of the calls.
   *
   * @returns `undefined` for events that need no storing, which are most of them and should not wait.
   *   Rejects with `SupersededError` if another process runs the turn, or with what the store throws.
   */
  function write(event: TurnEvent): Promise<void> | undefined {
    score.record(event);
    const step = finishedStep(event);
    switch (event.type) {
      case 'stage_started':
        stages.push({ stage: event.stage, startedAt: now() });
        return undefined;
      case 'seated':
        return writeSeats(event.seated, event.seated.seats);
      case 'recalled':
        // The messages belong to the earlier turn.
        return writeSeats(event.seated, []);
      case 'answered':
        if (passed.has(`answered ${event.answer.sage}`)) return undefined;
        return checkpoint({ messages: [completeMessage(event.answer)] });
      case 'ranked':
        if (step) last.push(step);
        return undefined;
      case 'concluded': {
        if (!step || passed.has('verdict ')) return undefined;
        // The question is remembered together with the verdict, so it has changed.
        const asked = record.messages.filter(({ role }) => role === 'human');
        return checkpoint({ steps: [...last.splice(0), step], messages: asked });
      }
      case 'ended': {
        const endedAt = now();
        const { outcome, explanation } = event.end;
        const data = {
          explanation,
          stagesMs: stageTimes(endedAt),
          ...remembered,
          ...(remarked.size > 0 && { remarks: [...remarked] }),
        };
        const scored = score.score(allCalls);
        const steps: TurnStep[] = [
          ...last,
          { kind: 'ended', key: '', data },
          ...(scored ? [{ kind: 'scored', key: '', data: scored } as const] : []),
        ];
        // Only after all earlier steps: an ended turn is never resumed, so a step that failed to be stored
        // would be lost.
        return written.then(() => checkpoint({ steps, end: { outcome, endedAt } }));
      }
      default:
        return step && writeStep(step);
    }
  }

  /** @param speaking - The seats whose sages will answer in this turn. */
  function writeSeats(seated: Seated, speaking: readonly Seat[]): Promise<void> | undefined {
    if (passed.has('seated ')) return undefined;
    return checkpoint({
      steps: [
        { kind: 'settings', key: '', data: channel.settings },
        { kind: 'seated', key: '', data: seated },
      ],
      messages: speaking.map(pendingMessage),
    });
  }

  /** Stores a step unless it is stored already. */
  function writeStep(step: TurnStep): Promise<void> | undefined {
    return passed.has(`${step.kind} ${step.key}`) ? undefined : checkpoint({ steps: [step] });
  }

  function checkpoint(parts: {
    readonly steps?: readonly TurnStep[];
    readonly messages?: readonly Message[];
    readonly end?: { readonly outcome: string; readonly endedAt: number };
  }): Promise<void> {
    const counted = usage;
    usage = [];
    const stored = held.checkpoint({ ...parts, turnId, threadId, attempt, usage: counted });
    // Retried with the next step.
    stored.catch(() => usage.unshift(...counted));
    // Sent along with the step and not awaited.
    if (parts.end) void paid.settle();
    else paid.settleIfDue();
    written = Promise.all([written, stored]);
    // The error surfaces in the returned promise and at the end of the turn.
    written.catch(() => undefined);
    return stored;
  }

  function pendingMessage({ sage: { key } }: Seat): Message {
    const { isPrivate } = request;
    const question = record.messages.find(({ role }) => role === 'human');
    const message: Message = {
      id: `${turnId}:${key}`,
      threadId,
      turnId,
      createdAt: now(),
      role: 'ai',
      type: 'sage_output',
      status: 'pending',
      sage: key,
      content: { type: 'sage_output', sage: key },
      ...(question && { parentId: question.id }),
      ...(isPrivate !== undefined && { isPrivate }),
    };
    messages.set(message.id, message);
    return message;
  }

  function completeMessage(answer: SageAnswer): Message {
    const pending = messages.get(`${turnId}:${answer.sage}`);
    if (!pending) throw new TypeError(`${answer.sage} answered without having been seated.`);
    return { ...pending, status: 'complete', content: answerContent(answer) };
  }

  function stageTimes(endedAt: number): Readonly<Record<string, number>> {
    return Object.fromEntries(
      stages.map(({ stage, startedAt }, index) => [
        stage,
        (stages[index + 1]?.startedAt ?? endedAt) - startedAt,
      ]),
    );
  }

  return {
    write,

    /** Notes how much the prompts recall, for the receipt. Stored with the end. */
    remember({ interactions, receipt }: RememberedContext): void {
      remembered = { interactionsRemembered: interactions, memory: receipt };
    },

    /** Counts a call. Stored with the next step. */
    count(call: CallUsage): void {
      const { sage, remarks = [], ...counted } = call;
      for (const remark of remarks) remarked.add(`${call.model} ${remark}`);
      paid.count(call);
      const named = { ...counted, ...(sage && { sageName: sage }) };
      const paidCall = usageOf(named, `${attempt}:${allCalls.length}`);
      usage.push(paidCall);
      allCalls.push(paidCall);
    },

    /** For the log; the cost as far as prices are known. */
    bill() {
      const costUsd = allCalls.reduce((sum, call) => sum + (call.costUsd ?? 0), 0);
      return { threadId, user: request.author.id, costUsd: Number(costUsd.toFixed(6)) };
    },

    /**
     * Stores the calls counted so far, e.g. before the turn is left for a later start. Does nothing if another
     * process has the turn: the calls are paid for, and that process writes the receipt.
     */
    async writeUsage(): Promise<void> {
      if (usage.length === 0) return;
      await checkpoint({}).catch((error: unknown) => {
        if (!(error instanceof SupersededError)) throw error;
      });
    },
  };
}

/** Logs each finished step, but never questions or answers. */
export function logEvent(log: Log, event: TurnEvent): void {
  const entry = entryOf(event);
  const hasFailed = event.type === 'ended' && event.end.outcome === 'failed';
  if (entry) log[hasFailed ? 'warn' : 'info'](...entry);
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
      return [factsOf(event.ownAnswer), 'own answer ended'];
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
