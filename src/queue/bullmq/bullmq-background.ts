import { Queue as Jobs, WaitingError } from 'bullmq';
import type { Log } from '../../domain/log.ts';
import {
  type BackgroundJobs,
  type BackgroundWork,
  maxRuns,
  pauseAfterRun,
} from '../coordination.ts';
import { BackgroundLog } from '../failure-log.ts';
import { JobWorker } from './job-worker.ts';
import type { Commands, QueueServer } from './server.ts';
import { backgroundQueue, job as jobSettings, maxEvents, prefix } from './settings.ts';

interface WorkData {
  readonly subject: string;
}

interface BullmqBackgroundOptions {
  readonly server: QueueServer;
  readonly commands: Commands;
  readonly log: Log;
  /** Receives BullMQ's errors. */
  readonly onError: (error: unknown) => void;
}

/** How many runs one process does in parallel. */
const concurrency = 2;

/** Background work shared by all processes on a server; requests outlive the process that made them. */
export class BullmqBackground implements BackgroundJobs {
  readonly #options: BullmqBackgroundOptions;
  readonly #jobs: Jobs<WorkData>;
  #worker: JobWorker<WorkData> | undefined;

  constructor(options: BullmqBackgroundOptions) {
    const { commands, onError } = options;
    this.#options = options;
    this.#jobs = new Jobs(backgroundQueue, {
      ...{ connection: commands.client, prefix },
      streams: { events: { maxLen: maxEvents } },
    });
    this.#jobs.on('error', onError);
  }

  async request(work: string, subject: string, delayMs: number): Promise<void> {
    const id = JSON.stringify([work, subject]);
    const options = {
      ...jobSettings,
      attempts: maxRuns,
      backoff: { type: 'custom' },
      delay: delayMs,
      deduplication: { id, keepLastIfActive: true, reschedule: delayMs === 0 },
    };
    await this.#options.commands.send(() => this.#jobs.add(work, { subject }, options));
  }

  async start(works: Readonly<Record<string, BackgroundWork>>): Promise<void> {
    const { server, log, onError } = this.#options;
    const client = await server.connect(true);
    const runLog = new BackgroundLog(log);
    const worker = new JobWorker<WorkData>({
      ...{ queue: backgroundQueue, client, concurrency, pauseAfter: pauseAfterRun, log, onError },
      work: async (job, token) => {
        const { name, data, attemptsMade } = job;
        const work = works[name];
        const run = { work: name, subject: data.subject, runs: attemptsMade + 1 };
        try {
          await worker.run(job, token, async (signal) => {
            if (!work) throw new Error(`No work named “${name}” is known here.`);
            await work.run(data.subject, signal);
          });
          runLog.worked(name);
        } catch (error) {
          if (error instanceof WaitingError) throw error;
          runLog.failed(run, error);
          if (run.runs < maxRuns) throw error;
        }
        if (work?.everyMs === undefined || data.subject !== '') return;
        // Requested during this run, so BullMQ keeps the request until the run has ended.
        await this.request(name, '', work.everyMs);
      },
    });
    this.#worker = worker;
    for (const [name, { everyMs }] of Object.entries(works)) {
      if (everyMs !== undefined) await this.request(name, '', everyMs);
    }
  }

  async stop(graceMs: number): Promise<void> {
    await this.#worker?.stop(graceMs);
    await this.#jobs.close();
  }
}
