/** A platform that notes when each call arrives, and answers after a while. */

import type { CallKind, Destination } from '../../../../src/platforms/chat/pacing/call-ledger.ts';
import { RateLimitedError } from '../../../../src/platforms/chat/pacing/platform-error.ts';

/** What the platform answers with when a call is one too many. */
export class TooMany extends RateLimitedError {
  constructor(limited: { readonly retryAfterMs: number; readonly isGlobal: boolean }) {
    super('Too many requests.', limited);
  }
}

export interface RecordedCall {
  readonly kind: CallKind;
  readonly destination: Destination;
  readonly what: unknown;
  readonly startedAt: number;
  endedAt: number;
  error?: unknown;
}

/** How one call is answered: after how long, and with which error if any. */
export interface Answer {
  readonly afterMs?: number;
  readonly error?: unknown;
}

export class RecordedCalls {
  readonly calls: RecordedCall[] = [];
  /** For the calls to come; then all succeed at once. */
  readonly answers: Answer[] = [];

  /** Makes a call of the kind that a post or an edit of this destination is. */
  async call(
    kind: Exclude<CallKind, 'webhook_post'>,
    destination: Destination,
    what: unknown,
    answer: Answer = this.answers.shift() ?? {},
  ): Promise<void> {
    const recorded: RecordedCall = {
      kind: kindAt(destination, kind),
      destination,
      what,
      startedAt: performance.now(),
      endedAt: Infinity,
    };
    this.calls.push(recorded);
    if (answer.afterMs) await new Promise((resolve) => setTimeout(resolve, answer.afterMs));
    recorded.endedAt = performance.now();
    if (answer.error !== undefined) {
      recorded.error = answer.error;
      throw answer.error;
    }
  }

  /** What was made, in order, without what was refused. */
  get made(): readonly unknown[] {
    return this.calls.filter(({ error }) => error === undefined).map(({ what }) => what);
  }

  /** When each call began, in ms since the first. */
  get times(): readonly number[] {
    const [first] = this.calls;
    return this.calls.map(({ startedAt }) => startedAt - (first?.startedAt ?? 0));
  }
}

function kindAt({ webhook }: Destination, kind: CallKind): CallKind {
  return webhook !== undefined && kind === 'post' ? 'webhook_post' : kind;
}
