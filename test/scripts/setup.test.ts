import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

/** A Node in the project's folder, like the one that npm installs there. */
function ownNode(folder: string): string {
  const path = join(folder, 'own-node');
  copyFileSync(process.execPath, path);
  return path;
}

const packages = {
  '': { name: 'council' },
  'node_modules/zod': { version: '1.0.0', integrity: 'sha512-zod' },
  'node_modules/vitest': { version: '1.0.0', integrity: 'sha512-vitest', dev: true },
  'node_modules/windows-only': { version: '1.0.0', integrity: 'sha512-w', optional: true },
};

/** Stands for npm: writes down how it was called, and lists as installed what it was told to install. */
const npm = `#!${process.execPath}
const { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');
rmSync('node_modules', { recursive: true, force: true });
mkdirSync('node_modules');
if (process.env.NPM_FAILS) process.exit(1);
if (process.env.NPM_HAS_NO_NODE && !process.argv.includes('--ignore-scripts')) process.exit(1);
if (process.env.NODE_CANNOT_RUN) {
  mkdirSync('node_modules/node/bin', { recursive: true });
  writeFileSync('node_modules/node/bin/node', '#!/lib/ld-of-another-system.so', { mode: 0o755 });
  mkdirSync('node_modules/.bin');
  symlinkSync('../node/bin/node', 'node_modules/.bin/node');
}
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const omitsDev = process.argv.includes('--omit=dev');
const installed = Object.entries(packages).filter(
  ([path, { dev, optional }]) => path !== '' && !optional && !(dev && omitsDev),
);
writeFileSync(
  'node_modules/.package-lock.json',
  JSON.stringify({ packages: Object.fromEntries(installed) }),
);
`;

