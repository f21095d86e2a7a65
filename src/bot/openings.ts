/** Places for questions that are asked and not answered yet; counted over all processes. */

import type { TurnRequest } from '../council/council.ts';
import type { Quotas } from '../queue/quotas.ts';
import { heldForThread, heldForUser, type QuestionLimits } from './complaints.ts';

/** Until the turn is stored; so long a process that dies before keeps a place from others. */
const askingMs = 60_000;
/** A turn that is stored is run to its end, which gives its place back; this is for what nobody foresees. */
const openMs = 86_400_000;

export class Openings {
  readonly #quotas: Quotas;
  readonly #limits: QuestionLimits;

  constructor(quotas: Quotas, limits: QuestionLimits) {
    this.#quotas = quotas;
    this.#limits = limits;
  }

  /** @returns The refusal, for people; `undefined` when there is a place. */
  async take({ turnId, threadId, author }: TurnRequest): Promise<string | undefined> {
    const { maxQueuedTurnsPerUser, maxQueuedTurnsPerThread } = this.#limits;
    const [platform = ''] = threadId.split(':');
    const user = `open:user:${platform}:${author.id}`;
    const taken = await this.#quotas.take(
      turnId,
      [
        { name: user, amount: 1, limit: maxQueuedTurnsPerUser },
        { name: `open:thread:${threadId}`, amount: 1, limit: maxQueuedTurnsPerThread },
      ],
      askingMs,
    );
    if (taken.status === 'taken') return undefined;
    return taken.name === user ? heldForUser(this.#limits) : heldForThread(this.#limits);
  }

  /** Holds the place, and what was set aside for the turn, until it has ended. */
  keep(turnId: string): Promise<void> {
    return this.#quotas.keep(turnId, openMs);
  }

  /** The turn has ended, or never was: all that it held is free. */
  release(turnId: string): Promise<void> {
    return this.#quotas.release(turnId);
  }
}
