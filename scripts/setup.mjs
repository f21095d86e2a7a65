/**
 * Installs what is missing before the first command runs, on whatever Node the machine has (20 or
 * newer). The commands after it then run on the Node 24 that is among the dependencies.
 *
 * Nothing is printed and nothing is done when the installation is complete and of today's lock file.
 * Standard input is left alone: it belongs to the command.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const lockFile = `${root}package-lock.json`;
/** A copy of the lock file that was installed; written last, so that a broken-off installation is repeated. */
const stamp = `${root}node_modules/.installed-lock.json`;
const ownNode = `${root}node_modules/.bin/node`;
const wantedMajor = 24;

if (!isInstalled()) install();
checkOwnNode();

function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lockFile, 'utf8');
}

function install() {
  process.stderr.write(
    'Installing what Council needs; this happens once and takes about a minute.\n',
  );
  const production = process.env.NODE_ENV === 'production' ? ['--omit=dev'] : [];
  // The engines of the dependencies are those of the Node that comes with them, not of this one.
  const result = spawnSync(
    'npm',
    ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--engine-strict=false', ...production],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' },
  );
  if (result.status !== 0) {
    fail(
      `\`npm ci\` did not succeed${result.error ? ` (${result.error.message})` : ''}. What it printed above says why; ` +
        'without a connection to the npm registry nothing can be installed. Then run the same command again.',
    );
  }
  writeFileSync(stamp, readFileSync(lockFile));
}

function checkOwnNode() {
  if (process.versions.node.split('.')[0] === String(wantedMajor)) return;
  const result = spawnSync(ownNode, ['--version'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const found = result.stdout?.trim() || 'nothing that starts';
  if (found.startsWith(`v${wantedMajor}.`)) return;
  fail(
    `Council runs on Node ${wantedMajor}, which the npm package "node" brings; in node_modules/.bin there is ${found}. ` +
      'That package needs its install script: it is allowed in package.json ("allowScripts"), so check that `npm config get ignore-scripts` says false. ' +
      `Then delete node_modules and run the same command again, or install Node ${wantedMajor} yourself.`,
  );
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
