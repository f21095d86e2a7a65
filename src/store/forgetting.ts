/** How a store forgets: what somebody wants gone, with all that was made of it. */

/**
 * What is to be forgotten of one thread, at most 100 turns, messages and events together. What is not
 * there is passed over.
 */
export interface ForgetRequest {
  readonly threadId: string;
  /** Whole turn groups, whatever their status: question, answers, steps, usage. */
  readonly turnIds: readonly string[];
  /** The message of a turn takes its whole turn with it, whose other texts quote it; an imported one goes alone. */
  readonly messageIds: readonly string[];
  /** Events of the thread's workspace that are to make no turn any more; a turn that one has made stays. */
  readonly eventIds?: readonly string[];
}

/** What has gone. */
export interface Forgotten {
  readonly turns: number;
  /** Those of the turns included. */
  readonly messages: number;
  /** What was made of any of these messages, superseded or not. */
  readonly shards: number;
}

/** How much one call may name. */
export const mostForgotten = 100;

/**
 * How long the event of a turn that was forgotten is known, in milliseconds: no platform delivers one
 * again later than that.
 */
export const forgottenKnownMs = 86_400_000;

/** Some of the threads of a place. */
export interface ThreadPage {
  readonly threadIds: readonly string[];
  /** To be given for the next page, also when the threads of this one are gone by then; absent: this was the last. */
  readonly next?: string;
}

/** Throws a RangeError for a request that names more than {@link mostForgotten}. */
export function assertForgettable({ turnIds, messageIds, eventIds = [] }: ForgetRequest): void {
  const named = turnIds.length + messageIds.length + eventIds.length;
  if (named <= mostForgotten) return;
  throw new RangeError(
    `${named} turns, messages and events are to be forgotten at once. Name at most ${mostForgotten}.`,
  );
}
