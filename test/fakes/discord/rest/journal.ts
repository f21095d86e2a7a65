/** One REST request of the bot, and what became of it. */
export interface RecordedCall {
  /** E.g. `POST /channels/{channel_id}/messages`; the bare path when no route serves it. */
  readonly route: string;
  /** The path as it was asked for, with its query. */
  readonly path: string;
  /** The JSON body; `undefined` when there was none. */
  readonly body: unknown;
  readonly fileNames: readonly string[];
  /** When it came: milliseconds since the epoch by the fake's clock. */
  readonly atMs: number;
  /** What was answered; `undefined` while it is worked on, and when the answer was withheld. */
  status: number | undefined;
  /** The body of the answer. */
  answer: unknown;
  /** Which limit a 429 came from. */
  limitedBy: 'user' | 'shared' | 'global' | undefined;
}

/** Everything that the bot asked over REST, oldest first. */
export interface Journal {
  readonly calls: readonly RecordedCall[];
  open(call: Omit<RecordedCall, 'status' | 'answer' | 'limitedBy'>): RecordedCall;
  /** Calls a function when a request has been dealt with, before its answer; the returned function ends that. */
  onCall(listener: (call: RecordedCall) => void): () => void;
  close(call: RecordedCall): void;
}

export function createJournal(): Journal {
  const calls: RecordedCall[] = [];
  const listeners = new Set<(call: RecordedCall) => void>();
  return {
    calls,
    open: (call) => {
      const recorded = { ...call, status: undefined, answer: undefined, limitedBy: undefined };
      calls.push(recorded);
      return recorded;
    },
    onCall: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: (call) => {
      for (const listener of [...listeners]) listener(call);
    },
  };
}
