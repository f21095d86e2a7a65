import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Check,
  checkTimeoutMs,
  type Finding,
  picturesCheck,
  runChecks,
} from '../../../src/app/tasks/doctor.ts';
import { pictureOf } from '../../../src/charts/drawing.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function all(checks: readonly Check[]) {
  const findings: Finding[] = [];
  for await (const finding of runChecks(checks)) findings.push(finding);
  return findings;
}

describe('the doctor', () => {
  test('tells what is well and what is not, in the order of its list', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const findings = all([
      { name: 'slow', run: () => promise },
      { name: 'broken', run: async () => Promise.reject(new Error('Mend it so.')) },
    ]);
    resolve('found');
    expect(await findings).toEqual([
      { name: 'slow', hasPassed: true, text: 'found' },
      { name: 'broken', hasPassed: false, text: 'Mend it so.' },
    ]);
  });

  test('gives up on what does not answer, and ends it', async () => {
    let ended = false;
    const findings = all([
      {
        name: 'silent',
        run: (signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              ended = true;
              reject(signal.reason);
            });
          }),
      },
    ]);
    await vi.advanceTimersByTimeAsync(checkTimeoutMs);
    expect(await findings).toEqual([
      { name: 'silent', hasPassed: false, text: expect.stringContaining('Nothing came within') },
    ]);
    expect(ended).toBe(true);
  });

  test('waits as long as a local server takes to load a model', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const run = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => resolve('was cut off'));
      return promise;
    };
    const findings = all([{ name: 'model', run }]);
    await vi.advanceTimersByTimeAsync(120_000);
    resolve('loaded');
    expect(await findings).toEqual([{ name: 'model', hasPassed: true, text: 'loaded' }]);
  });

  test('says when this machine can’t draw pictures, and what is lost', async () => {
    const checks = [picturesCheck(pictureOf), picturesCheck(async () => undefined)];
    const [here, elsewhere] = await all(checks);
    expect(here).toMatchObject({ hasPassed: true, text: 'charts and faces can be drawn' });
    expect(elsewhere).toMatchObject({
      hasPassed: true,
      text: expect.stringMatching(/charts as text.*npm install.*--omit=optional/),
    });
  });
});
