import { type Job, Queue as Jobs, WaitingError, Worker } from 'bullmq';
import {
  type BackgroundJobs,
  type BackgroundWork,
  mostRuns,
  pauseAfterRun,
} from '../background.ts';
import type { QueueLog } from '../queue-log.ts';
import { closeWorker } from './close-worker.ts';
import { type Client, connect, type ServerOptions } from './connection.ts';
import { backgroundQueue, prefix } from './keys.ts';
import { eventsKept, job as jobSettings, worker as workerSettings } from './settings.ts';

interface Errand {
  readonly subject: string;
}

export interface BullmqBackgroundOptions {
  readonly server: ServerOptions;
  readonly client: Client;
  readonly log: QueueLog;
  /** Told what BullMQ could not do. */
  readonly onError: (error: unknown) => void;
}

/** How many pieces of background work one process does at once. */
const concurrency = 2;

/** Background work of all processes on a server; what was asked for outlives them. */
export class BullmqBackground implements BackgroundJobs {
  readonly #server: ServerOptions;
  readonly #log: QueueLog;
  readonly #onError: (error: unknown) => void;
  readonly #jobs: Jobs<Errand>;
  readonly #running = new Set<{ readonly job: string; readonly ending: AbortController }>();
  #worker: { readonly worker: Worker<Errand>; readonly client: Client } | undefined;

  /** @param client - Its commands fail after a while. */
  constructor({ server, client, log, onError }: BullmqBackgroundOptions) {
    this.#server = server;
    this.#log = log;
    this.#onError = onError;
    this.#jobs = new Jobs(backgroundQueue, {
      ...{ connection: client, prefix },
      streams: { events: { maxLen: eventsKept } },
    });
    this.#jobs.on('error', onError);
  }

  async request(work: string, subject: string, delayMs: number): Promise<void> {
    const id = JSON.stringify([work, subject]);
    await this.#jobs.add(
      work,
      { subject },
      {
        ...jobSettings,
        attempts: mostRuns,
        backoff: { type: 'custom' },
        delay: delayMs,
        deduplication: { id, keepLastIfActive: true, reschedule: delayMs === 0 },
      },
    );
  }

  async start(works: Readonly<Record<string, BackgroundWork>>): Promise<void> {
    const client = await connect(this.#server, true);
    const work = (job: Job<Errand>, token = '') => this.#run(job, token, works[job.name]);
    const worker = new Worker(backgroundQueue, work, {
      ...workerSettings,
      ...{ connection: client, prefix, concurrency },
      settings: { backoffStrategy: pauseAfterRun },
    });
    this.#worker = { worker, client };
    worker.on('error', this.#onError);
    worker.on('lockRenewalFailed', (jobs) => {
      for (const { job, ending } of this.#running) {
        if (jobs.includes(job)) ending.abort(new Error('Taken over by another.'));
      }
    });
    for (const [name, { everyMs }] of Object.entries(works)) {
      if (everyMs !== undefined) await this.request(name, '', everyMs);
    }
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#worker) {
      const { worker, client } = this.#worker;
      await closeWorker(worker, client, graceMs, () => {
        for (const { ending } of this.#running) ending.abort(new Error('Shutting down.'));
      });
    }
    await this.#jobs.close();
  }

  async #run(job: Job<Errand>, token: string, work: BackgroundWork | undefined): Promise<void> {
    const { subject } = job.data;
    const ending = new AbortController();
    const running = { job: job.id ?? '', ending };
    this.#running.add(running);
    try {
      if (!work) throw new Error(`Nobody knows how to do “${job.name}” here.`);
      await work.run(subject, ending.signal);
    } catch (error) {
      if (!ending.signal.aborted) this.#tell(job, error);
    } finally {
      this.#running.delete(running);
    }
    if (ending.signal.aborted) {
      await job.moveToWait(token).catch((error: unknown) => {
        this.#log.info({ work: job.name, error }, 'background work not given back');
      });
      throw new WaitingError();
    }
    await this.#again(job, work);
  }

  /** Asked for while this run is under way, so that it is kept until this one has ended. */
  async #again(job: Job<Errand>, work: BackgroundWork | undefined): Promise<void> {
    if (work?.everyMs !== undefined && job.data.subject === '') {
      await this.request(job.name, '', work.everyMs);
    }
  }

  /** Throws for a further run; returns after the last one. */
  #tell(job: Job<Errand>, error: unknown): void {
    const runs = job.attemptsMade + 1;
    const facts = { work: job.name, subject: job.data.subject, runs, error };
    if (runs < mostRuns) {
      this.#log.warn(facts, 'background work is tried again');
      throw error;
    }
    this.#log.error(facts, 'background work was given up');
  }
}
