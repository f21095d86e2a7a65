/** Processes of a bench, which tell what they have measured by messages. */

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** @param name - Of a file of the benches, e.g. `./model-server.ts`. @param task - Its only argument, as JSON. */
export function start(
  name: string,
  task: object = {},
  execArgv: readonly string[] = [],
): ChildProcess {
  const path = fileURLToPath(new URL(name, import.meta.url));
  return fork(path, [JSON.stringify(task)], { execArgv: [...execArgv] });
}

/** The next thing that a process tells. Rejects when it ends without a word. */
export async function told(child: ChildProcess): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const end = (code: number | null) =>
    reject(new Error(`The measurement ended with code ${code} and no figures.`));
  child.once('message', resolve);
  child.once('exit', end);
  return promise.finally(() => child.off('exit', end));
}
