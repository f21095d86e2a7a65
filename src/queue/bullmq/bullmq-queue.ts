import { setTimeout as wait } from 'node:timers/promises';
import { type Job, Queue as Jobs, WaitingError } from 'bullmq';
import type { Log } from '../../domain/log.ts';
import { pauseAfter, type Queue, type QueuedTurn, type TurnRunner, usualTries } from '../queue.ts';
import { LastingTrouble } from '../trouble-log.ts';
import type { Commands } from './commands.ts';
import { Inboxes } from './inboxes.ts';
import { JobWorker } from './job-worker.ts';
import type { Client, QueueServer } from './server.ts';
import {
  adoptEveryMs,
  adoptingKey,
  eventsKept,
  job,
  mostAdopted,
  mostAdopting,
  mostStarts,
  prefix,
  worker as settings,
  turnsQueue,
} from './settings.ts';

export interface BullmqQueueOptions {
  readonly server: QueueServer;
  /** How many threads this process serves at the same time; at least 1. */
  readonly concurrency: number;
  /**
   * Turns that have not ended, oldest first, running ones too, at most so many. Asked at the start and
   * every while, for those that their process was killed before it had queued them.
   */
  readonly unfinished: (most: number) => Promise<readonly QueuedTurn[]>;
  /** How often a turn is run that throws; at least 1. Default 10. */
  readonly tries?: number;
  readonly log: Log;
  /** Told what BullMQ could not do. */
  readonly onError: (error: unknown) => void;
}

const idleLookMs = 50;

export class BullmqQueue implements Queue {
  readonly #options: BullmqQueueOptions;
  readonly #commands: Commands;
  readonly #inboxes: Inboxes;
  readonly #jobs: Jobs<DrainJob>;
  readonly #stopping = new AbortController();
  #worker: TurnWorker | undefined;

