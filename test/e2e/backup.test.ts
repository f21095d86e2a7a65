import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCouncil, startCouncil } from './council-process.ts';
import { run } from './machine.ts';
import { startRehearsedModels } from './rehearsed-models.ts';
import { temporaryProject } from './temporary-project.ts';

const patience = { timeout: 30_000, interval: 20 };

/** Whether a process is halted, as `ps` tells it. */
async function isHalted(pid: number | undefined): Promise<boolean> {
  const { stdout } = await run('ps', ['-o', 'stat=', '-p', `${pid}`], { folder: '.' });
  return stdout.startsWith('T');
}

test('a copy of the folder, made while the process is frozen in a turn, is a whole store', async () => {
  const models = await startRehearsedModels((name, earlier) =>
    name === 'chair' && earlier === 0 ? { kind: 'hang' } : undefined,
  );
  const folder = temporaryProject(models.settings);
  const council = startCouncil({ folder, args: ['chat', '--thread', 'work'] });
  council.type('What should we keep?\n');
  await expect.poll(() => models.counts().chair, patience).toBe(1);

  council.kill('SIGSTOP');
  await expect.poll(() => isHalted(council.pid), patience).toBe(true);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  cpSync(data, copy, { recursive: true });
  council.kill('SIGCONT');
  council.kill('SIGKILL');
  await council.ended;

  rmSync(data, { recursive: true });
  renameSync(copy, data);
  const checked = await runCouncil({ folder, args: ['store', 'check'] });
  expect(checked.code, checked.stdout + checked.stderr).toBe(0);
  const resumed = await runCouncil({ folder, args: ['chat', '--thread', 'work'] });
  expect(resumed.stdout).toContain('## Verdict');
  expect(models.counts()).toMatchObject({ 'sage ada': 1, chair: 2 });
});
