/**
 * Installs what is missing before the first command runs, on whatever Node the machine has (20 or
 * newer). The commands after it then run on the Node 24 that is among the dependencies.
 *
 * Nothing is printed and nothing is done when all that the lock file lists is installed, by whom ever.
 * Standard input is left alone: it belongs to the command.
 *
 * Only with `--dev` come the tools for development.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const ownNode = `${root}node_modules/.bin/node`;
const wantedMajor = '24';
const withDev = process.argv.includes('--dev');
const onWindows = process.platform === 'win32';

try {
  if (!isReady()) alone(installUnlessReady);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function isReady() {
  return isInstalled() && nodeToRunOn().startsWith(`v${wantedMajor}.`);
}

/** npm lists what it has installed when it is done with all of it: a broken-off installation has no list. */
function isInstalled() {
  const installed = packagesIn(`${root}node_modules/.package-lock.json`);
  return Object.entries(packagesIn(`${root}package-lock.json`)).every(([path, wanted]) => {
    const found = installed[path];
    if (found) return found.version === wanted.version && found.integrity === wanted.integrity;
    // What is optional may be for another kind of machine.
    return path === '' || wanted.optional || wanted.devOptional || (wanted.dev && !withDev);
  });
}

function packagesIn(lockFile) {
  return existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, 'utf8')).packages : {};
}

/** Of two commands that are started at once, one works and the other waits for it. */
function alone(work) {
  const lock = `${root}.installing`;
  let isTold = false;
  while (!take(lock)) {
    if (isDead(lock)) {
      rmSync(lock, { force: true });
      continue;
    }
    if (!isTold) process.stderr.write(`Waiting for an installation that runs already (${lock}).\n`);
    isTold = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Its process was killed; one that is done takes its lock away by itself. */
function isDead(lock) {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function installUnlessReady() {
  if (isReady()) return;
  process.stderr.write(
    `Installing what ${withDev ? 'the tests need' : 'Council needs'}; this happens once and takes about a minute.\n`,
  );
  const options = [
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    // Tried as often as npm does by itself, but without a connection told within half a minute.
    '--fetch-retry-maxtimeout=10000',
    // The engines of the dependencies are those of the Node that comes with them, not of this one.
    '--engine-strict=false',
    withDev ? '--include=dev' : '--omit=dev',
    // The program that draws pictures is optional for npm, because there is one for each kind of machine.
    '--include=optional',
    // npm has run this script, so it was told to run scripts; the npm below it may not have heard.
    ...(process.env.npm_lifecycle_event ? ['--ignore-scripts=false'] : []),
  ];
  const result = spawnSync('npm', ['ci', ...options], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: onWindows,
  });
  if (result.status !== 0) {
    throw new Error(
      `\`npm ci\` did not succeed${result.error ? ` (${result.error.message})` : ''}. What it printed above says why; ` +
        'without a connection to the npm registry nothing can be installed. Then run the same command again.',
    );
  }
  const node = nodeToRunOn();
  if (node.startsWith(`v${wantedMajor}.`)) return;
  throw new Error(
    `Council runs on Node ${wantedMajor}, which the npm package "node" brings; what there is now is ${node}. ` +
      'That package needs its install script: it is allowed in package.json ("allowScripts"), so check that `npm config get ignore-scripts` says false. ' +
      `Then run the same command again, or install Node ${wantedMajor} yourself.`,
  );
}

/** Version of the Node that the command will find: the project's own goes before the machine's. */
function nodeToRunOn() {
  if (process.version.startsWith(`v${wantedMajor}.`)) return process.version;
  const result = spawnSync(ownNode, ['--version'], { encoding: 'utf8', shell: onWindows });
  return result.stdout?.trim() || process.version;
}
