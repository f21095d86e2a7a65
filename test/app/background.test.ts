import { expect, test } from 'vitest';
import { Background } from '../../src/app/background.ts';
import { silentLog } from '../../src/domain/log.ts';

/** What it does is logged to `told`. */
function telling() {
  const told: string[] = [];
  const tell = (_facts: object, sentence: string) => void told.push(sentence);
  return {
    told,
    background: new Background({ ...silentLog, info: tell, warn: tell, error: tell }),
  };
}

test('repeats work, each time counting from the end of the last', async () => {
  const { background } = telling();
  let [runs, together] = [0, 0];
  background.repeat('searches', 5, async () => {
    runs += 1;
    together += 1;
    expect(together).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    together -= 1;
  });
  await expect.poll(() => runs).toBeGreaterThan(2);
  await background.stop(1000);
  expect(together).toBe(0);
});

test('tells once that what repeats fails, however often, and once that it works again', async () => {
  const { background, told } = telling();
  let runs = 0;
  background.repeat('searches', 20, async () => {
    runs += 1;
    if (runs <= 2) throw new Error('The store is away.');
  });
  await expect.poll(() => runs).toBeGreaterThan(3);
  await background.stop(0);
  expect(told).toEqual(['searches fail, and are retried', 'searches work again']);
});

test('begins nothing after a stop, and aborts what outlasts the grace', async () => {
  const { background, told } = telling();
  let begun = 0;
  const untilAborted = (signal: AbortSignal) => {
    begun += 1;
    return new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    );
  };
  background.start('summaries', untilAborted);
  const stopped = background.stop(0);
  background.start('summaries', untilAborted);
  await stopped;
  expect(begun).toBe(1);
  expect(told).toEqual([]);
});
