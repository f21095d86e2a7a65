import { expect, test } from 'vitest';
import { type ChaosSize, runChaos } from '../chaos/chaos.ts';
import { faultsIn } from '../chaos/judge.ts';
import { smallChaos } from '../chaos/sizes.ts';

const plants = new URL('../chaos/planted-faults.ts', import.meta.url).href;

/** What is found in a small run whose processes have these faults. */
async function faultsWith(planted: string, size: Partial<ChaosSize>) {
  const record = await runChaos({
    ...smallChaos,
    kills: 0,
    halts: 0,
    redisRestarts: 0,
    spoiled: 0,
    ...size,
    seed: 5,
    tell: () => undefined,
    environment: { NODE_OPTIONS: `--import ${plants}`, PLANTED_FAULTS: planted },
  });
  return { record, faults: faultsIn(record) };
}

test('chaos finds a gateway that drops events, among kills that excuse what is lost', async () => {
  const { faults } = await faultsWith('deaf gateway', { kills: 4, betweenKillsMs: [3000, 4000] });
  expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['lost']));
}, 200_000);

test('chaos finds a post that comes again after the last turn', async () => {
  const { record, faults } = await faultsWith('late double', {
    threads: 1,
    workers: 2,
    kills: 1,
    betweenKillsMs: [4000, 5000],
    quietMs: 6000,
  });
  // A turn that is resumed may take the double of an earlier one for its own: then more is wrong.
  expect(faults.map(({ kind }) => kind)).toContain('said twice');
  // Without a sage after it, the chair has the last word.
  expect(record.posts.findLast(({ kind }) => kind === 'answer')).not.toMatchObject({
    caller: 'chair',
  });
}, 200_000);

test('chaos is ended by its deadline, and names a process that hangs in its start', async () => {
  const { record, faults } = await faultsWith('hung start', { workers: 1, deadlineMs: 6000 });
  const worker = record.lives.find(({ role }) => role === 'worker');
  // On a busy machine the gateway may not be up by then either.
  expect(faults.map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^the run had not come to its end after 6\.0 s/),
      expect.stringMatching(
        new RegExp(`^worker 1 \\(process ${worker?.pid}\\) had not come up after `),
      ),
    ]),
  );
  expect(() => process.kill(worker?.pid ?? 0, 0)).toThrow('ESRCH');
}, 200_000);
