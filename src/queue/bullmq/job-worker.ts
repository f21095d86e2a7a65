import { DelayedError, type Job, WaitingError, Worker } from 'bullmq';
import type { Log } from '../../domain/log.ts';
import { within } from '../../waiting.ts';
import { TakenOverError } from '../queue.ts';
import type { Client } from './server.ts';
import { prefix, worker as settings } from './settings.ts';

/** How much longer than the grace a server that is away is waited for, in milliseconds. */
const closeMs = 3000;
/** After which BullMQ is done with a handling that has ended, in milliseconds. */
const settledMs = 1000;

interface JobWorkerOptions<Data> {
  /** BullMQ's, without the prefix. */
  readonly queue: string;
  /** Without a timeout of its commands; closed by the worker. */
  readonly client: Client;
  readonly concurrency: number;
  /** The pause after so many runs that threw, in milliseconds. */
  readonly pauseAfter: (runs: number) => number;
  readonly work: (job: Job<Data>, token: string) => Promise<void>;
  readonly log: Log;
  /** Told what BullMQ could not do. */
  readonly onError: (error: unknown) => void;
}

/** Works on the jobs of one queue of BullMQ. What it has under way can be told to leave its job to others. */
export class JobWorker<Data> {
  readonly #client: Client;
  readonly #worker: Worker<Data>;
  readonly #runs = new Set<{ readonly job: string; readonly ending: AbortController }>();
  /** By job: resolves when all that is done for it here has come to its end. */
  readonly #handled = new Map<string, Promise<void>>();
  /** Jobs among them whose lock was lost. */
  readonly #lost = new Set<string>();
  readonly #log: Log;

  constructor(options: JobWorkerOptions<Data>) {
    const { queue, client, concurrency, pauseAfter, work, log, onError } = options;
    this.#log = log;
    this.#client = client;
    const handle = (job: Job<Data>, token = '') => this.#handle(job, token, () => work(job, token));
    this.#worker = new Worker(queue, handle, {
      ...{ ...settings, connection: client, prefix, concurrency },
      settings: { backoffStrategy: pauseAfter },
    });
    this.#worker.on('error', onError);
    // Another worker has these jobs, or will.
    this.#worker.on('lockRenewalFailed', (jobs) => {
      const sentence =
        'work is left to other processes: this one, or the server, was silent for too long';
      log.warn({ runs: jobs.length }, sentence);
      this.#lose(jobs);
    });
  }

  get isBusy(): boolean {
    return this.#runs.size > 0;
  }

  /**
   * Handles a job, one handling of it at a time. After an outage a worker may be given a job again that
   * it has lost and not left yet; BullMQ, which knows jobs by their ids alone, would stop renewing the
   * lock of the new handling when the old one ends, and the job would go to a third one meanwhile.
   *
   * @throws What it threw; a `DelayedError`, as BullMQ wants it, when the job is left to a worker that is free
   *   in a moment.
   */
  async #handle(job: Job<Data>, token: string, work: () => Promise<void>): Promise<void> {
    const id = job.id ?? '';
    const earlier = this.#handled.get(id);
    if (earlier) {
      this.#lose([id]);
      // One that does not end is no reason to keep the job from others.
      await within(earlier, { ms: settings.lockDuration });
      return this.putOff(job, token);
    }
    const handling = work();
    this.#handled.set(
      id,
      handling.catch(() => undefined),
    );
    await handling.finally(() => this.#forget(id));
  }

  /**
   * Leaves a job to a worker that is free in a moment.
   *
   * @throws A `DelayedError`, as BullMQ wants it, and nothing else.
   */
  async putOff(job: Job<Data>, token: string): Promise<never> {
    await job.moveToDelayed(Date.now() + settledMs, token).catch(this.#notGivenBack(job));
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
   * Does the work of a job.
   *
   * @returns What it gives.
   * @throws What it threw; a `WaitingError`, as BullMQ wants it, when it was aborted and the job is
   *   left to a worker that is free.
   */
  async run<Result>(
    job: Job<Data>,
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
    await job.moveToWait(token).catch(this.#notGivenBack(job));
    throw new WaitingError();
  }

  /**
   * Takes nothing more, waits for what runs, and closes the connections. What still runs after `graceMs` is
   * aborted; what a server that is away can't be told by then is taken over when its lock expires.
   */
  async stop(graceMs: number): Promise<void> {
    const closed = this.#worker.close();
    const late = setTimeout(() => {
      for (const { ending } of this.#runs) ending.abort(new Error('Shutting down.'));
    }, graceMs);
    await within(closed, { ms: graceMs + closeMs });
    clearTimeout(late);
    this.#client.disconnect();
  }

  #lose(jobs: readonly string[]): void {
    for (const job of jobs) if (this.#handled.has(job)) this.#lost.add(job);
    for (const { job, ending } of this.#runs) {
      if (jobs.includes(job)) ending.abort(new TakenOverError());
    }
  }

  /** Then it is not ours to give, or the server is away: the lock decides. */
  #notGivenBack({ name, data }: Job<Data>): (error: unknown) => void {
    return (error) => this.#log.info({ job: name, data, error }, 'job not given back');
  }
}
