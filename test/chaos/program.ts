/** The whole program in processes of its own, which are started again when they have been killed. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { End, Life } from './record.ts';

const source = fileURLToPath(new URL('../../src/index.ts', import.meta.url));

const lineSchema = z.looseObject({
  time: z.coerce.date(),
  pid: z.number(),
  level: z.string(),
  msg: z.string(),
  turnId: z.string().exactOptional(),
  starts: z.number().exactOptional(),
});

/** A line of the log. */
export type LogLine = z.infer<typeof lineSchema>;

export interface ProgramOptions {
  /** With `config/` in it. */
  readonly folder: string;
  readonly role: 'all' | 'gateway' | 'worker';
  /** Default: the role. */
  readonly name?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly onLine: (line: LogLine) => void;
}

/** After which a process that does not come up is killed, in milliseconds. */
const startsWithinMs = 60_000;

/** Ended with the one that started them, however that ends. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** What is written down of a process while it lives. */
interface OpenLife extends Life {
  readyAt?: number;
  end?: End;
  readonly halts: { readonly from: number; to?: number }[];
}

/** One process after another, of which at most one runs. */
export class Program {
  readonly role: ProgramOptions['role'];
  readonly #options: ProgramOptions;
  #child: ChildProcess | undefined;
  #said = '';
  readonly #lives: OpenLife[] = [];

  constructor(options: ProgramOptions) {
    this.role = options.role;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** All processes so far, the first one first. */
  get lives(): readonly Life[] {
    return this.#lives;
  }

  /** It works. */
  get isReady(): boolean {
    const { readyAt, end } = this.#lives.at(-1) ?? {};
    // One that was just killed is not gone yet.
    return readyAt !== undefined && end === undefined && !this.#isHalted;
  }

  get #isHalted(): boolean {
    const halt = this.#lives.at(-1)?.halts.at(-1);
    return halt !== undefined && halt.to === undefined;
  }

  /** For how long it has worked, in milliseconds; 0 while it does not. */
  get upMs(): number {
    return this.isReady ? Date.now() - (this.#lives.at(-1)?.readyAt ?? Date.now()) : 0;
  }

  /** What this process printed that is no line of the log. */
  get said(): string {
    return this.#said;
  }

  /** Starts it and resolves when it works, or has ended; one that does neither is killed after a minute. */
  async start(): Promise<void> {
    const { folder, role, name = role, environment, onLine } = this.#options;
    this.#said = '';
    const startedAt = Date.now();
    const child = spawn(process.execPath, [source, '--config', `${folder}/config`], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        COUNCIL_ROLE: role,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    running.add(child);
    const life: OpenLife = { name, role, pid: child.pid ?? 0, startedAt, halts: [] };
    this.#lives.push(life);
    child.once('exit', () => {
      running.delete(child);
      life.end ??= { at: Date.now(), how: 'by itself', said: this.#said };
    });
    createInterface({ input: child.stderr }).on('line', (text) => {
      const line = lineSchema.safeParse(jsonOf(text));
      if (line.success) onLine(line.data);
      else this.#said += `${text}\n`;
    });
    const works = role === 'worker' ? 'Runs the questions' : 'Connected to ';
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    createInterface({ input: child.stdout }).on('line', (text) => {
      this.#said += `${text}\n`;
      if (!text.includes(works)) return;
      life.readyAt ??= Date.now();
      resolve();
    });
    const gone = once(child, 'exit');
    const hung = setTimeout(() => {
      life.end ??= { at: Date.now(), how: 'hung', said: this.#said };
      child.kill('SIGKILL');
    }, startsWithinMs);
    await Promise.race([ready, gone]);
    clearTimeout(hung);
  }

  /** Halts it until {@link wake}: it does nothing, and its connections stay open. */
  halt(): void {
    this.#lives.at(-1)?.halts.push({ from: Date.now() });
    this.#child?.kill('SIGSTOP');
  }

  /** Does nothing to a process that is not halted. */
  wake(): void {
    const halt = this.#lives.at(-1)?.halts.at(-1);
    if (!halt || halt.to !== undefined) return;
    this.#child?.kill('SIGCONT');
    halt.to = Date.now();
  }

  /** @returns The process's id, once it is gone. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | undefined> {
    const child = this.#child;
    const life = this.#lives.at(-1);
    if (!child || !life || this.isGone) return undefined;
    const gone = once(child, 'exit');
    life.end ??= { at: Date.now(), how: signal === 'SIGKILL' ? 'killed' : 'asked' };
    child.kill(signal);
    await gone;
    return child.pid;
  }

  /** Resolves when the process has ended, by itself or otherwise. */
  async gone(): Promise<void> {
    if (this.#child && !this.isGone) await once(this.#child, 'exit');
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
