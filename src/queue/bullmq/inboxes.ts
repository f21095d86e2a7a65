/** The inbox of each thread: its waiting turns in order, starting with the one that is running or next. */

import { z } from 'zod';
import { partsOf } from '../../domain/thread-id.ts';
import type { QueuedTurn } from '../queue.ts';
import { type Commands, evaluate, queueScripts } from './server.ts';
import {
  clockKey,
  deadKey,
  heartbeatKey,
  inboxKey,
  lastPosition,
  lockKey,
  queuesPrefix,
  silentAfterS,
  threadsKey,
  waitingKey,
} from './settings.ts';

/** What the dead list keeps of an abandoned turn, by its id. */
export const deadSchema = z.object({
  threadId: z.string(),
  /** The error of the last run, in one line. */
  reason: z.string(),
  /** How often it was started. */
  starts: z.number(),
  /** Milliseconds since 1970. */
  diedAt: z.number(),
});

/** A turn on the dead list. */
export type DeadTurn = QueuedTurn & Readonly<z.infer<typeof deadSchema>>;

/** A thread's job and the token of the worker that has it. */
interface HeldJob {
  readonly id: string;
  readonly token: string;
}

const script = queueScripts('inbox');

const positionSchema = z
  .number()
  .nullable()
  .transform((position) => position ?? undefined);

const heartbeatSchema = z.tuple([z.string(), z.array(z.string())]);
/** Since when the server has kept its data, and the platforms with queued turns that no process runs. */
export type Heartbeat = z.infer<typeof heartbeatSchema>;

export class Inboxes {
  readonly #commands: Commands;

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  /**
   * Appends a turn and earlier ones to their thread's inbox, except those already in it or dead.
   *
   * @returns The thread's position among all that wait; `undefined` if none of its turns waits.
   */
  async push(
    { turnId, threadId }: QueuedTurn,
    earlier: readonly string[] = [],
  ): Promise<number | undefined> {
    const { platform, workspace, channel } = partsOf(threadId);
    const position = [String(Date.now()), workspace, channel, String(lastPosition)];
    const fair = [clockKey(platform), waitingKey(platform)];
    const keys = [inboxKey(threadId), threadsKey, deadKey, ...fair, heartbeatKey];
    const values = [threadId, ...position, platform, ...earlier, turnId];
    return positionSchema.parse(await this.#commands.run(script('push'), keys, values));
  }

  /**
   * Gets the first turn of a thread.
   *
   * @param position - The thread's position when it was queued.
   * @returns The turn's id; `undefined` if there is none or the caller has lost the job.
   */
  async claim(threadId: string, job: HeldJob, position: number): Promise<string | undefined> {
    const { platform } = partsOf(threadId);
    const keys = [inboxKey(threadId), threadsKey, lockKey(platform, job.id), clockKey(platform)];
    const values = [threadId, job.token, String(position)];
    const reply = await this.#commands.run(script('claim'), keys, values);
    return z.string().nullable().parse(reply) ?? undefined;
  }

  /**
   * Removes a turn that has ended.
   *
   * @param dead - If given, moves the turn to the dead list.
   * @returns The position of the thread's next turn, 0 if there is none; `undefined` if the caller has lost
   *   the job, in which case nothing changes.
   */
  async settle(
    { turnId, threadId }: QueuedTurn,
    job: HeldJob,
    dead?: z.infer<typeof deadSchema>,
  ): Promise<number | undefined> {
    const { platform, workspace, channel } = partsOf(threadId);
    const fair = [clockKey(platform), waitingKey(platform)];
    const keys = [inboxKey(threadId), threadsKey, lockKey(platform, job.id), deadKey, ...fair];
    const kept = dead === undefined ? '' : JSON.stringify(dead);
    const values = [threadId, job.token, turnId, workspace, channel, String(lastPosition), kept];
    return positionSchema.parse(await this.#commands.run(script('settle'), keys, values));
  }

  /**
   * Writes the heartbeat of a process.
   *
   * @param platforms - Those whose turns it runs.
   */
  async beat(platforms: readonly string[]): Promise<Heartbeat> {
    // A process that runs none writes an empty name, to find out whether the server accepts writes.
    const names = platforms.length > 0 ? platforms : [''];
    const values = [String(silentAfterS), queuesPrefix, ...names];
    const reply = await this.#commands.once((client) =>
      evaluate(client, script('beat'), [heartbeatKey], values),
    );
    return heartbeatSchema.parse(reply);
  }

  /** The number of waiting turns of a thread, including the running one. */
  waiting(threadId: string): Promise<number> {
    return this.#commands.send((client) => client.llen(inboxKey(threadId)));
  }
}
