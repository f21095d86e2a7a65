/** The whole program in a process of its own, with the three sages and the rehearsal model. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { startRehearsalServer } from '../fakes/rehearsal/server.ts';
import { temporaryProject } from './temporary-project.ts';

/** Of all tests of this process, and ended with it. */
const rehearsal = await startRehearsalServer({ sages: [] });

const program = fileURLToPath(new URL('../../src/index.ts', import.meta.url));

export interface RunningProgram {
  readonly child: ChildProcess;
  /** Where it keeps its store, in `data/`. */
  readonly folder: string;
  /** What was printed so far, on either stream. */
  readonly printed: () => string;
  /** Starts it once more, with what the first one has stored; what that one prints is told as well. */
  again(): ChildProcess;
  /** Asks the first one to end, or the one that is given, and waits until it has. */
  end(which?: ChildProcess): Promise<number | null>;
}

/** Starts the program in a folder of its own; it is killed after the test. */
export function runProgram(
  settings: object,
  environment: Readonly<Record<string, string>>,
  ...words: readonly string[]
): RunningProgram {
  const project = temporaryProject({
    council: { fallbackSage: 'ada', depth: 'quick' },
    models: {
      default: 'rehearsal:sages',
      providers: { rehearsal: { baseUrl: rehearsal.baseUrl } },
    },
    ...settings,
  });
  let text = '';
  const start = () => {
    const given = [program, '--config', join(project, 'config'), ...words];
    const started = spawn(process.execPath, given, {
      cwd: project,
      env: {
        PATH: process.env.PATH,
        HOME: project,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => {
      started.kill('SIGKILL');
    });
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (piece) => (text += piece));
    }
    return started;
  };
  const child = start();
  return {
    child,
    folder: project,
    printed: () => text,
    again: start,
    async end(which = child) {
      const exited = once(which, 'exit');
      which.kill('SIGTERM');
      await exited;
      return which.exitCode;
    },
  };
}
