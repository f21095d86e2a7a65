import { expect, test } from 'vitest';
import { startCouncil } from './council-process.ts';
import { freePort } from './running-program.ts';
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
