import { expect } from 'vitest';
import { handClock, type StoreCase } from './case.ts';

export const claimCases: readonly StoreCase[] = [
  {
    name: 'gives a claim to one of many',
    async run(place) {
      const store = await place.open();
      const claims = Array.from({ length: 20 }, () => store.claim('sweeping', 1000));
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
      expect(await store.claim('something else', 1000)).toBe(true);
    },
  },
  {
    name: 'gives a claim again once it has expired, counted from the one that succeeded',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      expect(await store.claim('sweeping', 1000)).toBe(true);
      clock.advance(999);
      expect(await store.claim('sweeping', 1000)).toBe(false);
      clock.advance(1);
      expect(await store.claim('sweeping', 1000)).toBe(true);
      expect(await store.claim('sweeping', 1000)).toBe(false);
    },
  },
];
