import type { Json } from '../world/records.ts';

/** One call of the Web API, and what became of it. */
export interface RecordedCall {
  /** e.g. `chat.postMessage`. */
  readonly method: string;
  /** The arguments; those that travel as JSON text are read. The token is not among them. */
  readonly args: Json;
  /** Whose installation's token it was; `undefined` for an app's token and a wrong one. */
  readonly team: string | undefined;
  readonly token: string | undefined;
  /** When it came: milliseconds since the epoch by the fake's clock. */
  readonly atMs: number;
  /** What was answered; `undefined` while it is worked on, and when the answer was withheld. */
  status: number | undefined;
  answer: unknown;
}

/** Everything that was called, oldest first. */
export interface Journal {
  readonly calls: readonly RecordedCall[];
  open(call: Omit<RecordedCall, 'status' | 'answer'>): RecordedCall;
  close(call: RecordedCall): void;
  /** Calls a function when a call has been dealt with, before its answer; the returned function ends that. */
  onCall(listener: (call: RecordedCall) => void): () => void;
}

export function createJournal(): Journal {
  const calls: RecordedCall[] = [];
  const listeners = new Set<(call: RecordedCall) => void>();
  return {
    calls,
    open: (call) => {
      const recorded = { ...call, status: undefined, answer: undefined };
      calls.push(recorded);
      return recorded;
    },
    close: (call) => {
      for (const listener of [...listeners]) listener(call);
    },
    onCall: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
