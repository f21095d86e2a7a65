/** What a rehearsal server remembers of its chat calls. */

import type { CallOutcome, Fault, JournalEntry, RehearsalCall } from './options.ts';

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
