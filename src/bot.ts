/** Conducts: takes in questions and commands, and runs the turns that the queue hands over. */

import { randomUUID } from 'node:crypto';
import type { Command, Place, Reply } from '../commands/command.ts';
import type { CommandContext } from '../commands/context.ts';
import { runCommand } from '../commands/run-command.ts';
import { BudgetGuard, type Budgets } from './bot/budget.ts';
import { TurnRun, type TurnRunOptions } from './bot/turn-run.ts';
import { addressedSage } from './council/addressing.ts';
import type { TurnRequest } from './council/council.ts';
import { estimateTurnUsd, type PriceOf } from './council/estimate.ts';
import { readPastTurn } from './council/past-turn.ts';
import { type Receipt, receiptOf } from './council/receipt.ts';
import type { Asked, Ingress, Invocation, Platform } from './platforms/platform.ts';
import type { Queue, QueuedTurn } from './queue/queue.ts';

export interface BotOptions extends TurnRunOptions {
  readonly queue: Queue;
  readonly platforms: readonly Platform[];
  readonly commands: readonly Command<CommandContext>[];
  readonly priceOf: PriceOf;
  readonly budgets: Budgets;
  readonly limits: {
    readonly maxQuestionChars: number;
    readonly maxQueuedTurnsPerUser: number;
    readonly maxQueuedTurnsPerThread: number;
  };
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
  readonly #open = new Map<string, OpenTurn>();

  constructor(options: BotOptions) {
    this.#options = options;
    this.#budget = new BudgetGuard(options.store, options.budgets, options.now);
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
    const { council } = this.#options;
    const question = asked.question.trim();
    const addressed = asked.sages ? undefined : addressedSage(question, council.bench);
    const request: TurnRequest = {
      ...asked,
      question,
      turnId: randomUUID(),
      ...(addressed ? { sages: [addressed.key] } : {}),
    };
    const complaint = this.#complaintAbout(request);
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
      const asked = await this.#begin(request, open);
      if (asked.status === 'refused' || !asked.isNew) this.#close(request.turnId);
      return asked;
    } catch (error) {
      this.#close(request.turnId);
      throw error;
    }
  }

  async #begin(request: TurnRequest, open: OpenTurn): Promise<Asked> {
    const { store, queue, now } = this.#options;
    const { threadId, turnId } = request;
    const budget = await this.#budget.reserve(threadId, request.author.id, this.#estimate(request));
    if ('refusal' in budget) return { status: 'refused', reason: budget.refusal };
    open.release = budget.release;
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
      },
      createdAt: now(),
    });
    // Also for a known event: the process that claimed it may have died before it was queued.
    await queue.add({ turnId: begun.turnId, threadId });
    return { status: 'accepted', ...begun, turnsBefore };
  }

  #estimate(request: TurnRequest): number {
    const { council, openModels, priceOf } = this.#options;
    return estimateTurnUsd(
      council,
      openModels(() => undefined),
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

  async command(invocation: Invocation): Promise<Reply> {
    const { commands, council, log } = this.#options;
    const { place, person } = invocation;
    return runCommand(
      commands,
      invocation,
      {
        place,
        person,
        bench: council.bench,
        commands,
        ask: (question, choice) =>
          this.ask({
            threadId: place.threadId,
            eventId: `command:${randomUUID()}`,
            question,
            author: { id: person.id, name: person.name },
            askedAt: this.#options.now(),
            ...choice,
          }),
        receipt: (turnId) => this.#receipt(place, turnId),
        stop: () => this.#stopThread(place.threadId, person),
      },
      (error) => log.error({ error, command: invocation.command }, 'command failed'),
    );
  }

  async stop(turnId: string): Promise<boolean> {
    const open = this.#open.get(turnId);
    if (!open) return false;
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

  async #receipt(place: Place, turnId: string | undefined): Promise<Receipt | undefined> {
    const { turns } = this.#options.store;
    const [last] = turnId ? [] : await turns.list(place.threadId, { limit: 1 });
    const wanted = turnId ?? last?.turnId;
    const record = wanted ? await turns.read(wanted) : undefined;
    // A turn of another channel is as good as unknown here.
    if (!record || channelOf(record.threadId) !== channelOf(place.threadId)) return undefined;
    return receiptOf(readPastTurn(record), record.outcome ?? record.status, record.usage);
  }

  /** What is wrong with a question, for the person who asked it. */
  #complaintAbout(request: TurnRequest): string | undefined {
    const { council, limits } = this.#options;
    const { question } = request;
    if (question === '')
      return 'There is no question in it. Write what the council should think about.';
    if (question.length > limits.maxQuestionChars) {
      return `The question has ${question.length} characters, and at most ${limits.maxQuestionChars} are taken. Shorten it, or ask in parts.`;
    }
    const unknown = (request.sages ?? []).filter(
      (key) => !council.bench.some((sage) => sage.key === key),
    );
    if (unknown.length > 0 || request.sages?.length === 0) {
      const known = council.bench.map((sage) => sage.key).join(', ');
      return `${unknown.join(', ') || 'Nobody'} does not sit on this bench. Name some of: ${known}.`;
    }
    const open = [...this.#open.values()];
    if (
      open.filter((turn) => turn.userId === request.author.id).length >=
      limits.maxQueuedTurnsPerUser
    ) {
      return `You have ${limits.maxQueuedTurnsPerUser} questions open already. Wait for an answer, or stop one.`;
    }
    if (
      open.filter((turn) => turn.threadId === request.threadId).length >=
      limits.maxQueuedTurnsPerThread
    ) {
      return `${limits.maxQueuedTurnsPerThread} questions wait in this thread already. Wait for an answer, or stop one.`;
    }
    return undefined;
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
