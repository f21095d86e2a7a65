import { DelayedError, type Job, WaitingError, Worker } from 'bullmq';
import type { Log } from '../../domain/log.ts';
import { within } from '../../waiting.ts';
import { pauseAfter, TakenOverError } from '../queue.ts';
import type { Client } from './server.ts';
import { prefix, worker as settings } from './settings.ts';

/** How long after the grace period to wait for a server that is away, in milliseconds. */
const closeMs = 3000;
/** The time BullMQ needs to finish with a job after its handler has returned, in milliseconds. */
const settledMs = 1000;

/** Means: run the first turn of the thread's inbox. */
export interface DrainJob {
  readonly threadId: string;
}

interface JobWorkerOptions {
  /** The name of the BullMQ queue, without the prefix. */
  readonly queue: string;
  /** Without command timeouts; may be shared with other workers. */
  readonly client: Client;
  readonly concurrency: number;
  readonly work: (job: Job<DrainJob>, token: string) => Promise<void>;
  readonly log: Log;
  /** Receives BullMQ's errors. */
  readonly onError: (error: unknown) => void;
}

/** Works on the jobs of one BullMQ queue, and aborts runs whose job has gone to another worker. */
export class JobWorker {
  readonly #worker: Worker<DrainJob>;
  readonly #runs = new Set<{ readonly job: string; readonly ending: AbortController }>();
  /** By job: resolves when its handler has finished here. */
  readonly #handled = new Map<string, Promise<void>>();
  /** Those whose lock was lost. */
  readonly #lost = new Set<string>();

  constructor(options: JobWorkerOptions) {
    const { queue, client, concurrency, work, log, onError } = options;
    const handle = (job: Job<DrainJob>, token = '') =>
      this.#handle(job, token, () => work(job, token));
    this.#worker = new Worker(queue, handle, {
      ...settings,
      connection: client,
      prefix,
      concurrency,
      settings: { backoffStrategy: pauseAfter },
    });
    this.#worker.on('error', onError);
    // Another worker has these jobs, or soon will. BullMQ keeps trying, and failing, until their handlers return.
    this.#worker.on('lockRenewalFailed', (jobs) => {
      const sentence =
        'work is left to other processes: this one, or the server, was silent for too long';
      const fresh = jobs.filter((job) => !this.#lost.has(job));
      if (fresh.length > 0) log.warn({ runs: fresh.length }, sentence);
      this.#lose(fresh);
    });
  }

  get isBusy(): boolean {
    return this.#runs.size > 0;
  }

  /**
   * Handles a job, never twice at once. After an outage a worker may get back a job that it lost and is
   * still handling. BullMQ tracks locks by job id only: when the old handler ended, it would stop renewing
   * the new one's lock, and a third worker would get the job.
   *
   * @throws The handler's error; a `DelayedError` if the job is delayed for a free worker.
   */
  async #handle(job: Job<DrainJob>, token: string, work: () => Promise<void>): Promise<void> {
    const id = job.id ?? '';
    const earlier = this.#handled.get(id);
    if (earlier) {
      this.#lose([id]);
      // A handler that never ends must not keep the job from other workers.
      await within(earlier, { ms: settings.lockDuration });
      return this.delay(job, token);
    }
    const handling = work();
    this.#handled.set(
      id,
      handling.catch(() => undefined),
    );
    await handling.finally(() => this.#forget(id));
  }

  /**
   * Gives a job back for a worker that is free in a moment.
   *
   * @throws Always a `DelayedError`, which BullMQ expects.
   */
  async delay(job: Job<DrainJob>, token: string): Promise<never> {
    // It fails if the job isn't ours any more, or the server is away; its lock then expires.
    await job.moveToDelayed(Date.now() + settledMs, token).catch(() => undefined);
    throw new DelayedError();
  }

  #forget(id: string): void {
    const forget = () => {
      this.#handled.delete(id);
      this.#lost.delete(id);
    };
    if (this.#lost.has(id)) setTimeout(forget, settledMs).unref();
    else forget();
  }

  /**
   * Does a job's work.
   *
   * @returns The work's result.
   * @throws The work's error; a `WaitingError`, which BullMQ expects, if it was aborted and the job goes
   *   to a free worker.
   */
  async run<Result>(
    job: Job<DrainJob>,
    token: string,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const ending = new AbortController();
    const run = { job: job.id ?? '', ending };
    this.#runs.add(run);
    try {
      const result = await work(ending.signal);
      if (!ending.signal.aborted) return result;
    } catch (error) {
      if (!ending.signal.aborted) throw error;
    } finally {
      this.#runs.delete(run);
    }
    await job.moveToWait(token).catch(() => undefined);
    throw new WaitingError();
  }

  /**
   * Takes no more jobs, waits up to `graceMs` for running ones, and aborts the rest. If the server is away, the
   * jobs are taken over when their locks expire.
   */
  async stop(graceMs: number): Promise<void> {
    const closed = this.#worker.close();
    const late = setTimeout(() => {
      for (const { ending } of this.#runs) ending.abort(new Error('Shutting down.'));
    }, graceMs);
    await within(closed, { ms: graceMs + closeMs });
    clearTimeout(late);
  }

  #lose(jobs: readonly string[]): void {
    for (const job of jobs) if (this.#handled.has(job)) this.#lost.add(job);
    for (const { job, ending } of this.#runs) {
      if (jobs.includes(job)) ending.abort(new TakenOverError());
    }
  }
}
