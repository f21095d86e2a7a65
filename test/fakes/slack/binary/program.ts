import { createRequire } from 'node:module';
import { join } from 'node:path';

const packageName = 'local-slack-linux-x64';

/**
 * Where the program is; `undefined` on a machine for which it was not installed. It is an optional
 * dependency, made for Linux on x64 alone.
 */
export const programPath: string | undefined = findProgram();

/** What is said instead of a test, or thrown where there is nothing to skip. */
export const programMissing = `needs the npm package ${packageName}, which is not installed: it exists for Linux on x64 alone`;

function findProgram(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
    return join(manifest, '..', 'bin', 'local-slack');
  } catch {
    return undefined;
  }
}
