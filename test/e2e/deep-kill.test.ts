import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startRedisServer } from '../fakes/redis-server.ts';
import { runCouncil, startCouncil } from './council-process.ts';
import { kill, type Moment, sages, startHoldingModels } from './held-models.ts';
import { temporaryProject } from './temporary-project.ts';

// Whole processes are started, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const chat = ['chat', '--thread', 'work'];
const all = (part: string) => sages.map((sage) => `${part} ${sage}`);

const moments: readonly Moment[] = [
  { stage: 'the docket', held: ['docket'], stored: { 'review ended': 3 } },
  // The docket of these models names two of them.
  { stage: 'the rebuttals', held: all('rebuttal'), calls: 2, stored: { 'review ended': 3 } },
  { stage: 'the second ballots', held: ['voter cleo'], stored: { 'second ballot ended': 2 } },
];

/** What a process is told of its store. */
const stores: Readonly<Record<string, () => Promise<Readonly<Record<string, string>>>>> = {
  'an SQLite file': async () => ({}),
  'a Redis server': async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.remove());
    return { REDIS_URL: server.url };
  },
};

const cases = Object.entries(stores).flatMap(([store, open]) =>
  moments.map((moment) => ({ store, open, moment, stage: moment.stage })),
);

test.each(cases)(
  'a process with $store that is killed in $stage is replaced by one that asks only what is missing',
  async ({ open, moment }) => {
    const environment = await open();
    const { models, ...held } = await startHoldingModels();
    const folder = temporaryProject(models.settings);
    held.hold(moment);
    const first = startCouncil({ folder, args: chat, environment });
    first.type('/ask Should we rewrite the engine? --depth deep\n');
    await held.reached(first);
    await kill(first);
    held.release();

    const second = await runCouncil({ folder, args: chat, environment });
    expect(second.code).toBe(0);
    expect(second.stdout).toContain('## Verdict');
    expect(existsSync(join(folder, 'data/council.db'))).toBe(!('REDIS_URL' in environment));
    const counts = models.counts();
    const parties = Object.keys(counts).filter((name) => name.startsWith('rebuttal'));
    expect(parties).toHaveLength(2);
    const asked = [
      ...['moderator', 'docket', 'chair', ...parties],
      ...['sage', 'reviewer', 'voter'].flatMap(all),
    ];
    expect(counts).toEqual(
      Object.fromEntries(asked.map((name) => [name, moment.held.includes(name) ? 2 : 1])),
    );
  },
);
