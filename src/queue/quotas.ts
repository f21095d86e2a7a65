/**
 * Amounts that are held for a while out of something limited, counted over all processes: places in
 * a queue, money set aside, calls to a provider. A process that dies gives back what it held when its
 * lease ends.
 */

/** What is to be held of one thing. */
export interface QuotaClaim {
  /** Of what, e.g. `open:thread:discord:1:2:3`. */
  readonly name: string;
  /** Above 0. */
  readonly amount: number;
  /** What all holders may hold together. */
  readonly limit: number;
}

/** What {@link Quotas.take} comes to. `held`: what others hold of the first thing that is short. */
export type Taken =
  | { readonly status: 'taken' }
  | { readonly status: 'refused'; readonly name: string; readonly held: number };

/** A backend in one file beside this one; `test/contracts/quotas.ts` tells whether it is right. */
export interface Quotas {
  /**
   * Takes all or nothing, in one step: of any number of callers at once no more get through than the
   * limits allow. Taking the same thing again replaces what the holder had of it.
   *
   * @param holder - Who holds it, e.g. a turn's id.
   * @param leaseMs - Above 0; after it the amounts count no more.
   */
  take(holder: string, claims: readonly QuotaClaim[], leaseMs: number): Promise<Taken>;
  /** Holds on to all that the holder has, from now. */
  keep(holder: string, leaseMs: number): Promise<void>;
  /** Gives all back; nothing happens when the holder has nothing. */
  release(holder: string): Promise<void>;
}

/** So that 0.1 + 0.2 fits into 0.3. */
export const roundingError = 1e-9;