/** A project in which nothing is installed, with an npm of its own. */
function freshProject() {
  const folder = mkdtempSync(join(tmpdir(), 'council-setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, content: string) => writeFileSync(join(folder, path), content);
  for (const name of ['scripts', 'bin', 'node_modules']) mkdirSync(join(folder, name));
  copyFileSync('scripts/setup.mjs', join(folder, 'scripts/setup.mjs'));
  write('package-lock.json', JSON.stringify({ packages }));
  writeFileSync(join(folder, 'bin/npm'), npm, { mode: 0o755 });
  return {
    folder,
    write,
    has: (path: string) => existsSync(join(folder, path)),
    npmCalls: () => readLines(join(folder, 'npm-calls')),
    setUp: (args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) =>
      setUp(folder, args, environment),
  };
}

function readLines(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

async function setUp(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  node = process.execPath,
) {
  const path = [join(folder, 'bin'), dirname(process.execPath)].join(delimiter);
  const child = spawn(node, [join(folder, 'scripts/setup.mjs'), ...args], {
    env: { PATH: path, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, printed };
}

describe('the set-up', () => {
  test('installs what is missing and says so, and the next time does and says nothing', async () => {
    const project = freshProject();
    const first = await project.setUp();
    expect(first).toEqual({
      code: 0,
      printed: expect.stringMatching(/^Installing what Council needs.*\n$/),
    });
    expect(await project.setUp()).toEqual({ code: 0, printed: '' });
    expect(project.npmCalls()).toHaveLength(1);
  });

  test('leaves an installation alone that someone has made by hand', async () => {
    const project = freshProject();
    const { '': _, 'node_modules/windows-only': __, ...installed } = packages;
    project.write('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
    expect(await project.setUp(['--dev'])).toEqual({ code: 0, printed: '' });
    expect(project.npmCalls()).toEqual([]);
  });

  test('installs anew when the lock file has changed', async () => {
    const project = freshProject();
    await project.setUp();
    const newer = { version: '2.0.0', integrity: 'sha512-newer' };
    project.write(
      'package-lock.json',
      JSON.stringify({ packages: { ...packages, 'node_modules/zod': newer } }),
    );
    expect((await project.setUp()).code).toBe(0);
    expect(project.npmCalls()).toHaveLength(2);
  });

  test('repeats an installation that failed or was broken off', async () => {
    const project = freshProject();
    const failed = await project.setUp([], { NPM_FAILS: '1' });
    expect(failed.code).toBe(1);
    expect(failed.printed).toContain('`npm ci` did not succeed');
    expect(failed.printed).toContain('Fix that, then run the same command again.');
    expect(failed.printed).not.toMatch(/^\s+at /m);
    expect(project.has('.installing')).toBe(false);
    const tries = project.npmCalls().length;
    expect((await project.setUp()).code).toBe(0);
    expect(project.npmCalls()).toHaveLength(tries + 1);
  });

  test('does with the Node of the machine where npm has none for it', async () => {
    const project = freshProject();
    const byNpm = { npm_lifecycle_event: 'prestart', NPM_HAS_NO_NODE: '1' };
    expect((await project.setUp([], byNpm)).code).toBe(0);
    expect(project.npmCalls().map((call) => call.split(' ').at(-1))).toEqual([
      '--ignore-scripts=false',
      '--ignore-scripts',
    ]);
    expect(await project.setUp()).toEqual({ code: 0, printed: '' });
  });

  test('does not take the Node that it has installed for that of the machine', async () => {
    const { folder, npmCalls } = freshProject();
    const { code } = await setUp(folder, [], { NPM_HAS_NO_NODE: '1' }, ownNode(folder));
    expect(code).toBe(1);
    expect(npmCalls()).toHaveLength(1);
  });

  test('lets the Node of the machine run where that of npm can’t, as on Alpine', async () => {
    const project = freshProject();
    expect((await project.setUp([], { NODE_CANNOT_RUN: '1' })).code).toBe(0);
    expect(readdirSync(join(project.folder, 'node_modules/.bin'))).toEqual([]);
    expect(await project.setUp()).toEqual({ code: 0, printed: '' });
  });

  test('is not held up by the lock of a process that has died', async () => {
    const project = freshProject();
    // Above what any system gives as a process id.
    project.write('.installing', String(2 ** 30));
    expect((await project.setUp()).code).toBe(0);
    expect(project.has('.installing')).toBe(false);
  });

  test('repeats an installation that a full disk has cut off', async () => {
    const project = freshProject();
    project.write('node_modules/.package-lock.json', '{"packages": {');
    expect(await project.setUp()).toEqual({
      code: 0,
      printed: expect.stringMatching(/^Installing what Council needs/),
    });
    expect(await project.setUp()).toEqual({ code: 0, printed: '' });
  });

  test('leaves no lock behind where the disk is full', async () => {
    const project = freshProject();
    // A process that may write no byte to a file meets the same error.
    const withoutRoom = ['-c', 'ulimit -f 0; exec "$0" scripts/setup.mjs', process.execPath];
    const full = spawnSync('sh', withoutRoom, { cwd: project.folder, encoding: 'utf8' });
    expect(full).toMatchObject({ status: 1, stderr: expect.stringContaining('EFBIG') });
    expect(project.has('.installing')).toBe(false);
    expect((await project.setUp()).code).toBe(0);
  });

  test('that is started several times at once installs once', async () => {
    const project = freshProject();
    const all = await Promise.all([project.setUp(), project.setUp(), project.setUp()]);
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(project.npmCalls()).toHaveLength(1);
  });

  test('leaves out the tools for development until something needs them, and never what draws pictures', async () => {
    const project = freshProject();
    await project.setUp();
    expect(await project.setUp()).toEqual({ code: 0, printed: '' });
    await project.setUp(['--dev']);
    expect(await project.setUp()).toEqual({ code: 0, printed: '' });
    const [first = '', second = '', ...more] = project.npmCalls();
    expect(first).toContain('--omit=dev --include=optional');
    expect(second).toContain('--include=dev --include=optional');
    expect(more).toEqual([]);
  });

  test('run by npm lets the scripts of the dependencies run; run by hand it leaves that to the settings', async () => {
    const byNpm = freshProject();
    await byNpm.setUp([], { npm_lifecycle_event: 'prestart' });
    expect(byNpm.npmCalls()[0]).toContain('--ignore-scripts=false');
    const byHand = freshProject();
    await byHand.setUp();
    expect(byHand.npmCalls()[0]).not.toContain('--ignore-scripts');
  });
});
