import { type Job, WaitingError } from 'bullmq';
import type { Log } from '../../domain/log.ts';
import { pauseAfter, type QueuedTurn, type TurnRunner } from '../queue.ts';
import type { Inboxes } from './inboxes.ts';
import { JobWorker } from './job-worker.ts';
import type { Client } from './server.ts';
import { mostStarts, worker as settings, turnsQueue } from './settings.ts';

/** What an inbox is drained for. */
export interface DrainJob {
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
export class TurnWorker {
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
      log.warn({ ...turn }, 'turn is left to other processes: this one was silent for too long');
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
      log.error({ ...turn, starts: job.attemptsStarted }, 'turn put aside: it was begun too often');
      return { reason: `It was begun ${mostStarts} times and never ended.` };
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
      log.error({ ...turn, tried, error }, 'turn put aside: it could not be run');
      return { reason: reasonOf(error) };
    }
    log.warn({ ...turn, tried, againInMs: pauseAfter(tried), error }, 'turn is tried again');
    throw error;
  }
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').slice(0, 500);
}
