import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPastTurn } from '../../src/council/past-turn.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { runCouncil, startCouncil } from './council-process.ts';
import { kill, type Moment, sages, startHoldingModels } from './held-models.ts';
import { seating, startRehearsedModels } from './rehearsed-models.ts';
import { temporaryProject } from './temporary-project.ts';

const allParts = [
  'moderator',
  ...sages.map((sage) => `sage ${sage}`),
  ...sages.map((sage) => `reviewer ${sage}`),
  'chair',
];
const chat = ['chat', '--thread', 'work'];
const question = 'Should we rewrite the engine?\n';

const moments: readonly Moment[] = [
  { stage: 'the moderator', held: ['moderator'], stored: {} },
  { stage: 'the answers', held: ['sage ben', 'sage cleo'], stored: { 'sage ended': 1 } },
  { stage: 'the last answer', held: ['sage cleo'], stored: { 'sage ended': 2 } },
  {
    stage: 'the reviews',
    held: ['reviewer ada', 'reviewer cleo'],
    stored: { 'sage ended': 3, 'review ended': 1 },
  },
  { stage: 'the verdict', held: ['chair'], stored: { 'sage ended': 3, 'review ended': 3 } },
];

/** What is in the store of a project in which no process runs. */
async function readStore(folder: string) {
  const store = openSqliteStore({ path: join(folder, 'data/council.db') });
  const unfinished = await store.turns.unfinished(10);
  const headers = await store.turns.list('terminal:local:chat:work', { limit: 10 });
  const records = await Promise.all(headers.map((header) => store.turns.read(header)));
  await store.close();
  return { unfinished, records: records.flatMap((record) => record ?? []) };
}

/** Each answer, review and the verdict is there, and there once. */
async function expectWholeTurn(folder: string, attempts: number): Promise<void> {
  const { unfinished, records } = await readStore(folder);
  expect(unfinished).toEqual([]);
  expect(records).toHaveLength(1);
  const [record] = records;
  if (!record) throw new Error('The turn is lost.');
  expect(record).toMatchObject({ status: 'ended', outcome: 'answered', attempt: attempts });
  expect(record.messages.map(({ role, sage, status }) => [role, sage, status])).toEqual([
    ['human', undefined, 'complete'],
    ...sages.map((sage) => ['ai', sage, 'complete']),
  ]);
  const kinds = record.steps.map(({ kind, key }) => `${kind} ${key}`.trim());
  expect(kinds.toSorted()).toEqual(
    [
      ...['ended', 'own_answer', 'ranked', 'scored', 'seated', 'settings', 'verdict'],
      ...sages.map((sage) => `reviewed ${sage}`),
    ].toSorted(),
  );
  const kept = readPastTurn(record);
  expect(kept.answers.map(({ status }) => status)).toEqual(Array(3).fill('answered'));
  expect(kept.reviews.map(({ ballot }) => ballot.status)).toEqual(Array(3).fill('ranked'));
  expect(kept.verdict?.kind).toBe('synthesis');
  const paid = record.usage.filter(
    ({ outcome, stage }) => outcome === 'answered' && stage !== 'own_answer',
  );
  expect(paid).toHaveLength(allParts.length);
}

/** How often each part is asked when it is held in these moments, and once more in the end. */
function callsAfter(passed: readonly Moment[]): Readonly<Record<string, number>> {
  const calls = (name: string) => 1 + passed.filter(({ held }) => held.includes(name)).length;
  return Object.fromEntries(allParts.map((name) => [name, calls(name)]));
}

describe('a process that is killed', () => {
  test.each(moments)(
    'in $stage is replaced by one that asks only what is missing',
    async (moment) => {
      const { models, ...held } = await startHoldingModels();
      const folder = temporaryProject(models.settings);
      held.hold(moment);
      const first = startCouncil({ folder, args: chat });
      first.type(question);
      await held.reached(first);
      await kill(first);
      held.release();

      const second = await runCouncil({ folder, args: chat });
      expect(second.code).toBe(0);
      expect(second.stdout).toContain('Interrupted earlier; resuming:');
      expect(second.stdout).toContain('## Verdict');
      expect(models.counts()).toEqual(callsAfter([moment]));
      await expectWholeTurn(folder, 2);
    },
  );

  test('in one stage after another still ends the turn, with nothing asked that was there', async () => {
    const { models, ...held } = await startHoldingModels();
    const folder = temporaryProject(models.settings);
    for (const [index, moment] of moments.entries()) {
      held.hold(moment);
      const council = startCouncil({ folder, args: chat });
      if (index === 0) council.type(question);
      await held.reached(council);
      await kill(council);
    }
    held.release();
    expect((await runCouncil({ folder, args: chat })).code).toBe(0);
    expect(models.counts()).toEqual(callsAfter(moments));
    await expectWholeTurn(folder, moments.length + 1);
  });

  test('while the moderator still writes forgets the sage that had begun, and begins anew', async () => {
    const models = await startRehearsedModels((name, earlier) =>
      name === 'moderator' && earlier === 0
        ? { kind: 'stall', afterChars: seating.indexOf('"ben"') + 2 }
        : undefined,
    );
    const folder = temporaryProject(models.settings);
    const first = startCouncil({ folder, args: chat });
    first.type(question);
    await expect.poll(() => models.outcomesOf('sage ada')).toEqual(['answered']);
    await kill(first);

    expect((await runCouncil({ folder, args: chat })).code).toBe(0);
    const { own_answer: _, ...counts } = models.counts();
    expect(counts).toEqual({ ...callsAfter([]), moderator: 2, 'sage ada': 2 });
    await expectWholeTurn(folder, 2);
  });

  test('in a second question leaves the first as it had ended', async () => {
    const { models, ...held } = await startHoldingModels();
    const folder = temporaryProject(models.settings);
    held.hold(moments[0] ?? { stage: '', held: [], stored: {} });
    const first = startCouncil({ folder, args: chat });
    first.type('/ask Is it slow? --sages ben\n');
    first.type(question);
    await held.reached(first);
    await kill(first);
    held.release();

    const second = await runCouncil({ folder, args: chat });
    expect(second.code).toBe(0);
    const { unfinished, records } = await readStore(folder);
    expect(unfinished).toEqual([]);
    expect(records.map(({ outcome }) => outcome)).toEqual(['answered', 'answered']);
    expect(models.counts()).toEqual({ ...callsAfter([]), moderator: 2, 'sage ben': 2 });
  });
});
