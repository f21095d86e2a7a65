import { expect, test } from 'vitest';
import { freePort } from '../fakes/redis-server.ts';
import { runCouncil, startCouncil } from './council-process.ts';
import { temporaryProject } from './temporary-project.ts';

const project = (web: object = {}) =>
  temporaryProject({ council: { fallbackSage: 'ada' }, models: { default: 'auto' }, web });

test('the web is opened alone, shows recorded councils without a model, and ends when asked to', async () => {
  const port = await freePort();
  const folder = project();
  const council = startCouncil({ folder, args: ['web', '--port', `${port}`] });
  await expect.poll(() => council.stdout).toContain(`127.0.0.1:${port}`);
  const origin = `http://127.0.0.1:${port}`;
  const home = await (await fetch(origin)).text();
  expect(home).toContain('Recorded councils');
  const [, path = ''] = /href="(\/turns\/recorded-[\w-]+)"/.exec(home) ?? [];
  const recorded = await fetch(`${origin}${path}`);
  expect(recorded.status).toBe(200);
  expect(await recorded.text()).toContain('written by hand');
  expect((await fetch(`${origin}${path}/receipt`)).status).toBe(200);
  council.kill('SIGTERM');
  expect(await council.ended).toMatchObject({ code: 0, stderr: '' });
});

test('the web is not opened for others before a key is made, and says what to do', async () => {
  const web = { publicUrl: 'https://council.example' };
  const council = startCouncil({ folder: project(web), args: ['web', '--port', '8011'] });
  const { code, stderr } = await council.ended;
  expect(code).toBe(78);
  expect(stderr).toContain('npm run council -- keys');
  expect(stderr).not.toContain('    at ');
});

test('doctor says that the web needs a key before others can reach it', async () => {
  const folder = project({ port: 8010, host: '0.0.0.0' });
  const run = (...args: string[]) => runCouncil({ folder, args });
  const before = await run('doctor', '--offline');
  expect(before.stdout).toMatch(/✗ web: .*npm run council -- keys make NAME/);
  expect(before.code).toBe(1);
  await run('keys', 'make', 'mine');
  const after = await run('doctor', '--offline');
  expect(after.stdout).toContain('✓ web: on 0.0.0.0, port 8010');
  expect(after.code).toBe(0);
});
