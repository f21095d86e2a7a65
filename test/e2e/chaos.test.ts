import { expect, test } from 'vitest';
import { runChaos } from '../chaos/chaos.ts';
import { smallChaos } from '../chaos/sizes.ts';

test('a fleet that is killed at random loses nothing, says nothing twice and keeps the order', async () => {
  const { faults, takeOvers } = await runChaos({
    ...smallChaos,
    seed: 5,
    tell: () => undefined,
    onTrouble: () => undefined,
  });
  expect(faults).toEqual([]);
  // Otherwise nothing was tried.
  expect(takeOvers.length).toBeGreaterThan(0);
}, 300_000);
