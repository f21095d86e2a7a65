import { setTimeout as wait } from 'node:timers/promises';
import { type LogLine, Program } from './program.ts';
import type { Random } from './random.ts';
import type { Life } from './record.ts';

/** Of the kills and of the halts, how many are the gateway's. */
export const gatewayShare = 0.2;
/** How long a gateway is left to take something in, in milliseconds. */
const gatewayWorksMs = 3000;
/** How long a moment to strike is waited for, in milliseconds. */
const aimsForMs = 3000;
/** How often a process is started that ends at once. */
const mostStarts = 5;
/** A process that is asked to end and does not is killed after so long, in milliseconds. */
const endsWithinMs = 5000;

/**
 * When a process is struck: at any moment, or right after it has logged something, or someone has
 * asked something. The latter are for what lasts a few milliseconds.
 */
export type Aim =
  | 'any'
  | 'turn taken from the queue'
  | 'council seated'
  | 'verdict reached'
  | 'asked';

export interface FleetOptions {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly workers: number;
  readonly random: Random;
  readonly onLine: (line: LogLine) => void;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
}

/** What is struck, and when. */
export interface Strike {
  readonly role: 'gateway' | 'worker';
  readonly aim: Aim;
}

/** A gateway and workers; one that has ended is started again at once, as a supervisor would. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #programs: readonly Program[];
  readonly #aims = new Set<(happened: string, pid?: number) => void>();
  readonly #troubles: string[] = [];
  #isEnding = false;

  constructor(options: FleetOptions) {
    const { folder, environment, workers, onLine } = options;
    this.#options = options;
    const names = ['gateway', ...Array.from({ length: workers }, (_, at) => `worker ${at + 1}`)];
    this.#programs = names.map(
      (name) =>
        new Program({
          folder,
          environment,
          name,
          role: name === 'gateway' ? name : 'worker',
          onLine: (line) => {
            onLine(line);
            this.happens(line.msg, line.pid);
          },
        }),
    );
  }

  /** All processes so far. */
  get lives(): readonly Life[] {
    return this.#programs.flatMap(({ lives }) => lives);
  }

  /** What kept a process from being started again. */
  get troubles(): readonly string[] {
    return this.#troubles;
  }

  /** Tells those who wait for a moment to strike. */
  happens(what: string, pid?: number): void {
    for (const aim of [...this.#aims]) aim(what, pid);
  }

  /** Starts all, and resolves when they work. Each is started again whenever it has ended. */
  async start(): Promise<void> {
    await Promise.all(this.#programs.map((program) => this.#keepUp(program)));
  }

  /** A start that finds no Redis server ends, and is made again. @returns When it works for the first time. */
  async #keepUp(program: Program): Promise<void> {
    let failed = 0;
    for (; failed < mostStarts && !this.#isEnding; failed += 1) {
      await program.start();
      if (program.isGone) continue;
      void program.gone().then(() => this.#keepUp(program));
      return;
    }
    if (!this.#isEnding) {
      this.#troubles.push(`A ${program.role} could not be started again:\n${program.said}`);
    }
  }

  /** Ends a process as a crash would. */
  async kill(strike: Strike): Promise<void> {
    const program = await this.#victim(strike);
    await program.end('SIGKILL');
  }

  /** Halts a process for so long, which then goes on as if nothing had been. */
  async halt(strike: Strike, forMs: number): Promise<void> {
    const program = await this.#victim(strike);
    program.halt();
    try {
      await wait(forMs, undefined, { signal: this.#options.signal });
    } finally {
      program.wake();
    }
  }

  /** A process of the role: of workers not the only one that works, nor a gateway that is hardly up. */
  #mortal(role: Strike['role']): readonly Program[] {
    const up = this.#programs.filter((program) => program.isReady && program.role === role);
    if (role === 'worker') return up.length > 1 ? up : [];
    return up.filter(({ upMs }) => upMs > gatewayWorksMs);
  }

  async #victim({ role, aim }: Strike): Promise<Program> {
    const { random, signal } = this.#options;
    const pid = aim === 'any' ? undefined : await this.#moment(role, aim);
    if (aim !== 'any') await wait(random.between(0, 20), undefined, { signal });
    for (;;) {
      const mortal = this.#mortal(role);
      const found = mortal.find((program) => program.pid === pid) ?? mortal[0];
      if (found) return pid === undefined ? random.pick(mortal) : found;
      await wait(50, undefined, { signal });
    }
  }

  /** @returns Which process it happened in; `undefined` when it happened in none that may be struck. */
  async #moment(role: Strike['role'], aim: Aim): Promise<number | undefined> {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const look = (happened: string, pid?: number) => {
      if (happened !== aim) return;
      if (pid === undefined || this.#mortal(role).some((program) => program.pid === pid))
        resolve(pid);
    };
    this.#aims.add(look);
    const tooLate = setTimeout(() => resolve(undefined), aimsForMs);
    try {
      return await promise;
    } finally {
      clearTimeout(tooLate);
      this.#aims.delete(look);
    }
  }

  /** Asks all to end, and ends those that do not. */
  async end(): Promise<void> {
    this.#isEnding = true;
    for (const program of this.#programs) program.wake();
    const asked = Promise.all(this.#programs.map((program) => program.end('SIGTERM')));
    await Promise.race([asked, wait(endsWithinMs)]);
    await Promise.all(this.#programs.map((program) => program.end('SIGKILL')));
  }
}
