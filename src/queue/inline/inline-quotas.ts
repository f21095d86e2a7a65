import { type QuotaClaim, type Quotas, roundingError, type Taken } from '../quotas.ts';

/** Quotas of a single process. @param now - Milliseconds since 1970. */
export function createInlineQuotas(now: () => number = Date.now): Quotas {
  return new InlineQuotas(now);
}

/** So often what has expired is let go of, in milliseconds: names that nobody asks for again would stay for ever. */
const sweepEveryMs = 60_000;

class InlineQuotas implements Quotas {
  readonly #now: () => number;
  /** By thing, then by holder. */
  readonly #held = new Map<
    string,
    Map<string, { readonly amount: number; readonly until: number }>
  >();

  #sweptAt: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#sweptAt = now();
  }

  async take(holder: string, claims: readonly QuotaClaim[], leaseMs: number): Promise<Taken> {
    this.#sweep();
    for (const { name, amount, limit } of claims) {
      const held = this.#heldByOthers(name, holder);
      if (held + amount > limit + roundingError) return { status: 'refused', name, held };
    }
    const until = this.#now() + leaseMs;
    for (const { name, amount } of claims) {
      const holders = this.#held.get(name) ?? new Map();
      this.#held.set(name, holders.set(holder, { amount, until }));
    }
    return { status: 'taken' };
  }

  async keep(holder: string, leaseMs: number): Promise<void> {
    const until = this.#now() + leaseMs;
    for (const holders of this.#held.values()) {
      const held = holders.get(holder);
      if (held) holders.set(holder, { ...held, until });
    }
  }

  async release(holder: string): Promise<void> {
    for (const [name, holders] of this.#held) {
      holders.delete(holder);
      if (holders.size === 0) this.#held.delete(name);
    }
  }

  #sweep(): void {
    const now = this.#now();
    if (now - this.#sweptAt < sweepEveryMs) return;
    this.#sweptAt = now;
    for (const [name, holders] of this.#held) {
      for (const [holder, { until }] of holders) if (until <= now) holders.delete(holder);
      if (holders.size === 0) this.#held.delete(name);
    }
  }

  #heldByOthers(name: string, holder: string): number {
    const now = this.#now();
    const holders = this.#held.get(name) ?? new Map();
    let sum = 0;
    for (const [other, { amount, until }] of holders) {
      if (until <= now) holders.delete(other);
      else if (other !== holder) sum += amount;
    }
    return sum;
  }
}