  constructor(options: BullmqQueueOptions, commands: Commands) {
    this.#options = options;
    this.#commands = commands;
    this.#inboxes = new Inboxes(commands);
    this.#jobs = new Jobs(turnsQueue, {
      connection: commands.client,
      prefix,
      streams: { events: { maxLen: eventsKept } },
    });
    this.#jobs.on('error', options.onError);
  }

  /** Queues what is in the store and in no inbox; what is in its inbox already stays where it is. */
  async #adopt(): Promise<void> {
    // Those that were put aside have not ended either, and may stay for ever.
    const most = mostAdopted + (await this.#inboxes.deadTurns());
    const unfinished = await this.#options.unfinished(most);
    const threads = Map.groupBy(unfinished, ({ threadId }) => threadId);
    for (const turns of threads.values()) {
      const last = turns.at(-1);
      if (this.#stopping.signal.aborted || !last) return;
      await this.add(
        last,
        turns.slice(0, -1).map(({ turnId }) => turnId),
      );
    }
  }

  /** Does so every while. One process at a time does it. */
  #keepAdopting(): void {
    const trouble = new LastingTrouble(this.#options.log, 'searches for unfinished turns');
    const leaseMs = Math.ceil(adoptEveryMs * 0.9);
    let pauseMs: number = adoptEveryMs;
    const look = async () => {
      const isMine = await this.#commands.once((client) =>
        client.set(adoptingKey, '1', 'PX', leaseMs, 'NX'),
      );
      if (isMine === null) return false;
      const startedAt = performance.now();
      await this.#adopt();
      pauseMs = Math.max(adoptEveryMs, (performance.now() - startedAt) / mostAdopting);
      return true;
    };
    void trouble.repeat(() => pauseMs, look, this.#stopping.signal);
  }

  async add(turn: QueuedTurn, earlier: readonly string[] = []): Promise<void> {
    const position = await this.#inboxes.push(turn, earlier);
    if (position !== undefined) await this.#drain(turn.threadId, position);
  }

  /** Also after a turn that was known: who pushed it may have died before it asked for the draining. */
  async #drain(threadId: string, position: number): Promise<void> {
    const deduplication = { id: threadId, keepLastIfActive: true };
    const backoff = { type: 'custom' };
    const options = { ...job, deduplication, backoff, priority: position };
    await this.#commands.send(() => this.#jobs.add('drain', { threadId }, options));
  }

  async start(
    run: TurnRunner,
    onPutAside: (turn: QueuedTurn) => Promise<void> = async () => undefined,
  ): Promise<void> {
    await this.#adopt();
    this.#keepAdopting();
    const { server, concurrency, tries = usualTries, log, onError } = this.#options;
    // As a process that is asked to end before it has quite begun.
    if (this.#stopping.signal.aborted) return;
    const client = await server.connect(true);
    if (this.#stopping.signal.aborted) return client.disconnect();
    this.#worker = new TurnWorker({
      ...{ run, onPutAside, concurrency, tries, log, onError },
      inboxes: this.#inboxes,
      client,
      drain: (threadId, position) => this.#drain(threadId, position),
    });
  }

  waiting(threadId: string): Promise<number> {
    return this.#inboxes.waiting(threadId);
  }

  async idle(): Promise<void> {
    while ((await this.#inboxes.openThreads()) > 0 || this.#worker?.isBusy) await wait(idleLookMs);
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    await this.#worker?.stop(graceMs);
    await this.#jobs.close();
  }
}

/** What an inbox is drained for. */
interface DrainJob {
  readonly threadId: string;
}

interface TurnWorkerOptions {
  readonly inboxes: Inboxes;
  /** Without a timeout of its commands; closed by the worker. */
  readonly client: Client;
  readonly concurrency: number;
  /** How often a turn is run that throws; at least 1. */
  readonly tries: number;
  readonly run: TurnRunner;
  /** Told after a turn was put aside. */
  readonly onPutAside: (turn: QueuedTurn) => Promise<void>;
  /** Asks for the next turn of a thread to be run. */
  readonly drain: (threadId: string, position: number) => Promise<void>;
  readonly log: Log;
  /** Told what BullMQ could not do. */
  readonly onError: (error: unknown) => void;
}

/** Runs one turn for each job: the first of its thread's inbox. */
class TurnWorker {
  readonly #options: TurnWorkerOptions;
  readonly #jobs: JobWorker<DrainJob>;

  constructor(options: TurnWorkerOptions) {
    const { client, concurrency, log, onError } = options;
    this.#options = options;
    this.#jobs = new JobWorker({
      ...{ queue: turnsQueue, client, concurrency, pauseAfter, log, onError },
      work: (job, token) => this.#work(job, token),
    });
  }

  get isBusy(): boolean {
    return this.#jobs.isBusy;
  }

  stop(graceMs: number): Promise<void> {
    return this.#jobs.stop(graceMs);
  }

  async #work(job: Job<DrainJob>, token: string): Promise<void> {
    const { inboxes, drain, onPutAside, log } = this.#options;
    const { threadId } = job.data;
    const held = { id: job.id ?? '', token };
    const askedAt = performance.now();
    const turnId = await inboxes.claim(threadId, held, job.priority);
    if (turnId === undefined) return;
    // Halted meanwhile, this process may have lost the job since, and would take the turn from its successor.
    if (performance.now() - askedAt > settings.lockDuration / 4)
      return this.#jobs.putOff(job, token);
    const turn = { turnId, threadId };
    log.info({ ...turn, starts: job.attemptsStarted }, 'turn taken from the queue');
    const died = await this.#run(job, token, turn);
    const kept = died && { threadId, ...died, starts: job.attemptsStarted, diedAt: Date.now() };
    const next = await inboxes.settle(turn, held, kept);
    if (next === undefined) {
      log.warn({ ...turn }, 'turn was left to other processes: this one was silent for too long');
      return;
    }
    if (kept) await onPutAside(turn);
    if (next > 0) await drain(threadId, next);
  }

  /**
   * @returns Why the turn is put aside, when it is.
   * @throws What the run threw, for another try; a `WaitingError` or a `DelayedError` when it goes back
   *   to the queue.
   */
  async #run(
    job: Job<DrainJob>,
    token: string,
    turn: QueuedTurn,
  ): Promise<{ readonly reason: string } | undefined> {
    const { run, log } = this.#options;
    if (job.attemptsStarted > mostStarts) {
      log.error(
        { ...turn, starts: job.attemptsStarted },
        'turn failed for good: it was started too often',
      );
      return { reason: `It was started ${mostStarts} times and never ended.` };
    }
    let outcome: 'ended' | 'left';
    try {
      outcome = await this.#jobs.run(job, token, (signal) => run(turn, signal));
    } catch (error) {
      if (error instanceof WaitingError) throw error;
      return this.#judge(job, turn, error);
    }
    if (outcome === 'left') await this.#jobs.putOff(job, token);
    return undefined;
  }

  #judge(job: Job<DrainJob>, turn: QueuedTurn, error: unknown): { readonly reason: string } {
    const { log, tries } = this.#options;
    const tried = job.attemptsMade + 1;
    if (tried >= tries) {
      log.error({ ...turn, tried, error }, 'turn failed for good: it could not be run');
      return { reason: reasonOf(error) };
    }
    log.warn({ ...turn, tried, againInMs: pauseAfter(tried), error }, 'turn is retried');
    throw error;
  }
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').slice(0, 500);
}
