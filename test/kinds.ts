/** Sorts the tests by what they need, so that those that need little can run often. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * `fast`: parts of the bot. `platform`: all of it in this process, the real discord.js or Bolt on a fake, a browser,
 * or much to do. `server`: a Redis, processes or workers of its own. `outage`: kills and cuts them, and waits until that is noticed.
 */
export type TestKind = 'fast' | 'platform' | 'server' | 'outage';

const outages = /\/(chaos|chaos-planted|failover|fleet-failover)\.test\.ts$/;
/** Much to do, which their imports don't show: files that unpack without end, answers of 20 MB. */
const heavy = /\/(sources|links|model-servers)\.test\.ts$/;
const redis = 'test/fakes/redis-server.ts';
const platforms = /^test\/fakes\/(discord|slack)\/(discord|slack)\.ts$/;
const browsers = /from 'playwright-core'/;
const processes = /node:(child_process|worker_threads)/;

/** Test files by kind, as paths from the project's folder. A file's kind follows from what it imports, but for those named above. */
export function testsByKind(root: string): Readonly<Record<TestKind, readonly string[]>> {
  const texts = new Map<string, string>();
  const textOf = (path: string) => {
    const text = texts.get(path) ?? readFileSync(join(root, path), 'utf8');
    texts.set(path, text);
    return text;
  };
  const tests = globSync('test/**/*.test.ts', { cwd: root }).sort();
  const sorted = Map.groupBy(tests, (path): TestKind => {
    if (outages.test(path)) return 'outage';
    const used = usedBy(path, textOf);
    if (used.has(redis) || [...used].some((file) => processes.test(textOf(file)))) return 'server';
    const isPlatform = [...used].some(
      (file) => platforms.test(file) || browsers.test(textOf(file)),
    );
    return isPlatform || path.startsWith('test/e2e/') || heavy.test(path) ? 'platform' : 'fast';
  });
  const of = (kind: TestKind) => sorted.get(kind) ?? [];
  return {
    fast: of('fast'),
    platform: of('platform'),
    server: of('server'),
    outage: of('outage'),
  };
}

/** A test file and all files of the tests that it imports, directly or not. */
function usedBy(
  path: string,
  textOf: (path: string) => string,
  found: Set<string> = new Set(),
): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, imported = ''] of textOf(path).matchAll(
    /^(?:import|export|\}) .*from '(\.[^']+\.ts)';$/gm,
  )) {
    const used = join(dirname(path), imported);
    if (used.startsWith('test/')) usedBy(used, textOf, found);
  }
  return found;
}
