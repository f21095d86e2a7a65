/**
 * Installs missing dependencies before a command runs, on the machine's own Node (20 or newer). The command
 * then runs on Node 24, which is one of the dependencies.
 *
 * Does and prints nothing if everything in the lock file is installed. Leaves standard input to the command.
 * `--dev` also installs the development tools.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const ownNode = `${root}node_modules/node/bin/node`;
const wantedMajor = '24';
const isWanted = (version) => version.startsWith(`v${wantedMajor}.`);
const withDev = process.argv.includes('--dev');

try {
  if (!isReady()) withLock(installUnlessReady);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function isReady() {
  return isInstalled() && isWanted(nodeVersion());
}

/** npm writes its list of packages when it has finished; an interrupted installation has none, or half of one. */
function isInstalled() {
  let installed;
  try {
    installed = packagesIn(`${root}node_modules/.package-lock.json`);
  } catch {
    return false;
  }
  return Object.entries(packagesIn(`${root}package-lock.json`)).every(([path, wanted]) => {
    const found = installed[path];
    if (found) return found.version === wanted.version && found.integrity === wanted.integrity;
    // Optional packages may be for other machines.
    return path === '' || wanted.optional || wanted.devOptional || (wanted.dev && !withDev);
  });
}

function packagesIn(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

/** Runs the work under a lock file. A second command that starts meanwhile waits. */
function withLock(work) {
  const lock = `${root}.installing`;
  let isAnnounced = false;
  while (!take(lock)) {
    if (isStale(lock)) {
      rmSync(lock, { force: true });
      continue;
    }
    if (!isAnnounced)
      process.stderr.write(`Waiting for another installation to finish (${lock}).\n`);
    isAnnounced = true;
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
    // On a full disk the file is there, but empty: every later command would wait for it.
    rmSync(lock, { force: true });
    throw error;
  }
}

/** Whether the process that took the lock was killed. */
function isStale(lock) {
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
    // As many retries as npm's default, but an offline machine fails within half a minute.
    '--fetch-retry-maxtimeout=10000',
    // The dependencies' engines apply to the installed Node 24, not to the Node that runs npm.
    '--engine-strict=false',
    withDev ? '--include=dev' : '--omit=dev',
    // The drawing library is an optional dependency, because each platform has its own build.
    '--include=optional',
  ];
  // On Windows, npm is a script that only a shell runs.
  const npmCi = (...more) =>
    spawnSync(['npm ci', ...options, ...more].join(' '), {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: true,
    });
  // If npm runs this script, scripts are allowed; the nested npm may not inherit that.
  let result = npmCi(...(process.env.npm_lifecycle_event ? ['--ignore-scripts=false'] : []));
  const isOwn = process.execPath.startsWith(root);
  if (result.status !== 0 && !isOwn && isWanted(process.version)) {
    process.stderr.write(`Trying again with this machine's own Node ${wantedMajor}.\n`);
    result = npmCi('--ignore-scripts');
  }
  if (result.status !== 0) {
    throw new Error(
      '`npm ci` did not succeed. Its output above says why; ' +
        'without a connection to the npm registry nothing can be installed. ' +
        `If it found no version of \`node-…\`, npm has no Node ${wantedMajor} for this kind of machine: install one from https://nodejs.org. If it could not remove \`node.exe\`, it can the second time. ` +
        'Fix that, then run the same command again.',
    );
  }
  const node = nodeVersion();
  if (isWanted(node)) return;
  throw new Error(
    `Council runs on Node ${wantedMajor}, which the npm package "node" brings; this is Node ${node}. ` +
      'That package needs its install script: it is allowed in package.json ("allowScripts"), so check that `npm config get ignore-scripts` says false. ' +
      `Then run the same command again, or install Node ${wantedMajor} yourself, as on Alpine, where that package can't run (\`apk add nodejs npm\`).`,
  );
}

/** Version of the Node that the command will run on: the project's own comes before the machine's. */
function nodeVersion() {
  const { stdout } = spawnSync(ownNode, ['--version'], { encoding: 'utf8' });
  if (stdout) return stdout.trim();
  // npm would prefer one that can't run here, e.g. on Alpine, to the machine's.
  rmSync(`${root}node_modules/.bin/node`, { force: true });
  return process.version;
}
