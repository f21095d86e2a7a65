/** The program as a process of its own, with an environment in which nothing is set that the test did not set. */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The project's own folder, with a slash at its end. */
export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

export interface Ended {
  /** Absent when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CouncilProcess {
  /** Absent when it could not be started. */
  readonly pid: number | undefined;
  readonly ended: Promise<Ended>;
  readonly stdout: string;
  readonly stderr: string;
  /** Writes to its standard input, which stays open. */
  type(text: string): void;
  kill(signal: NodeJS.Signals): void;
  /** Closes our end of its standard output, as `head` does when it has read enough. */
  stopReading(): void;
}

export interface ProcessOptions {
  /** Working folder, with `config/` in it; the store lies in its `data/`. */
  readonly folder: string;
  /** What follows the program's name. */
  readonly args?: readonly string[];
  /** Standard input, which then ends. Absent: it stays open and empty. */
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts it; what still runs when the test has finished is killed. */
export function startCouncil(options: ProcessOptions): CouncilProcess {
  const { folder, args = [], input, environment = {} } = options;
  const child = spawn(
    process.execPath,
    [`${projectRoot}src/index.ts`, '--config', `${folder}/config`, ...args],
    {
      cwd: folder,
      env: { HOME: folder, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
    },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // It may have ended before it has read everything; what it did is in its exit code.
  child.stdin.on('error', () => undefined);
  if (input !== undefined) child.stdin.end(input);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    pid: child.pid,
    ended,
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    type: (text) => child.stdin.write(text),
    kill: (signal) => child.kill(signal),
    stopReading: () => child.stdout.destroy(),
  };
}

/** Runs it to its end. */
export function runCouncil(options: ProcessOptions): Promise<Ended> {
  return startCouncil({ input: '', ...options }).ended;
}
