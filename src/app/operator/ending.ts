/** Ends the process when it is asked to: in order, or at once. */

import { constants } from 'node:os';
import type { TaskContext } from '../tasks/task.ts';

/**
 * Listens for `SIGINT`, `SIGTERM` and `SIGHUP`. The second signal ends the process at once, with 128 plus
 * the signal's number as exit code.
 *
 * @param orderlyMs - How long an orderly end may take, in milliseconds. Work that takes longer, e.g. a thread
 *   that writes a large file, ends with the process; what is stored is safe either way. `SIGINT` has no
 *   limit: Ctrl-C may mean one question only, and can be pressed again.
 */
export function hearOfEnding(orderlyMs: number): Pick<TaskContext, 'ending' | 'onInterrupt'> {
  const ending = new AbortController();
  const reactions: ((signal: NodeJS.Signals) => void)[] = [];
  const interrupt = (signal: NodeJS.Signals) => {
    const code = 128 + constants.signals[signal];
    if (ending.signal.aborted || reactions.length === 0) endNow(code);
    // A process in which nothing is left to do does not wait for it.
    if (signal !== 'SIGINT') setTimeout(() => endNow(code), orderlyMs).unref();
    ending.abort(new Error(`Ended by ${signal}.`));
    for (const react of reactions) react(signal);
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  process.on('SIGHUP', interrupt);
  return { ending: ending.signal, onInterrupt: (react) => reactions.push(react) };
}

/**
 * Ends the process, whatever is under way.
 *
 * Node waits for its threads at the end, and one that is within SQLite can't be interrupted. Another
 * program in the place of this one is rid of them. (A signal to itself is not enough: the first
 * process of a container does not feel it.)
 */
export function endNow(code: number): never {
  if (process.stdin.isTTY) process.stdin.setRawMode(false);
  process.execve?.(process.execPath, [process.execPath, '--eval', `process.exit(${code})`], {});
  process.exit(code);
}
