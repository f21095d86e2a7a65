import { setTimeout as wait } from 'node:timers/promises';
import { type Job, Queue as Jobs, WaitingError } from 'bullmq';
import type { Log } from '../../domain/log.ts';
import { partsOf } from '../../domain/thread-id.ts';
import { FailureLog } from '../failure-log.ts';
import {
  defaultTries,
  pauseAfter,
  type Queue,
  type QueuedTurn,
  type QueueStart,
} from '../queue.ts';
import { type DeadTurn, type Heartbeat, Inboxes } from './inboxes.ts';
import { type DrainJob, JobWorker } from './job-worker.ts';
import type { Client, Commands, QueueServer } from './server.ts';
import {
  adoptEveryMs,
  adoptingKey,
  deadKey,
  job,
  maxAdopted,
  maxAdoptionShare,
  maxEvents,
  maxStarts,
  prefix,
  worker as settings,
  threadsKey,
  turnsQueue,
} from './settings.ts';

export interface BullmqQueueOptions {
  readonly server: QueueServer;
  /** How many threads of a platform this process serves in parallel; at least 1. */
  readonly concurrency: number;
  /**
   * Lists up to `most` unfinished turns of all platforms, oldest first, including running ones. Called at the
   * start and periodically, to find turns whose process died before queuing them.
   */
  readonly unfinished: (most: number) => Promise<readonly QueuedTurn[]>;
  /** How often a turn that throws is tried; at least 1. Default 10. */
  readonly tries?: number;
  readonly log: Log;
  /** Receives BullMQ's errors. */
  readonly onError: (error: unknown) => void;
}

const idlePollMs = 50;

/** What `start` was given, and one of the workers it created. */
interface Runner extends QueueStart {
  readonly worker: JobWorker;
}

export class BullmqQueue implements Queue {
  readonly #options: BullmqQueueOptions;
  readonly #commands: Commands;
  readonly #inboxes: Inboxes;
  /** By platform. */
  readonly #jobs = new Map<string, Jobs<DrainJob>>();
  readonly #stopping = new AbortController();
  /** By platform. Empty: this process only adds. */
  readonly #workers = new Map<string, JobWorker>();
  #client: Client | undefined;

  constructor(options: BullmqQueueOptions, commands: Commands) {
    this.#options = options;
    this.#commands = commands;
    this.#inboxes = new Inboxes(commands);
  }

  /** Writes the heartbeat of this process. */
  beat(): Promise<Heartbeat> {
    return this.#inboxes.beat([...this.#workers.keys()]);
  }

  #jobsOf(platform: string): Jobs<DrainJob> {
    const known = this.#jobs.get(platform);
    if (known) return known;
    const jobs = new Jobs<DrainJob>(turnsQueue(platform), {
      connection: this.#commands.client,
      prefix,
      streams: { events: { maxLen: maxEvents } },
    });
    jobs.on('error', this.#options.onError);
    this.#jobs.set(platform, jobs);
    return jobs;
  }

  /** Queues stored turns that are in no inbox; those in an inbox keep their places. */
  async #adopt(): Promise<void> {
    // Dead turns are unfinished too, and may stay forever.
    const most = maxAdopted + (await this.#commands.send((client) => client.hlen(deadKey)));
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

  /** Adopts turns periodically, in one process at a time. */
  #keepAdopting(): void {
    const failures = new FailureLog(this.#options.log, 'searches for unfinished turns');
    const leaseMs = Math.ceil(adoptEveryMs * 0.9);
    let pauseMs: number = adoptEveryMs;
    const search = async () => {
      const isMine = await this.#commands.once((client) =>
        client.set(adoptingKey, '1', 'PX', leaseMs, 'NX'),
      );
      if (isMine === null) return false;
      const startedAt = performance.now();
      await this.#adopt();
      pauseMs = Math.max(adoptEveryMs, (performance.now() - startedAt) / maxAdoptionShare);
      return true;
    };
    void failures.repeat(() => pauseMs, search, this.#stopping.signal);
  }

  async add(turn: QueuedTurn, earlier: readonly string[] = []): Promise<void> {
    const position = await this.#inboxes.push(turn, earlier);
    if (position !== undefined) await this.#drain(turn.threadId, position);
  }

  /** Needed for known turns too: the process that pushed one may have died before adding its job. */
  async #drain(threadId: string, position: number): Promise<void> {
    const deduplication = { id: threadId, keepLastIfActive: true };
    const backoff = { type: 'custom' };
    const options = { ...job, deduplication, backoff, priority: position };
    const jobs = this.#jobsOf(partsOf(threadId).platform);
    await this.#commands.send(() => jobs.add('drain', { threadId }, options));
  }

