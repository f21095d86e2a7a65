/** What a rehearsal server is started with, and what it tells about the calls it got. */

/** A sage that the rehearsal recognises in a prompt, so that calls can be told apart by its key. */
export interface RehearsalSage {
  readonly key: string;
  readonly name: string;
  /** The tailored prompt; absent or empty: it is recognised by its name. */
  readonly prompt?: string | undefined;
}

/** Whose part a call asks the rehearsal to play. `other`: none that it knows. */
export type Part =
  | 'moderator'
  | 'sage'
  | 'reviewer'
  | 'own_answer'
  | 'docket'
  | 'rebuttal'
  | 'voter'
  | 'chair'
  | 'draft'
  | 'brief'
  | 'record'
  | 'compactor'
  | 'other';

/** One chat call, as a fault, a reply of the caller's own or the journal sees it. */
export interface RehearsalCall {
  /** Counts the chat calls of this server from 0. */
  readonly number: number;
  readonly model: string;
  readonly part: Part;
  /** Key of the sage that speaks or reviews, where the prompt shows it; its name if it has no file. */
  readonly sage: string | undefined;
  /** Name of the JSON schema that the reply must keep to. */
  readonly schema: string | undefined;
  readonly isStreaming: boolean;
  /** How many calls for the same part and the same sage came before. */
  readonly earlier: number;
}

/**
 * What can go wrong with a chat call. Those that need a reply to spoil act on the scripted one;
 * `afterChars` counts its characters.
 */
export type Fault =
  /** Refused at once, in the API's error shape, e.g. 401, 402, 404, 429, 500. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** The call is taken and never answered. */
  | { readonly kind: 'hang' }
  /** Part of the reply, then silence. */
  | { readonly kind: 'stall'; readonly afterChars: number }
  /** Part of the reply, then the connection is dropped. */
  | { readonly kind: 'cut'; readonly afterChars: number }
  /** The whole reply and a proper end, without a finish reason. */
  | { readonly kind: 'no_finish_reason' }
  /** Part of the reply with the finish reason `length`. */
  | { readonly kind: 'length'; readonly afterChars: number }
  /** The HTTP body itself is not the JSON, or the event stream, that it should be. */
  | { readonly kind: 'malformed_body' }
  /** The model declines, in the API's field for it. */
  | { readonly kind: 'refusal' }
  /** The server's own filter stops the reply: finish reason `content_filter`. */
  | { readonly kind: 'filtered' }
  /** This text in place of the reply: `''` for an empty one, `'{"answer": '` for broken JSON. */
  | { readonly kind: 'text'; readonly text: string };

/** How a call ended. `faulted` says that {@link RehearsalOptions.faults} had a hand in it. */
type CallOutcome = 'answered' | 'faulted' | 'aborted' | 'failed';

/** A call that has ended. */
interface JournalEntry extends RehearsalCall {
  readonly outcome: CallOutcome;
  readonly fault: Fault | undefined;
}

/** Every setting has a default under which the reply comes whole, at once and without faults. */
export interface RehearsalOptions {
  /** Those that have a file. */
  readonly sages: readonly RehearsalSage[];
  /** Time to the first byte of a chat reply. Default 0. */
  readonly latencyMs?: number;
  /** Pace of a streamed reply, a token being four characters. Absent: all at once. */
  readonly tokensPerSecond?: number;
  /** Characters in one piece of a streamed reply. Default 24; at least 1. */
  readonly chunkChars?: number;
  /** What goes wrong with a call; `undefined` for nothing. */
  readonly faults?: (call: RehearsalCall) => Fault | undefined;
  /** The reply; `undefined` leaves it to the rehearsal's own script. */
  readonly say?: (call: RehearsalCall) => string | undefined;
  /** How many ended calls the journal keeps, the newest. Default 1000. */
  readonly journalEntries?: number;
}

/** A running rehearsal. */
export interface RehearsalServer {
  /** `http://127.0.0.1:PORT/v1`. Any key is accepted. */
  readonly baseUrl: string;
  /** The last chat calls that have ended, oldest first. Calls that were refused as invalid are not among them. */
  journal(): readonly JournalEntry[];
  /** Chat calls that have begun and not ended. */
  openCalls(): number;
  /** Ends what is open and lets go of the port. May be called again. */
  close(): Promise<void>;
}

/** Counts calls, and keeps the newest that have ended. */
export class Journal {
  readonly #entries: JournalEntry[] = [];
  readonly #mostEntries: number;
  readonly #earlier = new Map<string, number>();
  #begun = 0;
  #open = 0;

  constructor(mostEntries: number) {
    this.#mostEntries = mostEntries;
  }

  get entries(): readonly JournalEntry[] {
    return this.#entries.slice(Math.max(0, this.#entries.length - this.#mostEntries));
  }

  get open(): number {
    return this.#open;
  }

  /** Numbers a call that begins. */
  begin(facts: Omit<RehearsalCall, 'number' | 'earlier'>): RehearsalCall {
    const kind = `${facts.part}\n${facts.sage ?? ''}`;
    const earlier = this.#earlier.get(kind) ?? 0;
    this.#earlier.set(kind, earlier + 1);
    this.#open += 1;
    this.#begun += 1;
    return { ...facts, number: this.#begun - 1, earlier };
  }

  end(call: RehearsalCall, outcome: CallOutcome, fault: Fault | undefined): void {
    this.#open -= 1;
    this.#entries.push({ ...call, outcome, fault });
    // Cut in steps: removing the first entry of a long list at every call would cost more than the call.
    if (this.#entries.length > 2 * this.#mostEntries + 100) {
      this.#entries.splice(0, this.#entries.length - this.#mostEntries);
    }
  }
}
