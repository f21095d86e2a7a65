/** Questions that were taken and whose thread is not open yet, so that a process that dies in between loses none. */

import { setTimeout as wait } from 'node:timers/promises';
import { type TurnRequest, turnRequestSchema } from '../council/council.ts';
import type { Store } from '../store/store.ts';

/** A question that nobody could open a thread for in so long a time is better asked again. */
const keptMs = 60 * 60 * 1000;
/** Platforms want a command answered within 3 s; whoever kept a question longer ago is gone. */
const usualAbandonedAfterMs = 5000;

export interface KeptQuestionsOptions {
  readonly store: Pick<Store, 'settings' | 'claim'>;
  /** How long ago a question was kept that no process is at work on any more; absent: 5 s. */
  readonly abandonedAfterMs?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type Question = Pick<TurnRequest, 'threadId' | 'eventId'>;

export class KeptQuestions {
  readonly #options: KeptQuestionsOptions;

  constructor(options: KeptQuestionsOptions) {
    this.#options = options;
  }

  /** Whether the question is the caller's to take: an event that is delivered again is somebody else's. */
  claim(question: Question): Promise<boolean> {
    return this.#options.store.claim(`opening:${nameOf(question)}`, keptMs);
  }

  async keep(question: TurnRequest): Promise<void> {
    const { store, now } = this.#options;
    const by = { setBy: 'opening', setAt: now(), expiresAt: now() + keptMs };
    await store.settings.write(scopeOf(question), { [nameOf(question)]: question }, by);
  }

  async forget(question: Question): Promise<void> {
    const { store, now } = this.#options;
    const by = { setBy: 'opening', setAt: now() };
    await store.settings.write(scopeOf(question), { [nameOf(question)]: null }, by);
  }

  /** Lets go of those of a platform that are meant. */
  async drop(platform: string, isMeant: (question: TurnRequest) => boolean): Promise<void> {
    for (const question of (await this.#read(platform)).filter(isMeant))
      await this.forget(question);
  }

  /** Those of a platform that nobody is at work on; waits until that is certain of all that are kept now. */
  async abandoned(platform: string): Promise<readonly TurnRequest[]> {
    const { abandonedAfterMs = usualAbandonedAfterMs } = this.#options;
    const found = await this.#read(platform);
    if (found.length === 0) return [];
    await wait(abandonedAfterMs, undefined, { ref: false });
    const known = new Set(found.map(({ turnId }) => turnId));
    return (await this.#read(platform)).filter(({ turnId }) => known.has(turnId));
  }

  async #read(platform: string): Promise<readonly TurnRequest[]> {
    const [kept = {}] = await this.#options.store.settings.read([`opening:${platform}`]);
    return Object.values(kept).map(({ value }) => turnRequestSchema.parse(value));
  }
}

function scopeOf({ threadId }: Question): string {
  const [platform = ''] = threadId.split(':');
  return `opening:${platform}`;
}

/** Platforms give ids that are unique in a workspace. */
function nameOf({ threadId, eventId }: Question): string {
  return `${threadId.split(':', 2).join(':')}:${eventId}`;
}
