/** Handles failures of a turn's posts: refusals, outages, and posts that arrive after another process took over. */

import type { Log } from '../../../domain/log.ts';
import { type PresentedTurn, UndeliveredError } from '../../platform.ts';
import {
  PlatformRefusal,
  RateLimitedError,
  SetupError,
  UnansweredError,
} from '../pacing/platform-error.ts';

/**
 * What an error of a platform means. `closed`: nothing more can be posted here. `refused`: only this post is refused.
 * `away`: no answer, a retry may succeed. `shut out`: the bot is no longer authorised.
 */
type Failure = 'closed' | 'refused' | 'away' | 'shut out';

/** Classifies an error; `undefined` if it doesn't come from the platform. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof SetupError) return 'shut out';
  if (error instanceof UnansweredError || error instanceof RateLimitedError) return 'away';
  if (!(error instanceof PlatformRefusal)) return undefined;
  return error.closesPlace ? 'closed' : 'refused';
}

/** Tracks whether the posts of one turn succeed. */
export class TurnPosts {
  readonly #options: { readonly turnId: string; readonly log: Log };
  readonly #onUnshowable: (refusal: Error) => void;
  #missed: Error | undefined;
  /** Why nothing more can be posted, e.g. because the thread is gone or closed. */
  #closedBy: Error | undefined;
  /** The progress message can't be edited anymore. */
  #isProgressLost = false;
  /** See {@link PresentedTurn.isAlreadyShown}. */
  readonly isAlreadyShown: boolean;

  /** @param onUnshowable - Called at most once, when nothing more of the turn can be shown anywhere. */
  constructor(
    turnId: string,
    log: Log,
    isAlreadyShown = false,
    onUnshowable: (refusal: Error) => void = () => undefined,
  ) {
    this.#options = { turnId, log };
    this.isAlreadyShown = isAlreadyShown;
    this.#onUnshowable = onUnshowable;
  }

  get isUnshowable(): boolean {
    return this.#closedBy !== undefined && this.#isProgressLost;
  }

  /** The error of the first failed post; `undefined`: all succeeded. */
  get missed(): Error | undefined {
    return this.#missed;
  }

  /**
   * Posts unless the place is closed; then skips this and all later posts.
   *
   * @returns The result of `post`; `undefined` if nothing can be posted. Rejects with other errors of `post`.
   */
  async unlessLost<Result>(post: () => Promise<Result>): Promise<Result | undefined> {
    if (this.isAlreadyShown || this.#closedBy) return undefined;
    try {
      return await post();
    } catch (error) {
      if (!(error instanceof PlatformRefusal) || !error.closesPlace) throw error;
      this.#closedBy = error;
      this.miss(error);
      if (this.#isProgressLost) this.#onUnshowable(error);
      return undefined;
    }
  }

  /** Notes that an edit of the progress message failed. */
  missEdit(error: unknown): void {
    if (this.#isProgressLost || failureOf(error) !== 'closed') return;
    this.#isProgressLost = true;
    if (this.#closedBy) this.#onUnshowable(this.#closedBy);
  }

  /** Logs a post that failed, and notes it for the final message. */
  miss(error: unknown): void {
    const { turnId, log } = this.#options;
    const level = failureOf(error) === undefined ? 'error' : 'warn';
    log[level]({ turnId, error }, 'a message of the turn could not be shown');
    this.#missed ??= error instanceof Error ? error : new Error('unknown');
  }
}

/** How a platform's outages are waited out. */
export interface Outages {
  /** The platform's name for the log. */
  readonly platform: string;
  /** Waits before each retry while the platform doesn't answer. */
  readonly outageWaitsMs: readonly number[];
  /** Waits for about this time; rejects with the signal's reason. */
  backOff(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export interface OutlastOptions {
  readonly canvases: Outages;
  readonly log: Log;
  readonly turnId: string;
  readonly signal: AbortSignal;
}

/**
 * Repeats an attempt until the platform answers, through outages longer than the retries of a request.
 *
 * @param attempt - With `isAgain`, part of it may have been done, so long ago that the platform no longer recognises
 *   repeated posts: it has to search for them.
 * @throws The errors of `attempt`; {UndeliveredError} if no answer comes or the bot is not authorised.
 */
export async function outlast<Result>(
  attempt: (isAgain: boolean) => Promise<Result>,
  { canvases, log, turnId, signal }: OutlastOptions,
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

/** A turn held by this process; the checks throw once another process has taken it over. */
export type HeldTurn = Pick<
  PresentedTurn,
  'request' | 'isAlreadyShown' | 'assertHeld' | 'assertNotLost' | 'assertAwake'
>;

/**
 * Edits a post only while this process holds the turn. Checks again afterwards in case the process was suspended: the
 * edit may have overwritten that of another process. Throws the error of the failed check.
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

/** How a platform finds and deletes posts that arrived too late. */
export interface LatePosts<Sent, Answer> {
  readonly log: Log;
  /** Waits until a sent post must have arrived, if it ever does. */
  settle(): Promise<void>;
  /** Ids of the turn's posts with the same content as the one sent, oldest first. */
  same(sent: Sent): Promise<readonly string[]>;
  idOf(answer: Answer): string;
  remove(sent: Sent, id: string): Promise<void>;
}

/**
 * Posts only while this process holds the turn: checks right before, and again afterwards if the process was
 * suspended. If another process has posted the same meanwhile, the late post is deleted. Throws the error of the
 * failed check.
 */
export async function sayWhileHeld<Sent, Answer>(
  turn: HeldTurn,
  late: LatePosts<Sent, Answer>,
  sent: Sent,
  say: () => Promise<Answer>,
): Promise<Answer> {
  if (turn.isAlreadyShown) throw new Error('A turn that is already shown posts nothing more.');
  await turn.assertHeld();
  // Settled rather than awaited: a post without an answer may exist too.
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
