/** The inboxes: which turns of a thread wait, first of them the one that runs; and the queue as an operator sees it. */

import { Queue as Jobs } from 'bullmq';
import { z } from 'zod';
import type { QueuedTurn } from '../queue.ts';
import { Commands, queueScripts } from './commands.ts';
import { type Client, QueueServer } from './server.ts';
import {
  clockKey,
  deadKey,
  inboxKey,
  lastPosition,
  lockKey,
  prefix,
  shareOf,
  threadsKey,
  turnsQueue,
  waitingKey,
} from './settings.ts';

/** A turn that was put aside, and why. */
export interface DeadTurn extends QueuedTurn {
  /** What the last run threw, in one line. */
  readonly reason: string;
  /** How often it was begun. */
  readonly starts: number;
  /** Milliseconds since 1970. */
  readonly diedAt: number;
}

/** The job of a thread, and the token of the worker that has it. */
interface HeldJob {
  readonly id: string;
  readonly token: string;
}

/** Kept of a dead turn. */
const deadSchema = z.object({
  threadId: z.string(),
  reason: z.string(),
  starts: z.number(),
  diedAt: z.number(),
});

const script = queueScripts('inbox');

const placeSchema = z.number().nullable();

export class Inboxes {
  readonly #commands: Commands;

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  /**
   * Puts turns at the end of their thread's inbox, where they may be already. Those that are dead are
   * left so.
   *
   * @param earlier - Turns of its thread that come before it.
   * @param from - `dead`: it is taken from there.
   * @returns The position among all that wait; `undefined` for a turn that is dead and is left so, or
   *   that was to come from the dead and is not there.
   */
  async push(
    { turnId, threadId }: QueuedTurn,
    earlier: readonly string[] = [],
    from?: 'dead',
  ): Promise<number | undefined> {
    const { workspace, channel } = shareOf(threadId);
    const flag = from === 'dead' ? '1' : '';
    const position = [String(Date.now()), workspace, channel, String(lastPosition)];
    const keys = [inboxKey(threadId), threadsKey, deadKey, clockKey, waitingKey];
    const values = [threadId, ...position, flag, ...earlier, turnId];
    return this.#position(await this.#commands.run(script('push'), keys, values));
  }

  /**
   * The first turn of a thread.
   *
   * @param position - Which the thread had among all that waited.
   * @returns The turn's id; `undefined` when there is none, or the caller no longer holds the job.
   */
  async claim(threadId: string, job: HeldJob, position: number): Promise<string | undefined> {
    const keys = [inboxKey(threadId), threadsKey, lockKey(job.id), clockKey];
    const values = [threadId, job.token, String(position)];
    const reply = await this.#commands.run(script('claim'), keys, values);
    return z.string().nullable().parse(reply) ?? undefined;
  }

  /**
   * Takes out a turn that has ended.
   *
   * @param dead - Given: it goes to the dead.
   * @returns The position of the thread's next turn, 0 when there is none; `undefined` when the caller no
   *   longer holds the job, and nothing was changed.
   */
  async settle(
    { turnId, threadId }: QueuedTurn,
    job: HeldJob,
    dead?: z.infer<typeof deadSchema>,
  ): Promise<number | undefined> {
    const { workspace, channel } = shareOf(threadId);
    const keys = [inboxKey(threadId), threadsKey, lockKey(job.id), deadKey, clockKey, waitingKey];
    const kept = dead === undefined ? '' : JSON.stringify(dead);
    const values = [threadId, job.token, turnId, workspace, channel, String(lastPosition), kept];
    return this.#position(await this.#commands.run(script('settle'), keys, values));
  }

  /** How many turns of a thread wait, the one that runs among them. */
  waiting(threadId: string): Promise<number> {
    return this.#commands.send((client) => client.llen(inboxKey(threadId)));
  }

  /** How many threads have turns that wait or run. */
  openThreads(): Promise<number> {
    return this.#commands.send((client) => client.zcard(threadsKey));
  }

