/** The whole program in processes of its own, which are started again when they have been killed. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const source = fileURLToPath(new URL('../../src/index.ts', import.meta.url));

const lineSchema = z.looseObject({
  time: z.coerce.date(),
  pid: z.number(),
  level: z.string(),
  msg: z.string(),
  turnId: z.string().exactOptional(),
});

/** A line of the log. */
export type LogLine = z.infer<typeof lineSchema>;

export interface ProgramOptions {
  /** With `config/` in it. */
  readonly folder: string;
  readonly role: 'all' | 'gateway' | 'worker';
  readonly environment: Readonly<Record<string, string>>;
  readonly onLine: (line: LogLine) => void;
}

/** Ended with the one that started them, however that ends. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** One process after another, of which at most one runs. */
export class Program {
  readonly role: ProgramOptions['role'];
  readonly #options: ProgramOptions;
  #child: ChildProcess | undefined;
  #said = '';
  #isReady = false;
  #readyAt = 0;

  constructor(options: ProgramOptions) {
    this.role = options.role;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** It works. */
  get isReady(): boolean {
    return this.#isReady && !this.isGone;
  }

  /** For how long it has worked, in milliseconds; 0 while it does not. */
  get upMs(): number {
    return this.isReady ? performance.now() - this.#readyAt : 0;
  }

  /** What this process printed that is no line of the log. */
  get said(): string {
    return this.#said;
  }

  /** Starts it and resolves when it works. */
  async start(): Promise<void> {
    const { folder, role, environment, onLine } = this.#options;
    this.#said = '';
    this.#isReady = false;
    const child = spawn(process.execPath, [source, '--config', `${folder}/config`], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, COUNCIL_ROLE: role, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    running.add(child);
    child.once('exit', () => running.delete(child));
    createInterface({ input: child.stderr }).on('line', (text) => {
      const line = lineSchema.safeParse(jsonOf(text));
      if (line.success) onLine(line.data);
      else this.#said += `${text}\n`;
    });
    const works = role === 'worker' ? 'Works on what' : 'Connected to ';
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    createInterface({ input: child.stdout }).on('line', (text) => {
      this.#said += `${text}\n`;
      if (!text.includes(works)) return;
      this.#isReady = this.#child === child;
      this.#readyAt = performance.now();
      resolve();
    });
    await Promise.race([ready, once(child, 'exit')]);
  }

  /** @returns The process's id, once it is gone. */
  async end(signal: NodeJS.Signals): Promise<number | undefined> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return undefined;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
    return child.pid;
  }

  /** It has ended, by itself or otherwise. */
  get isGone(): boolean {
    return !this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
