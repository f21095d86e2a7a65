/** The queue in Redis as an operator sees it. */

import { Queue as Jobs } from 'bullmq';
import type { QueuedTurn } from '../queue.ts';
import { Commands } from './commands.ts';
import { type DeadTurn, deadSchema, Inboxes } from './inboxes.ts';
import { type Client, QueueServer } from './server.ts';
import { deadKey, inboxKey, prefix, threadsKey, turnsQueue } from './settings.ts';

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
