/** Conducts: takes in questions and commands, and runs the turns that the queue hands over. */

import { randomUUID } from 'node:crypto';
import type { Command, Place, Reply } from '../commands/command.ts';
import type { CommandContext } from '../commands/context.ts';
import { runCommand } from '../commands/run-command.ts';
import { BudgetGuard, type Budgets } from './bot/budget.ts';
import { type Channel, readChannel } from './bot/channels.ts';
import { commandContext } from './bot/command-context.ts';
import { complaintAbout, complaintAboutSages, type QuestionLimits } from './bot/complaints.ts';
import { QuestionRate, rateScope } from './bot/question-rate.ts';
import { TurnRun, type TurnRunOptions } from './bot/turn-run.ts';
import { addressedSage } from './council/addressing.ts';
import type { TurnRequest } from './council/council.ts';
import { estimateTurnUsd, type PriceOf } from './council/estimate.ts';
import { readPastTurn } from './council/past-turn.ts';
import { receiptOf } from './council/receipt.ts';
import type { Asked, Ingress, Invocation, PlaceSettings, Platform } from './platforms/platform.ts';
import type { Queue, QueuedTurn } from './queue/queue.ts';
import type { TurnRecord } from './store/store.ts';

export interface BotOptions extends TurnRunOptions {
  readonly queue: Queue;
  readonly platforms: readonly Platform[];
  readonly commands: readonly Command<CommandContext>[];
  readonly priceOf: PriceOf;
  /** Of a person and of a workspace; that of a channel is among its settings. */
  readonly budgets: Omit<Budgets, 'channelUsdPerDay'>;
  readonly limits: QuestionLimits;
}

/** A turn that was asked and has not ended. */
interface OpenTurn {
  readonly threadId: string;
  readonly userId: string;
  /** Gives back what was set aside of the budgets. */
  release: () => void;
  run?: TurnRun;
  /** Asked to stop before it began. */
  isStopped: boolean;
}

export class Bot implements Ingress {
  readonly #options: BotOptions;
  readonly #budget: BudgetGuard;
  readonly #rate: QuestionRate;
  readonly #open = new Map<string, OpenTurn>();

  constructor(options: BotOptions) {
    this.#options = options;
    this.#budget = new BudgetGuard(options.store, options.now);
    this.#rate = new QuestionRate(options.store.settings, options.now);
  }

  /** Opens the platforms and takes up what an earlier process left unfinished. */
  async start(): Promise<void> {
    const { queue, platforms } = this.#options;
    for (const platform of platforms) await platform.start(this);
    await queue.start((turn, shutdown) => this.#run(turn, shutdown));
  }

  /** Takes in nothing more, gives running turns `graceMs` to end, and leaves the rest to be resumed. */
  async stopAll(graceMs: number): Promise<void> {
    const { queue, platforms } = this.#options;
    for (const platform of platforms) await platform.stop();
    await queue.stop(graceMs);
  }

  async ask(asked: Omit<TurnRequest, 'turnId'>): Promise<Asked> {
    const request = { ...asked, question: asked.question.trim(), turnId: randomUUID() };
    const complaint = complaintAbout(request, [...this.#open.values()], this.#options.limits);
    if (complaint) return { status: 'refused', reason: complaint };
    // Taken before the first wait, so that a burst of questions can't slip past the limits together.
    const open: OpenTurn = {
      threadId: request.threadId,
      userId: request.author.id,
      release: () => undefined,
      isStopped: false,
    };
    this.#open.set(request.turnId, open);
    try {
      const asked = await this.#admit(request, open);
      if (asked.status === 'refused' || !asked.isNew) this.#close(request.turnId);
      return asked;
    } catch (error) {
      this.#close(request.turnId);
      throw error;
    }
  }

  /** Holds a question against what its channel is set to. */
  async #admit(asked: TurnRequest, open: OpenTurn): Promise<Asked> {
    const { threadId, turnId, author } = asked;
    const scope = rateScope(threadId, author.id);
    const { channel, beside } = await readChannel(this.#options, threadId, scope);
    const addressed = asked.sages
      ? undefined
      : addressedSage(asked.question, channel.council.bench);
    const request = addressed ? { ...asked, sages: [addressed.key] } : asked;
    const complaint = complaintAboutSages(request.sages, channel.council.bench);
    if (complaint) return { status: 'refused', reason: complaint };
    const { questionsPerUserPerHour, channelUsdPerDay } = channel.settings;
    const counted = this.#rate.count(scope, beside, turnId, questionsPerUserPerHour);
    if ('refusal' in counted) return { status: 'refused', reason: counted.refusal };
    let isTaken = false;
    try {
      const estimatedUsd = this.#estimate(request, channel);
      const budget = await this.#budget.reserve(threadId, author.id, estimatedUsd, {
        ...this.#options.budgets,
        ...(channelUsdPerDay === 'unlimited' ? {} : { channelUsdPerDay }),
      });
      if ('refusal' in budget) return { status: 'refused', reason: budget.refusal };
      open.release = budget.release;
      const begun = await this.#begin(request, counted.keep);
      isTaken = begun.isNew;
      return begun;
    } finally {
      if (!isTaken) counted.release();
    }
  }

  /** @param keepCount - Stores that the question counts. */
  async #begin(
    request: TurnRequest,
    keepCount: () => Promise<void>,
  ): Promise<Extract<Asked, { status: 'accepted' }>> {
    const { store, queue, now } = this.#options;
    const { threadId, turnId } = request;
    const turnsBefore = await queue.waiting(threadId);
    const begun = await store.turns.begin({
      turnId,
      threadId,
      // Platforms give ids that are unique in a workspace; the store wants them unique altogether.
      eventId: `${workspaceOf(threadId)}:${request.eventId}`,
      request,
      question: {
        id: `${turnId}:question`,
        threadId,
        turnId,
        role: 'human',
        type: 'user_query',
        status: 'complete',
        author: request.author.name,
        content: { type: 'user_query', text: request.question },
        createdAt: request.askedAt,
        ...(request.isPrivate !== undefined && { isPrivate: request.isPrivate }),
      },
      createdAt: now(),
    });
    if (begun.isNew) await keepCount();
    // Also for a known event: the process that claimed it may have died before it was queued.
    await queue.add({ turnId: begun.turnId, threadId });
    return { status: 'accepted', ...begun, turnsBefore };
  }