  /** How many turns were put aside. */
  deadTurns(): Promise<number> {
    return this.#commands.send((client) => client.hlen(deadKey));
  }

  #position(reply: unknown): number | undefined {
    return placeSchema.parse(reply) ?? undefined;
  }
}

/** A thread whose turns wait or run. */
interface OpenThread {
  readonly threadId: string;
  /** In their order; the first one runs, or is next. */
  readonly turnIds: readonly string[];
  /** Since when the thread has had turns that wait or run, in milliseconds since 1970. */
  readonly openSince: number;
}

/** What is in the queue at a moment. */
export interface QueueView {
  /** How many turns are being run. */
  readonly running: number;
  /** How many wait for a pause to end, after a run that threw. */
  readonly pausing: number;
  /** How many others wait. */
  readonly waiting: number;
  readonly dead: number;
  /** The oldest first, at most as many as asked for. */
  readonly threads: readonly OpenThread[];
  readonly threadCount: number;
}

export class QueueAdmin {
  readonly #server: QueueServer;
  readonly #client: Client;
  readonly #jobs: Jobs;
  readonly #inboxes: Inboxes;

  private constructor(server: QueueServer, client: Client) {
    this.#server = server;
    this.#client = client;
    this.#inboxes = new Inboxes(
      // It is told by what is thrown.
      new Commands(client, () => true),
    );
    this.#jobs = new Jobs(turnsQueue, { connection: client, prefix });
  }

  /** @throws What the server, or the way to it, said. */
  static async open(url: string): Promise<QueueAdmin> {
    const server = new QueueServer(url);
    return new QueueAdmin(server, await server.connect(false));
  }

  /** @param most - How many threads are shown; the turns of all are counted. */
  async look(most: number): Promise<QueueView> {
    const [{ active = 0, delayed = 0 }, scored, dead] = await Promise.all([
      this.#jobs.getJobCounts('active', 'delayed'),
      this.#client.zrange(threadsKey, 0, -1, 'WITHSCORES'),
      this.#client.hlen(deadKey),
    ]);
    // Threads and their times come in turn.
    const open = scored.flatMap((threadId, at) =>
      at % 2 === 0 ? [{ threadId, openSince: Number(scored[at + 1]) }] : [],
    );
    const lengths = await Promise.all(open.map(({ threadId }) => this.#inboxes.waiting(threadId)));
    const all = lengths.reduce((sum, length) => sum + length, 0);
    const threads = await Promise.all(
      open.slice(0, most).map(async (thread) => ({
        ...thread,
        turnIds: await this.#client.lrange(inboxKey(thread.threadId), 0, -1),
      })),
    );
    const waiting = Math.max(0, all - active - delayed);
    return { running: active, pausing: delayed, waiting, dead, threads, threadCount: open.length };
  }

  /** Turns that were put aside, the latest first. */
  async dead(): Promise<readonly DeadTurn[]> {
    const kept = await this.#client.hgetall(deadKey);
    return Object.entries(kept)
      .map(([turnId, text]) => ({ turnId, ...deadSchema.parse(JSON.parse(text)) }))
      .toSorted((one, other) => other.diedAt - one.diedAt);
  }

  /**
   * Puts a turn that was put aside at the end of its thread's inbox again.
   *
   * @param add - Asks for it to be run.
   * @returns Whether it was still there.
   */
  async revive(turn: QueuedTurn, add: (turn: QueuedTurn) => Promise<void>): Promise<boolean> {
    const position = await this.#inboxes.push(turn, [], 'dead');
    if (position === undefined) return false;
    await add(turn);
    return true;
  }

  /** @returns Whether it was still there. */
  async forget(turnId: string): Promise<boolean> {
    return (await this.#client.hdel(deadKey, turnId)) > 0;
  }

  async close(): Promise<void> {
    await this.#jobs.close();
    this.#server.close();
  }
}
