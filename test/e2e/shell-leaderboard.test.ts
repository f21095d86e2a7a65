import { expect, test } from 'vitest';
import { runCouncil } from './council-process.ts';
import { startRehearsedModels } from './rehearsed-models.ts';
import { temporaryProject } from './temporary-project.ts';

test('the shell prints the leaderboard of a conversation, and as JSON, without what is forgotten', async () => {
  const models = await startRehearsedModels();
  const folder = temporaryProject(models.settings);
  const run = async (...args: readonly string[]) => {
    const ended = await runCouncil({ folder, args });
    expect(ended.stderr).not.toContain('error');
    expect(ended.code).toBe(0);
    return ended.stdout;
  };
  const input = `${Array.from({ length: 10 }, (_, at) => `Should we sell ship ${at}?`).join('\n')}\n`;
  await runCouncil({ folder, args: ['chat', '--thread', 'one'], input });
  const printed = await run('leaderboard', '--thread', 'one');
  expect(printed).toContain('10 ranked turns in this channel, last 90 days');
  expect(printed).toMatch(/1\. \w+.*█.*10 turns/);
  const board: unknown = JSON.parse(await run('leaderboard', '--thread', 'one', '--json'));
  expect(board).toMatchObject({ by: 'sage', days: 90, turns: 10, unranked: [] });
  expect(board).toHaveProperty('ranked.2.won.from');
  expect(board).toHaveProperty('voices.voices');
  const forget = '/council memory forget channel --confirm\n';
  await runCouncil({ folder, args: ['chat', '--thread', 'one'], input: forget });
  const after: unknown = JSON.parse(await run('leaderboard', '--thread', 'one', '--json'));
  expect(after).toMatchObject({ turns: 0, ranked: [], unranked: [] });
});
