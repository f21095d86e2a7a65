import { type Job, Queue as Jobs, WaitingError, Worker } from 'bullmq';
import type { Log } from '../../domain/log.ts';
import {
  type BackgroundJobs,
  type BackgroundWork,
  mostRuns,
  pauseAfterRun,
} from '../coordination.ts';
import { BackgroundLog } from '../trouble-log.ts';
import type { Commands } from './commands.ts';
import { OngoingRuns } from './ongoing-runs.ts';
import type { Client, QueueServer } from './server.ts';
import {
  backgroundQueue,
  eventsKept,
  job as jobSettings,
  prefix,
  worker as workerSettings,
} from './settings.ts';

interface Errand {
  readonly subject: string;
}

interface BullmqBackgroundOptions {
  readonly server: QueueServer;
  readonly commands: Commands;
  readonly log: Log;
  /** Told what BullMQ could not do. */
  readonly onError: (error: unknown) => void;
}

/** How many pieces of background work one process does at once. */
const concurrency = 2;

/** Background work of all processes on a server; what was asked for outlives them. */
export class BullmqBackground implements BackgroundJobs {
  readonly #options: BullmqBackgroundOptions;
  readonly #jobs: Jobs<Errand>;
  readonly #runs: OngoingRuns;
  #worker: { readonly worker: Worker<Errand>; readonly client: Client } | undefined;

  constructor(options: BullmqBackgroundOptions) {
    const { commands, log, onError } = options;
    this.#options = options;
    this.#runs = new OngoingRuns(log);
    this.#jobs = new Jobs(backgroundQueue, {
      ...{ connection: commands.client, prefix },
      streams: { events: { maxLen: eventsKept } },
    });
    this.#jobs.on('error', onError);
  }

  async request(work: string, subject: string, delayMs: number): Promise<void> {
    const id = JSON.stringify([work, subject]);
    const options = {
      ...jobSettings,
      attempts: mostRuns,
      backoff: { type: 'custom' },
      delay: delayMs,
      deduplication: { id, keepLastIfActive: true, reschedule: delayMs === 0 },
    };
    await this.#options.commands.send(() => this.#jobs.add(work, { subject }, options));
  }

  async start(works: Readonly<Record<string, BackgroundWork>>): Promise<void> {
    const { server, log, onError } = this.#options;
    const client = await server.connect(true);
    const told = new BackgroundLog(log, works);
    const work = (job: Job<Errand>, token = '') =>
      this.#runs.handle(job, token, () => this.#run(job, token, works[job.name], told));
    const worker = new Worker(backgroundQueue, work, {
      ...workerSettings,
      ...{ connection: client, prefix, concurrency },
      settings: { backoffStrategy: pauseAfterRun },
    });
    this.#worker = { worker, client };
    worker.on('error', onError);
    this.#runs.watch(worker);
    for (const [name, { everyMs }] of Object.entries(works)) {
      if (everyMs !== undefined) await this.request(name, '', everyMs);
    }
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#worker) {
      const { worker, client } = this.#worker;
      await this.#runs.close(worker, client, graceMs);
    }
    await this.#jobs.close();
  }

  async #run(
    job: Job<Errand>,
    token: string,
    work: BackgroundWork | undefined,
    told: BackgroundLog,
  ): Promise<void> {
    const run = { work: job.name, subject: job.data.subject, runs: job.attemptsMade + 1 };
    try {
      await this.#runs.run(job, token, async (signal) => {
        if (!work) throw new Error(`No work named “${job.name}” is known here.`);
        await work.run(job.data.subject, signal);
      });
      told.worked(run);
    } catch (error) {
      if (error instanceof WaitingError) throw error;
      told.failed(run, error);
      if (run.runs < mostRuns) throw error;
    }
    await this.#again(job, work);
  }

  /** Asked for while this run is under way, so that it is kept until this one has ended. */
  async #again(job: Job<Errand>, work: BackgroundWork | undefined): Promise<void> {
    if (work?.everyMs !== undefined && job.data.subject === '') {
      await this.request(job.name, '', work.everyMs);
    }
  }
}
