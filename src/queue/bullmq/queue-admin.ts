/** Lets an operator inspect the queue, and retry or drop abandoned turns. */

import { Queue as Jobs } from 'bullmq';
import { partsOf } from '../../domain/thread-id.ts';
import { pairsOf } from '../../store/redis/commands.ts';
import { type DeadTurn, deadSchema, Inboxes } from './inboxes.ts';
import { type Client, Commands, QueueServer } from './server.ts';
import { deadKey, inboxKey, prefix, threadsKey, turnsQueue } from './settings.ts';

/** A thread with waiting or running turns. */
interface OpenThread {
  readonly threadId: string;
  /** In order; the first is running or next. */
  readonly turnIds: readonly string[];
  /** When the thread last turned from idle to busy, in milliseconds since 1970. That turn may have ended since. */
  readonly openSince: number;
}

/** A snapshot of the queue. */
export interface QueueView {
  /** The number of running turns. */
  readonly running: number;
  /** The number of turns pausing before a retry. */
  readonly pausing: number;
  /** The number of other waiting turns. */
  readonly waiting: number;
  readonly dead: number;
  /** Platforms whose turns wait and that no running process can post on. */
  readonly unserved: readonly string[];
  /** Oldest first, up to the requested number. */
  readonly threads: readonly OpenThread[];
  readonly threadCount: number;
}

export class QueueAdmin {
  readonly #server: QueueServer;
  readonly #client: Client;
  readonly #inboxes: Inboxes;

  private constructor(server: QueueServer, client: Client) {
    this.#server = server;
    this.#client = client;
    // Callers see the thrown error, so nothing needs logging.
    this.#inboxes = new Inboxes(new Commands(client, () => true));
  }

  /** @throws The connection's error or the server's reply. */
  static async open(url: string): Promise<QueueAdmin> {
    const server = new QueueServer(url);
    return new QueueAdmin(server, await server.connect(false));
  }

  /** @param most - How many threads to list; the counts include all. */
  async view(most: number): Promise<QueueView> {
    const [scored, dead, [, unserved]] = await Promise.all([
      this.#client.zrange(threadsKey, 0, -1, 'WITHSCORES'),
      this.#client.hlen(deadKey),
      this.#inboxes.beat([]),
    ]);
    const open = pairsOf(scored).map(([threadId, since]) => ({
      threadId,
      openSince: Number(since),
    }));
    const platforms = new Set(open.map(({ threadId }) => partsOf(threadId).platform));
    const [running, pausing] = await this.#jobsOf(platforms);
    const lengths = await Promise.all(open.map(({ threadId }) => this.#inboxes.waiting(threadId)));
    const all = lengths.reduce((sum, length) => sum + length, 0);
    const threads = await Promise.all(
      open.slice(0, most).map(async (thread) => ({
        ...thread,
        turnIds: await this.#client.lrange(inboxKey(thread.threadId), 0, -1),
      })),
    );
    const waiting = Math.max(0, all - running - pausing);
    const threadCount = open.length;
    return { running, pausing, waiting, dead, unserved, threads, threadCount };
  }

  /** The numbers of running and pausing jobs. */
  async #jobsOf(platforms: Iterable<string>): Promise<readonly [number, number]> {
    let [running, pausing] = [0, 0];
    for (const platform of platforms) {
      const jobs = new Jobs(turnsQueue(platform), { connection: this.#client, prefix });
      const { active = 0, delayed = 0 } = await jobs.getJobCounts('active', 'delayed');
      await jobs.close();
      running += active;
      pausing += delayed;
    }
    return [running, pausing];
  }

  /** The dead list, latest first. */
  async dead(): Promise<readonly DeadTurn[]> {
    const kept = await this.#client.hgetall(deadKey);
    return Object.entries(kept)
      .map(([turnId, text]) => ({ turnId, ...deadSchema.parse(JSON.parse(text)) }))
      .toSorted((one, other) => other.diedAt - one.diedAt);
  }

  /** Removes a turn from the dead list. @returns Whether it was there. */
  async drop(turnId: string): Promise<boolean> {
    return (await this.#client.hdel(deadKey, turnId)) > 0;
  }

  async close(): Promise<void> {
    this.#server.close();
  }
}
