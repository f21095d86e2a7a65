/** Ends the process on a signal: in order, or immediately. */

import { constants } from 'node:os';
import type { TaskContext } from '../tasks/task.ts';

/**
 * Listens for `SIGINT`, `SIGTERM` and `SIGHUP`. The second signal ends the process immediately, with exit
 * code 128 plus the signal's number.
 *
 * @param orderlyMs - How long an orderly shutdown may take, in milliseconds. Work that takes longer, e.g. a
 *   thread that writes a large file, is cut off; stored data is safe either way. `SIGINT` has no limit:
 *   Ctrl-C may be meant for a single question, and can be pressed again.
 * @param runsUntilAsked - The process runs until it is asked to end, so a signal during its start is no
 *   failure: the exit code is 0.
 */
export function listenForSignals(
  orderlyMs: number,
  runsUntilAsked: boolean,
): Pick<TaskContext, 'ending' | 'onInterrupt'> {
  const ending = new AbortController();
  const reactions: ((signal: NodeJS.Signals) => void)[] = [];
  const interrupt = (signal: NodeJS.Signals) => {
    const code = 128 + constants.signals[signal];
    if (ending.signal.aborted) exitNow(code);
    if (reactions.length === 0) exitNow(runsUntilAsked ? 0 : code);
    if (signal !== 'SIGINT') setTimeout(() => exitNow(code), orderlyMs).unref();
    ending.abort(new Error(`Ended by ${signal}.`));
    for (const react of reactions) react(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  return { ending: ending.signal, onInterrupt: (react) => reactions.push(react) };
}

/**
 * Exits immediately, whatever is running.
 *
 * On exit Node waits for its threads, and a thread inside SQLite can't be interrupted. Replacing the process by
 * another program, which Windows can't, drops them. (A signal to itself would not do: PID 1 of a container ignores it.)
 */
export function exitNow(code: number): never {
  if (process.stdin.isTTY) process.stdin.setRawMode(false);
  const program = [process.execPath, '--eval', `process.exit(${code})`];
  if (process.platform !== 'win32') process.execve?.(process.execPath, program, {});
  process.exit(code);
}