  #estimate(request: TurnRequest, { council, settings }: Channel): number {
    const { openModels, priceOf } = this.#options;
    return estimateTurnUsd(
      council,
      openModels(() => undefined, { chair: settings.chairModel }),
      priceOf,
      {
        questionChars: request.question.length,
        depth: request.depth ?? council.depth,
        sages: request.sages,
      },
    );
  }

  #close(turnId: string): void {
    this.#open.get(turnId)?.release();
    this.#open.delete(turnId);
  }

  async settings(place: Place): Promise<PlaceSettings> {
    const { channel } = await readChannel(this.#options, place.threadId);
    return { bench: channel.council.bench, followUpMode: channel.settings.followUpMode };
  }

  async command(invocation: Invocation): Promise<Reply> {
    const { commands, log } = this.#options;
    const { place, person } = invocation;
    return runCommand(
      commands,
      invocation,
      () =>
        commandContext(invocation, commands, this.#options, {
          ask: (question, choice) =>
            this.ask({
              threadId: place.threadId,
              eventId: `command:${randomUUID()}`,
              question,
              author: { id: person.id, name: person.name },
              askedAt: this.#options.now(),
              ...(place.isPrivate !== undefined && { isPrivate: place.isPrivate }),
              ...choice,
            }),
          receipt: async (turnId) => {
            const record = await this.#record(place, turnId);
            return (
              record &&
              receiptOf(readPastTurn(record), record.outcome ?? record.status, record.usage)
            );
          },
          deliberation: async (turnId) => {
            const record = await this.#record(place, turnId);
            return record && readPastTurn(record);
          },
          stop: () => this.#stopThread(place.threadId, person),
        }),
      (error) => log.error({ error, command: invocation.command }, 'command failed'),
    );
  }

  async stop(turnId: string, place?: Place): Promise<boolean> {
    const open = this.#open.get(turnId);
    const isThere = !place || (open && channelOf(open.threadId) === channelOf(place.threadId));
    if (!open || !isThere) return false;
    open.isStopped = true;
    open.run?.stop();
    return true;
  }

  /** Stops what the person asked in a thread; managers stop everybody's. Gives how many turns. */
  async #stopThread(threadId: string, person: { id: string; isManager: boolean }): Promise<number> {
    const theirs = [...this.#open].filter(
      ([, open]) => open.threadId === threadId && (person.isManager || open.userId === person.id),
    );
    for (const [turnId] of theirs) await this.stop(turnId);
    return theirs.length;
  }

  async #run(queued: QueuedTurn, shutdown: AbortSignal): Promise<void> {
    const { platforms } = this.#options;
    const platform = platforms.find(({ name }) => queued.threadId.startsWith(`${name}:`));
    if (!platform) {
      this.#options.log.warn({ ...queued }, 'turn left alone: its platform is not connected here');
      return;
    }
    const run = new TurnRun(queued, platform, this.#options);
    const open: OpenTurn = this.#open.get(queued.turnId) ?? {
      threadId: queued.threadId,
      userId: '',
      release: () => undefined,
      isStopped: false,
    };
    open.run = run;
    this.#open.set(queued.turnId, open);
    if (open.isStopped) run.stop();
    try {
      await run.run(shutdown);
    } finally {
      this.#close(queued.turnId);
    }
  }

  /** A turn of this channel; without an id, the last one of this thread. */
  async #record(place: Place, turnId: string | undefined): Promise<TurnRecord | undefined> {
    const { turns } = this.#options.store;
    const [last] = turnId ? [] : await turns.list(place.threadId, { limit: 1 });
    const wanted = turnId ?? last?.turnId;
    const record = wanted ? await turns.read(wanted) : undefined;
    // A turn of another channel is as good as unknown here.
    const isOfThisChannel = record && channelOf(record.threadId) === channelOf(place.threadId);
    return isOfThisChannel ? record : undefined;
  }
}

/** A thread id without its last part. */
function channelOf(threadId: string): string {
  return threadId.slice(0, threadId.lastIndexOf(':'));
}

/** The platform and workspace of a thread id. */
function workspaceOf(threadId: string): string {
  return threadId.split(':', 2).join(':');
}
