import { expect, test, vi } from 'vitest';
import { discordLimits } from '../../../src/platforms/pacing/call-limits.ts';
import { heldPacer } from '../../../src/platforms/pacing/held-pacer.ts';
import { pacedPlatform, thread } from './paced-platform.ts';

const paced = pacedPlatform(discordLimits);

test('asks whether the turn is still held when a post has come to its turn, and not before', async () => {
  let isHeld = true;
  const pacer = heldPacer(paced.pacer, async () => {
    if (!isHeld) throw new Error('Another has it.');
  });
  const post = (what: number) =>
    pacer.post(thread, () => paced.platform.call('post', thread, what));
  const first = Promise.all([1, 2, 3, 4, 5].map(post));
  const late = post(6);
  const refused = expect(late).rejects.toThrow('Another has it.');
  await first;
  isHeld = false;
  await vi.runAllTimersAsync();
  await refused;
  expect(paced.platform.made).toEqual([1, 2, 3, 4, 5]);
});
