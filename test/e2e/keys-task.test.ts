import { expect, test } from 'vitest';
import { runCouncil } from './council-process.ts';
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
