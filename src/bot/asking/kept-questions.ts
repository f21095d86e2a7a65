/** Stores accepted questions until their thread is open, so that none is lost if the process dies. */

import { setTimeout as wait } from 'node:timers/promises';
import { partsOf } from '../../domain/thread-id.ts';
import { type TurnRequest, turnRequestSchema } from '../../domain/turn.ts';
import { Notes, type Store } from '../../store/store.ts';
import { storedEventId } from '../places/turns-of-place.ts';

/** How long a question is stored. Later it is better asked again. */
const keptMs = 60 * 60 * 1000;
/** A longer wait means that the process is gone, because platforms want a command answered within 3 s. */
const defaultAbandonedAfterMs = 5000;
/** Resuming one takes a post and two writes. A process that needs longer is gone, too. */
const defaultTakenUpWithinMs = 15_000;
const pollMs = 1000;

export interface KeptQuestionsOptions {
  readonly store: Pick<Store, 'settings' | 'claim'>;
  /** After how long a stored question counts as abandoned. Default: 5 s. */
  readonly abandonedAfterMs?: number;
  /** How long an abandoned question is reserved for the process that resumes it. Default: 15 s. */
  readonly takenUpWithinMs?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type Question = Pick<TurnRequest, 'threadId' | 'eventId'>;

export class KeptQuestions {
  readonly #options: KeptQuestionsOptions;

  constructor(options: KeptQuestionsOptions) {
    this.#options = options;
  }

  /** Claims the question. `false`: another delivery of the event claimed it first. */
  claim(question: Question): Promise<boolean> {
    return this.#options.store.claim(`opening:${keyOf(question)}`, keptMs);
  }

  async keep(question: TurnRequest): Promise<void> {
    const notes = this.#notes(partsOf(question.threadId).platform);
    await notes.put({ [keyOf(question)]: question });
  }

  async forget(question: Question): Promise<void> {
    const notes = this.#notes(partsOf(question.threadId).platform);
    await notes.drop([keyOf(question)]);
  }

  /** @param revise - Returns what stays of each question of the platform. `undefined`: nothing. */
  async revise(
    platform: string,
    revise: (question: TurnRequest) => TurnRequest | undefined,
  ): Promise<void> {
    for (const question of await this.#read(platform)) {
      const left = revise(question);
      if (left === undefined) await this.forget(question);
      else if (left !== question) await this.keep(left);
    }
  }

  /**
   * Claims abandoned questions of a platform for the caller to resume. Waits until it can claim some of those
   * stored now. Empty: all of these are finished, also those that other processes had claimed.
   */
  async abandoned(platform: string): Promise<readonly TurnRequest[]> {
    const {
      store,
      abandonedAfterMs = defaultAbandonedAfterMs,
      takenUpWithinMs = defaultTakenUpWithinMs,
    } = this.#options;
    const found = await this.#read(platform);
    const known = new Set(found.map(({ turnId }) => turnId));
    const left = async () => (await this.#read(platform)).filter(({ turnId }) => known.has(turnId));
    if (found.length > 0) await wait(abandonedAfterMs, undefined, { ref: false });
    for (let questions = found; questions.length > 0; questions = await left()) {
      const claimed = new Set<string>();
      for (const question of await left()) {
        const isClaimed = await store.claim(`taking-up:${keyOf(question)}`, takenUpWithinMs);
        if (isClaimed) claimed.add(question.turnId);
      }
      // Their process may have finished meanwhile.
      const resumable = (await left()).filter(({ turnId }) => claimed.has(turnId));
      if (resumable.length > 0) return resumable;
      await wait(pollMs, undefined, { ref: false });
    }
    return [];
  }

  async #read(platform: string): Promise<readonly TurnRequest[]> {
    const kept = await this.#notes(platform).list();
    return Array.from(kept.values(), (value) => turnRequestSchema.parse(value));
  }

  #notes(platform: string): Notes {
    const { store, now } = this.#options;
    return new Notes(store.settings, `opening:${platform}`, { now, keptMs });
  }
}

function keyOf({ threadId, eventId }: Question): string {
  return storedEventId(threadId, eventId);
}
