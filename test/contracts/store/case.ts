import type { Store } from '../../../src/store/store.ts';

/** How a case wants a store opened. */
export interface StoreSettings {
  /** The store's clock, in milliseconds since 1970; absent: it stands at {@link startOfTime}. */
  readonly now?: () => number;
  /** Absent: everything is kept. */
  readonly retentionDays?: number;
}

/** Where a store's records lie: they are there again when it is opened again. */
export interface StoreFixture {
  /** A case closes what it has open before it opens the fixture again. */
  open(settings?: StoreSettings): Promise<Store>;
  /** Closes what is open and removes every record. */
  remove(): Promise<void>;
}

/** One sentence of the contract; throws when the store does not keep it. */
export interface StoreCase {
  readonly name: string;
  run(fixture: StoreFixture): Promise<void>;
}

/** 1 March 2026, noon, in UTC: far enough from midnight that an hour more is the same day. */
export const startOfTime = Date.UTC(2026, 2, 1, 12);
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** A clock that only the case moves. */
export function handClock(): { readonly now: () => number; advance(milliseconds: number): void } {
  let time = startOfTime;
  return {
    now: () => time,
    advance: (milliseconds) => {
      time += milliseconds;
    },
  };
}
