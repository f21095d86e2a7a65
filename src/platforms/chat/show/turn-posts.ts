/** What becomes of the posts of a turn: refused, waited for while the platform is away, or come too late. */

import type { Log } from '../../../domain/log.ts';
import { type PresentedTurn, UndeliveredError } from '../../platform.ts';
import {
  PlatformRefusal,
  RateLimitedError,
  SetupError,
  UnansweredError,
} from '../pacing/platform-error.ts';

/**
 * What an error of a platform means: nothing more can be said in this place; this alone is refused;
 * nothing is answered, so it is tried again; the process is not let in any more.
 */
type Failure = 'closed' | 'refused' | 'away' | 'shut out';

/** @returns Nothing for an error that the platform has no part in. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof SetupError) return 'shut out';
  if (error instanceof UnansweredError || error instanceof RateLimitedError) return 'away';
  if (!(error instanceof PlatformRefusal)) return undefined;
  return error.closesPlace ? 'closed' : 'refused';
}

/** What becomes of the messages of one turn. */
export class TurnPosts {
  readonly #options: { readonly turnId: string; readonly log: Log };
  #missed: Error | undefined;
  /** Nothing more can be posted, e.g. because the channel or thread is gone or closed. */
  #isLost: boolean;
  /** As {@link PresentedTurn.isAlreadyShown}. */
  readonly isAlreadyShown: boolean;

  constructor(turnId: string, log: Log, isAlreadyShown = false) {
    this.#options = { turnId, log };
    this.isAlreadyShown = isAlreadyShown;
    this.#isLost = isAlreadyShown;
  }

  /** Why the first message that is missing is not there; absent: all are. */
  get missed(): Error | undefined {
    return this.#missed;
  }

  /**
   * Posts to the right place or not at all: once it is closed, all that follows is left out.
   *
   * @returns What `post` gives; `undefined` when nothing can be posted. Rejects as `post` does otherwise.
   */
  async unlessLost<Result>(post: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#isLost) return undefined;
    try {
      return await post();
    } catch (error) {
      if (failureOf(error) !== 'closed') throw error;
      this.#isLost = true;
      this.miss(error);
      return undefined;
    }
  }

  /** Something of the turn could not be shown: told in the log, and in the end to the people. */
  miss(error: unknown): void {
    const { turnId, log } = this.#options;
    const level = failureOf(error) === undefined ? 'error' : 'warn';
    log[level]({ turnId, error }, 'a message of the turn could not be shown');
    this.#missed ??= error instanceof Error ? error : new Error('unknown');
  }
}

/** How long a platform is waited for. */
export interface Outages {
  /** The platform's name for the log. */
  readonly platform: string;
  /** Waits before each further attempt while the platform is away. */
  readonly outageWaitsMs: readonly number[];
  /** Waits about so long; rejects with the signal's reason. */
  backOff(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** What a turn is told with, for as long as it takes. */
export interface Patience {
  readonly canvases: Outages;
  readonly log: Log;
  readonly turnId: string;
  readonly signal: AbortSignal;
}

/**
 * Attempts something until the platform answers, through an outage that is longer than a request is tried for.
 *
 * @param attempt - Told whether it was attempted before: then part of it may have been done, long enough
 *   ago for the platform to have forgotten what it took, so it has to look.
 * @throws What `attempt` throws, but {UndeliveredError} when no answer comes, or the bot is not let in.
 */
export async function outlast<Result>(
  attempt: (isAgain: boolean) => Promise<Result>,
  { canvases, log, turnId, signal }: Patience,
): Promise<Result> {
  for (let attempts = 0; ; attempts += 1) {
    try {
      return await attempt(attempts > 0);
    } catch (error) {
      const failure = signal.aborted ? undefined : failureOf(error);
      if (failure !== 'away' && failure !== 'shut out') throw error;
      const waitMs = failure === 'away' ? canvases.outageWaitsMs[attempts] : undefined;
      if (waitMs === undefined) {
        const reason = error instanceof Error ? error.message : 'The reason is unknown.';
        throw new UndeliveredError(`The turn’s messages could not be posted. ${reason}`, {
          cause: error,
        });
      }
      log.warn({ turnId, error }, `${canvases.platform} does not answer; the turn’s messages wait`);
      await canvases.backOff(waitMs, signal);
    }
  }
}

/** A turn of this process, asked around each request of it; throws once another process has taken it over. */
export type HeldTurn = Pick<
  PresentedTurn,
  'request' | 'isAlreadyShown' | 'assertHeld' | 'assertNotLost' | 'assertAwake'
>;

/**
 * Changes what was said only while the turn is this process's, and finds out right after a halt that it is not:
 * what was on its way then may have overwritten what another process shows. Throws what the turn is lost with.
 */
export async function changeWhileHeld<Answer>(
  turn: HeldTurn,
  change: () => Promise<Answer>,
): Promise<Answer> {
  await turn.assertNotLost();
  try {
    return await change();
  } finally {
    await turn.assertAwake();
  }
}

/** How a platform finds and deletes what was said too late. */
export interface LatePosts<Sent, Answer> {
  readonly log: Log;
  /** Waits until what was sent has arrived, if it ever does. */
  settle(): Promise<void>;
  /** Ids of what says the same in the turn as what was sent, oldest first. */
  same(sent: Sent): Promise<readonly string[]>;
  idOf(answer: Answer): string;
  remove(sent: Sent, id: string): Promise<void>;
}

/**
 * Says something only while the turn is this process's: asks right before, and after a halt once more. What
 * was on its way then may have arrived after another process said the same; it is deleted, unless it stands
 * alone. Throws what the turn is lost with.
 */
export async function sayWhileHeld<Sent, Answer>(
  turn: HeldTurn,
  late: LatePosts<Sent, Answer>,
  sent: Sent,
  say: () => Promise<Answer>,
): Promise<Answer> {
  if (turn.isAlreadyShown) throw new Error('A turn that was told to its end says nothing more.');
  await turn.assertHeld();
  // Also where no answer came: what was sent may be there.
  const [said] = await Promise.allSettled([say()]);
  try {
    await turn.assertAwake();
  } catch (error) {
    await takeBack(late, sent, said).catch((failure: unknown) => {
      const { turnId } = turn.request;
      const sentence = 'a message posted twice after a halt could not be deleted';
      late.log.warn({ turnId, error: failure }, sentence);
    });
    throw error;
  }
  if (said.status === 'rejected') throw said.reason;
  return said.value;
}

async function takeBack<Sent, Answer>(
  late: LatePosts<Sent, Answer>,
  sent: Sent,
  said: PromiseSettledResult<Answer>,
): Promise<void> {
  await late.settle();
  const same = await late.same(sent);
  const [, later] = same;
  const own = said.status === 'fulfilled' ? late.idOf(said.value) : later;
  if (own !== undefined && same.some((id) => id !== own)) await late.remove(sent, own);
}
