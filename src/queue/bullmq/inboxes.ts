/** The inboxes: which turns of a thread wait, first of them the one that runs. */

import { z } from 'zod';
import type { QueuedTurn } from '../queue.ts';
import { type Commands, queueScripts } from './commands.ts';
import {
  clockKey,
  deadKey,
  inboxKey,
  lastPosition,
  lockKey,
  shareOf,
  threadsKey,
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
export const deadSchema = z.object({
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
