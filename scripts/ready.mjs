/**
 * Loaded before the program. If nothing is installed, because npm ignores scripts or something other than npm
 * runs this, it prints what to do instead of Node's own error. It also enables the compile cache, which halves
 * the CPU time of the next start.
 */

import { existsSync } from 'node:fs';
import * as modules from 'node:module';

const isInstalled = existsSync(new URL('../node_modules/.package-lock.json', import.meta.url));
const isNode24 = process.versions.node.startsWith('24.');

if (!isInstalled || !isNode24) {
  const found = isInstalled ? `this is Node ${process.version}` : 'nothing is installed yet';
  process.stderr.write(
    `Council needs Node 24 and its dependencies, and ${found}. \`npm start\` brings both, but it could not: ` +
      'npm is set to ignore scripts, or something other than npm started this. ' +
      'Run `npm start --ignore-scripts=false` (`npm run council --ignore-scripts=false -- …`), or install Node 24 and run `npm ci` yourself.\n',
  );
  process.exit(1);
}

// An unwritable folder is ignored.
modules.enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/council`);
