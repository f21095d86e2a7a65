import { chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { freePort } from '../fakes/redis-server.ts';
import { runCouncil, startCouncil } from './council-process.ts';
import { temporaryProject } from './temporary-project.ts';

test('the shell makes a key, lists it without its secret, and withdraws it', async () => {
  const folder = temporaryProject({ council: { fallbackSage: 'ada' } });
  const run = (...args: readonly string[]) => runCouncil({ folder, args: ['keys', ...args] });
  expect((await run()).stdout).toContain('There are no keys.');
  const made = await run('make', 'Open WebUI', '--usd-per-day', '2.5', '--may', 'ask');
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ck_live_[\w-]{43}\n$/) });
  const [id = ''] = /(?<=Key )\w+/.exec(made.stderr) ?? [];
  const { stdout: listed } = await run();
  expect(listed).toMatch(
    /^\w+ {2}Open WebUI\n {2}workspace main; may ask; \$2\.50 a day; 120 requests a minute; made 20/,
  );
  expect(listed).not.toContain(made.stdout.trim());
  expect(await run('withdraw', id)).toMatchObject({ code: 0 });
  expect(await run('withdraw', id)).toMatchObject({ code: 1, stderr: `There is no key ${id}.\n` });
});

const isRoot = process.getuid?.() === 0;
const forItsUser = 'a key that root makes can be read by the user whose store it is for';
const told = isRoot ? forItsUser : `${forItsUser}: NOT RUN, because this is not root`;
test.skipIf(!isRoot)(told, async () => {
  const folder = temporaryProject({ council: { fallbackSage: 'ada' } });
  const data = `${folder}/data`;
  mkdirSync(data);
  const owner = { uid: 4242, gid: 4243 };
  chownSync(data, owner.uid, owner.gid);
  for (const name of ['one', 'two']) {
    expect(await runCouncil({ folder, args: ['keys', 'make', name] })).toMatchObject({ code: 0 });
    expect(statSync(`${data}/council.db-keys`)).toMatchObject(owner);
  }
});

test('the shell says why a key can’t be stored', async () => {
  const store = { path: '/proc/council.db' };
  const folder = temporaryProject({ council: { fallbackSage: 'ada' }, store });
  const made = await runCouncil({ folder, args: ['keys', 'make', 'one'] });
  expect(made).toMatchObject({ code: 1, stdout: '' });
  expect(made.stderr).toMatch(/^The keys can't be written: E[A-Z]+: .*\.\n$/);
});

test('keys are made and withdrawn while the bot runs on the embedded store', async () => {
  const port = await freePort();
  const folder = temporaryProject({
    council: { fallbackSage: 'ada' },
    models: { default: 'auto' },
    web: { publicUrl: `http://127.0.0.1:${port}` },
  });
  const run = (...args: readonly string[]) => runCouncil({ folder, args: ['keys', ...args] });
  await run('make', 'the first');
  const council = startCouncil({ folder, args: ['web', '--port', `${port}`] });
  await expect.poll(() => council.stdout).toContain(`${port}`);
  const read = async (secret: string) => {
    const headers = { authorization: `Bearer ${secret}` };
    return (await fetch(`http://127.0.0.1:${port}/api/threads`, { headers })).status;
  };
  const { code, stdout, stderr } = await run('make', 'the second');
  const [id = ''] = /(?<=Key )\w+/.exec(stderr) ?? [];
  expect([code, await read(stdout.trim()), await read('ck_live_other')]).toEqual([0, 200, 401]);
  const file = `${folder}/data/council.db-keys`;
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).not.toContain(stdout.trim());
  expect(await run('withdraw', id)).toMatchObject({ code: 0 });
  expect(await read(stdout.trim())).toBe(401);
  writeFileSync(file, '{"broken');
  expect(await read(stdout.trim())).toBe(503);
  expect(await run()).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('data/council.db-keys'),
  });
});