  async start(start: QueueStart): Promise<void> {
    await this.#adopt();
    this.#keepAdopting();
    const { server, concurrency, log, onError } = this.#options;
    // Shutdown may come before the start is complete.
    if (this.#stopping.signal.aborted) return;
    const client = await server.connect(true);
    if (this.#stopping.signal.aborted) return client.disconnect();
    this.#client = client;
    for (const platform of start.platforms) {
      const worker: JobWorker = new JobWorker({
        queue: turnsQueue(platform),
        client,
        concurrency,
        log,
        onError,
        work: (job, token) => this.#work({ ...start, worker }, job, token),
      });
      this.#workers.set(platform, worker);
    }
  }

  /** Runs one turn per job: the first in its thread's inbox. */
  async #work(runner: Runner, job: Job<DrainJob>, token: string): Promise<void> {
    const { log } = this.#options;
    const { threadId } = job.data;
    const held = { id: job.id ?? '', token };
    const claimedAt = performance.now();
    const turnId = await this.#inboxes.claim(threadId, held, job.priority);
    if (turnId === undefined) return;
    // If the process was halted here, another may have the job by now; running would steal the turn from it.
    if (performance.now() - claimedAt > settings.lockDuration / 4)
      return runner.worker.delay(job, token);
    const turn = { turnId, threadId };
    log.info({ ...turn, starts: job.attemptsStarted }, 'turn taken from the queue');
    const died = await this.#runTurn(runner, job, token, turn);
    const dead = died && { threadId, ...died, starts: job.attemptsStarted, diedAt: Date.now() };
    const next = await this.#inboxes.settle(turn, held, dead);
    // Left to other processes, as the worker's log says.
    if (next === undefined) return;
    if (dead) await runner.onAbandoned?.(turn);
    if (next > 0) await this.#drain(threadId, next);
  }

  /**
   * @returns The reason, if the turn is dead.
   * @throws The run's error, to be retried; a `WaitingError` or `DelayedError` if the job goes back to the
   *   queue.
   */
  async #runTurn(
    { run, worker }: Runner,
    job: Job<DrainJob>,
    token: string,
    turn: QueuedTurn,
  ): Promise<Pick<DeadTurn, 'reason'> | undefined> {
    const { tries = defaultTries, log } = this.#options;
    if (job.attemptsStarted > maxStarts) {
      log.error(
        { ...turn, starts: job.attemptsStarted },
        'turn failed for good: it was started too often',
      );
      return { reason: `It was started ${maxStarts} times and never ended.` };
    }
    let outcome: 'ended' | 'left';
    try {
      outcome = await worker.run(job, token, (signal) => run(turn, signal));
    } catch (error) {
      if (error instanceof WaitingError) throw error;
      const tried = job.attemptsMade + 1;
      if (tried >= tries) {
        log.error({ ...turn, tried, error }, 'turn failed for good: it could not be run');
        return { reason: reasonOf(error) };
      }
      log.warn({ ...turn, tried, againInMs: pauseAfter(tried), error }, 'turn is retried');
      throw error;
    }
    if (outcome === 'left') await worker.delay(job, token);
    return undefined;
  }

  waiting(threadId: string): Promise<number> {
    return this.#inboxes.waiting(threadId);
  }

  async idle(): Promise<void> {
    const isBusy = () => [...this.#workers.values()].some((worker) => worker.isBusy);
    const openThreads = () => this.#commands.send((client) => client.zcard(threadsKey));
    while ((await openThreads()) > 0 || isBusy()) await wait(idlePollMs);
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop(graceMs)));
    this.#workers.clear();
    this.#client?.disconnect();
    await Promise.all([...this.#jobs.values()].map((jobs) => jobs.close()));
  }
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').slice(0, 500);
}
