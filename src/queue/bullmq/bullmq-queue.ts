import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Queue as Jobs } from 'bullmq';
import type { Log } from '../../domain/log.ts';
import { type Queue, type QueuedTurn, type TurnRunner, usualTries } from '../queue.ts';
import { LastingTrouble } from '../trouble-log.ts';
import type { Commands } from './commands.ts';
import { Inboxes } from './inboxes.ts';
import { adoptingChannel, prefix, turnsQueue } from './keys.ts';
import type { Client, QueueServer } from './server.ts';
import {
  eventsKept,
  job,
  mostAdopted,
  mostAdopting,
  mostUntold,
  usualAdoptEveryMs,
} from './settings.ts';
import { type DrainJob, TurnWorker } from './turn-worker.ts';

export interface BullmqQueueOptions {
  readonly server: QueueServer;
  /** Hears what is told on channels. */
  readonly subscriber: Client;
  /** How many threads this process serves at the same time; at least 1. */
  readonly concurrency: number;
  /**
   * Turns that have not ended, oldest first, running ones too, at most so many. Asked at the start and
   * every while, for those that their process was killed before it had queued them.
   */
  readonly unfinished: (most: number) => Promise<readonly QueuedTurn[]>;
  /** How often a turn is run that throws; at least 1. Default 10. */
  readonly tries?: number;
  /** How often unfinished turns are looked for, in milliseconds. Default 1500. */
  readonly adoptEveryMs?: number;
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
  readonly #adoption: Adoption;
  #worker: TurnWorker | undefined;
  #isStopping = false;

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
    const { subscriber, log, adoptEveryMs: everyMs = usualAdoptEveryMs } = options;
    this.#adoption = new Adoption({
      ...{ commands, subscriber, log, everyMs },
      adopt: () => this.#adopt(),
    });
  }

  async #adopt(): Promise<void> {
    // Those that were put aside have not ended either, and may stay for ever.
    const most = mostAdopted + (await this.#inboxes.deadTurns());
    const unfinished = await this.#options.unfinished(most);
    const threads = Map.groupBy(unfinished, ({ threadId }) => threadId);
    for (const turns of threads.values()) {
      const last = turns.at(-1);
      if (this.#isStopping || !last) return;
      await this.add(
        last,
        turns.slice(0, -1).map(({ turnId }) => turnId),
      );
    }
  }

  async add(turn: QueuedTurn, earlier: readonly string[] = []): Promise<void> {
    const place = await this.#inboxes.push(turn, earlier);
    if (place !== undefined) await this.#drain(turn.threadId, place);
  }

  /** Also after a turn that was known: who pushed it may have died before it asked for the draining. */
  async #drain(threadId: string, place: number): Promise<void> {
    const deduplication = { id: threadId, keepLastIfActive: true };
    const backoff = { type: 'custom' };
    const options = { ...job, deduplication, backoff, priority: place };
    await this.#commands.send(() => this.#jobs.add('drain', { threadId }, options));
  }

  async start(
    run: TurnRunner,
    onPutAside: (turn: QueuedTurn) => Promise<void> = async () => undefined,
  ): Promise<void> {
    await this.#adoption.start();
    const { server, concurrency, tries = usualTries, log, onError } = this.#options;
    // As a process that is asked to end before it has quite begun.
    if (this.#isStopping) return;
    const client = await server.connect(true);
    if (this.#isStopping) return client.disconnect();
    this.#worker = new TurnWorker({
      ...{ run, onPutAside, concurrency, tries, log, onError },
      inboxes: this.#inboxes,
      client,
      drain: (threadId, place) => this.#drain(threadId, place),
    });
  }

  waiting(threadId: string): Promise<number> {
    return this.#inboxes.waiting(threadId);
  }

  async idle(): Promise<void> {
    while ((await this.#inboxes.openThreads()) > 0 || this.#worker?.isBusy) await wait(idleLookMs);
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#adoption.stop();
    await this.#worker?.stop(graceMs);
    await this.#jobs.close();
  }
}

interface AdoptionOptions {
  readonly commands: Commands;
  /** Hears what is told on channels; takes no other commands. */
  readonly subscriber: Client;
  readonly log: Log;
  readonly everyMs: number;
  /** Adds all that is unfinished; what is in its inbox already stays where it is. */
  readonly adopt: () => Promise<void>;
}

/**
 * Queues, at the start and every while, what is in the store and in no inbox. The process that looks tells
 * the others when it will look again; they wait for a little longer, and ask the server nothing meanwhile.
 */
class Adoption {
  readonly #options: AdoptionOptions;
  readonly #end = new AbortController();
  readonly #process = randomUUID();
  /** When it is for this process to look, as `performance.now()` tells it. */
  #dueAt = 0;
  /** How many of the next looks are told to no one, since no other process listened. */
  #untold = 0;

  constructor(options: AdoptionOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { subscriber, log, everyMs, adopt } = this.#options;
    this.#dueAt = performance.now() + everyMs;
    const channel = adoptingChannel(subscriber);
    subscriber.on('message', (from, told: string) => from === channel && this.#hear(told));
    await subscriber.subscribe(channel);
    await adopt();
    const trouble = new LastingTrouble(log, 'searches for unfinished turns');
    const pauseMs = () => Math.min(everyMs, Math.max(0, this.#dueAt - performance.now()));
    void trouble.repeat(pauseMs, () => this.#look(), this.#end.signal);
  }

  stop(): void {
    this.#end.abort();
  }

  async #look(): Promise<boolean> {
    const { everyMs, adopt } = this.#options;
    const startedAt = performance.now();
    // Another process has looked meanwhile.
    if (startedAt < this.#dueAt) return false;
    this.#dueAt = startedAt + everyMs;
    await adopt();
    const pauseMs = Math.max(everyMs, (performance.now() - startedAt) / mostAdopting);
    // Another may have told of its own look meanwhile.
    this.#dueAt = Math.max(this.#dueAt, startedAt + pauseMs);
    await this.#tell(pauseMs);
    return true;
  }

  async #tell(pauseMs: number): Promise<void> {
    if (this.#untold > 0) {
      this.#untold -= 1;
      return;
    }
    const channel = adoptingChannel(this.#options.subscriber);
    const listening = await this.#options.commands.once((client) =>
      client.publish(channel, `${this.#process} ${Math.ceil(pauseMs)}`),
    );
    // A process that begins looks and tells of it, until it hears of another. A node of a cluster knows
    // its own listeners alone.
    const isAlone = listening === 1 && !this.#options.commands.client.isCluster;
    if (isAlone) this.#untold = mostUntold;
  }

  #hear(told: string): void {
    const [process, pauseMs] = told.split(' ');
    if (process === this.#process) return;
    this.#untold = 0;
    // Each waits for a time of its own, so that one alone takes over from one that died.
    const patienceMs = (this.#options.everyMs / 4) * (1 + Math.random());
    this.#dueAt = performance.now() + Number(pauseMs) + patienceMs;
  }
}
