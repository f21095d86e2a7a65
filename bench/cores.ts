/**
 * Which core a process runs on. Where two servers and their client share a few cores, the system may
 * put one server beside the client and leave it there: the whole run then measures its choice instead
 * of the servers (up to 40 % apart for the same work, seen on two cores).
 */

import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Whether processes can be told where to run: on Linux with `taskset`, with two cores or more. */
export function canPin(): boolean {
  return availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;
}

/**
 * Keeps all threads of a process, and what it starts from now on, on these cores.
 *
 * @param cores - As `taskset` lists them, e.g. `0` or `0-3`.
 * @throws {Error} Where it is refused, e.g. because the process is another user's.
 */
export function pin(processId: number, cores: string): void {
  const { status, stderr } = spawnSync('taskset', ['-a', '-c', '-p', cores, String(processId)]);
  if (status === 0) return;
  throw new Error(
    `The process ${processId} can't be kept on core ${cores}: ${String(stderr).trim()}`,
  );
}

/** The cores that a process may run on, as `pin` takes them. */
export function coresOf(processId: number): string {
  const { stdout } = spawnSync('taskset', ['-c', '-p', String(processId)]);
  return String(stdout).split(': ').at(-1)?.trim() ?? '';
}
