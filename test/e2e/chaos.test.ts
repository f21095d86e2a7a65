import { expect, test } from 'vitest';
import { runChaos } from '../chaos/chaos.ts';
import { figuresOf } from '../chaos/figures.ts';
import { faultsIn } from '../chaos/judge.ts';
import { smallChaos } from '../chaos/sizes.ts';

test('a fleet that is killed and halted at random loses nothing, says nothing twice and keeps the order', async () => {
  const record = await runChaos({ ...smallChaos, seed: 5, tell: () => undefined });
  expect(faultsIn(record)).toEqual([]);
  // Otherwise little was tried.
  const { spoiled, killedIn, kills, waitsMs } = figuresOf(record);
  expect(spoiled).toBeGreaterThanOrEqual(15);
  expect(kills.gateways).toBeGreaterThanOrEqual(2);
  expect(Object.entries(killedIn).filter(([, count]) => count === 0)).toEqual([]);
  expect(waitsMs.length).toBeGreaterThan(0);
}, 500_000);
