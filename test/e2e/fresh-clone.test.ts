import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot } from './council-process.ts';
import {
  cleanEnvironment,
  environmentWithNpm,
  freshClone,
  isSlowAsked,
  run,
  slowly,
} from './machine.ts';
import { temporaryFolder } from './temporary-project.ts';

const minutes = 60_000;
const smallTest = 'test/settings/settings-page.test.ts';
/** What npm says of a machine's own settings is not about this project. */
const complaint =
  /npm warn (?!Unknown \w+ config)|EBADENGINE|install scripts?|approve-scripts|deprecated/i;

/**
 * Both commands of the README, one after the other, in a clone in which nothing is installed. The first installs
 * at most 160 MB beside the runtime.
 */
async function expectBothCommands(environment: Readonly<Record<string, string>>): Promise<void> {
  const folder = await freshClone();
  const input = 'How should I frame my career path?\n';
  const started = await run('npm', ['start'], { folder, environment, input });
  expect(started.stderr).toContain('Installing what Council needs');
  expect(started.stderr).not.toMatch(complaint);
  expect(started.stdout).toContain('> How should I frame my career path?');
  expect(started.stdout).toContain('No model is set up');
  expect(started.stdout).not.toContain('\u001b');
  expect(started.code).toBe(0);

  const own = join(folder, 'node_modules/.bin/node');
  expect((await run(own, ['--version'], { folder })).stdout).toMatch(/^v24\./);
  await expectPicture(own, folder);
  expect(installedMegabytes(join(folder, 'node_modules'))).toBeLessThanOrEqual(160);

  // What people are to see is there: a recorded council from beginning to end, drawn and listed.
  const council = (...words: readonly string[]) =>
    run('npm', ['run', '--silent', 'council', '--', ...words], { folder, environment });
  const played = await council('recorded', '1');
  expect(played.stderr).not.toContain('Installing');
  expect(played.stdout).toContain('Verdict');
  expect((await council('sages')).stdout).toContain('nassim_taleb');
  expect((await council('doctor', '--offline')).stdout).toContain('What was checked works.');

  const tested = await run('npm', ['test', '--', smallTest], { folder, environment });
  expect(tested.stderr).not.toMatch(complaint);
  expect(tested.stderr).toContain('Installing what the tests need');
  expect(tested.stdout).toMatch(/Test Files.*1 passed/);
  expect(tested.code).toBe(0);

  // With both, neither command finds anything missing.
  for (const args of [
    ['test', '--', smallTest],
    ['run', 'council', '--', '--version'],
  ]) {
    expect((await run('npm', args, { folder, environment })).stderr).not.toContain('Installing');
  }

  const changed = await run('git', ['status', '--porcelain'], { folder });
  expect(changed.stdout).toBe('');
}

/** What draws pictures was installed, for this kind of machine: a face becomes one, with letters in it. */
async function expectPicture(node: string, folder: string): Promise<void> {
  const code = `
    import { faceSvg } from './src/charts/face.ts';
    import { pictureOf } from './src/charts/drawing.ts';
    const sizeOf = async (name) =>
      (await pictureOf(faceSvg({ key: 'ada', name, source: 'predefined' })))?.length;
    console.log(await sizeOf('Ada Lovelace') > 1.2 * await sizeOf('I'));`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code];
  expect(await run(node, args, { folder })).toMatchObject({ stdout: 'true\n', stderr: '' });
}

describe.skipIf(!isSlowAsked)(slowly('a fresh clone'), () => {
  test(
    'starts and tests with two commands, with the Node and npm of this machine',
    async () => {
      await expectBothCommands(cleanEnvironment());
    },
    20 * minutes,
  );

  test(
    'starts and tests with two commands under npm 12',
    async () => {
      await expectBothCommands(await environmentWithNpm(12));
    },
    20 * minutes,
  );
});

test('a clone has the line ends that Redis understands, also by Git for Windows', async () => {
  const folder = temporaryFolder();
  const script = 'src/store/redis/scripts/turns.lua';
  const asOnWindows = ['-c', 'core.autocrlf=true', 'checkout-index', `--prefix=${folder}/`, script];
  expect((await run('git', asOnWindows, { folder: projectRoot })).stderr).toBe('');
  expect(readFileSync(join(folder, script), 'utf8')).toBe(readFileSync(script, 'utf8'));
});

describe('the tests', () => {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', smallTest];

  test.each([
    ['22', ['--import', pretending('v22.22.0')]],
    ['26', ['--import', pretending('v26.1.0')]],
  ])('fail loudly on Node %s', async (_version, options) => {
    const tested = await run(process.execPath, [...options, ...vitest], { folder: projectRoot });
    expect(tested.code).not.toBe(0);
    expect(tested.stderr).toContain('The tests need Node 24 and were started on v2');
    expect(tested.stdout).not.toContain('passed');
  });
});

/** The packages that are Node itself, and what it has compiled. */
const runtime = /^(?:node(?:-bin-setup|-(?:linux|darwin|win)-\w+)?|\.cache)$/;

/** What the installed packages take on the disk, without the runtime. */
function installedMegabytes(modules: string): number {
  const blocks = readdirSync(modules, { recursive: true, encoding: 'utf8' })
    .filter((path) => !runtime.test(path.split(sep)[0] ?? ''))
    .map((path) => lstatSync(join(modules, path)).blocks);
  return (blocks.reduce((sum, count) => sum + count, 0) * 512) / 2 ** 20;
}

/** A module that has Node say that it is another version. */
function pretending(version: string): string {
  const code = `Object.defineProperty(process, 'version', { value: '${version}' })`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
