/** Questions that are taken and have no thread yet, kept so that a process that dies in between loses none. */

import { setTimeout as wait } from 'node:timers/promises';
import { partsOf } from '../../domain/thread-id.ts';
import { type TurnRequest, turnRequestSchema } from '../../domain/turn.ts';
import { Notes, type Store } from '../../store/store.ts';
import { storedEventId } from '../places/turns-of-place.ts';

/** A question that has had no thread for this long is better asked again. */
const keptMs = 60 * 60 * 1000;
/** Platforms want a command answered within 3 s: a process that kept a question longer ago is gone. */
const usualAbandonedAfterMs = 5000;
/** Taking one up is a post and two writes: a process that is not done by then is gone as well. */
const usualTakenUpWithinMs = 15_000;
const lookAgainMs = 1000;

export interface KeptQuestionsOptions {
  readonly store: Pick<Store, 'settings' | 'claim'>;
  /** After how long a kept question counts as abandoned; absent: 5 s. */
  readonly abandonedAfterMs?: number;
  /** How long an abandoned question is reserved for the process that takes it up; absent: 15 s. */
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

  /** Whether the question is the caller's to take; `false` where another delivery of the event has it. */
  claim(question: Question): Promise<boolean> {
    return this.#options.store.claim(
      `opening:${storedEventId(question.threadId, question.eventId)}`,
      keptMs,
    );
  }

  async keep(question: TurnRequest): Promise<void> {
    const notes = this.#notes(partsOf(question.threadId).platform);
    await notes.put({ [storedEventId(question.threadId, question.eventId)]: question });
  }

  async forget(question: Question): Promise<void> {
    const notes = this.#notes(partsOf(question.threadId).platform);
    await notes.drop([storedEventId(question.threadId, question.eventId)]);
  }

  /** @param revise - Of each question of a platform, what stays of it; nothing: it is forgotten. */
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
   * The questions of a platform that no process is at work on; from now on they are the caller's to take up.
   * Waits until that is certain of all that are kept now, also for a process that takes some of them up.
   */
  async abandoned(platform: string): Promise<readonly TurnRequest[]> {
    const { abandonedAfterMs = usualAbandonedAfterMs } = this.#options;
    const found = await this.#read(platform);
    const known = new Set(found.map(({ turnId }) => turnId));
    const left = async () => (await this.#read(platform)).filter(({ turnId }) => known.has(turnId));
    if (found.length > 0) await wait(abandonedAfterMs, undefined, { ref: false });
    for (let questions = found; questions.length > 0; questions = await left()) {
      const claimed = await this.#takeUp(await left());
      // The process that had it may have finished while it was claimed.
      const mine = claimed.size > 0 ? await left() : [];
      const taken = mine.filter(({ turnId }) => claimed.has(turnId));
      if (taken.length > 0) return taken;
      await wait(lookAgainMs, undefined, { ref: false });
    }
    return [];
  }

  /** @returns The turns of those that no other process takes up. */
  async #takeUp(questions: readonly TurnRequest[]): Promise<ReadonlySet<string>> {
    const { store, takenUpWithinMs = usualTakenUpWithinMs } = this.#options;
    const claimed = new Set<string>();
    for (const question of questions) {
      if (
        await store.claim(
          `taking-up:${storedEventId(question.threadId, question.eventId)}`,
          takenUpWithinMs,
        )
      ) {
        claimed.add(question.turnId);
      }
    }
    return claimed;
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
