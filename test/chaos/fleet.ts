import { setTimeout as wait } from 'node:timers/promises';
import { type LogLine, Program } from './program.ts';
import type { Random } from './random.ts';
import { TakeOvers } from './take-overs.ts';

/** Of the kills, how many are the gateway's. */
const gatewayShare = 0.2;
/** How long a gateway is left to take something in, in milliseconds. */
const gatewayWorksMs = 5000;

/** A gateway and workers; one that was killed is started again at once, as a supervisor would. */
export class Fleet {
  readonly takeOvers = new TakeOvers();
  /** Errors that a process logged, as far as nothing outside was the cause. */
  readonly faults: string[] = [];
  readonly #programs: readonly Program[];
  readonly #starting = new Set<Promise<void>>();
  #kills = 0;
  /** Since when no worker is up (ms since 1970). */
  #downSince: number | undefined;

  constructor(options: {
    readonly folder: string;
    readonly environment: Readonly<Record<string, string>>;
    readonly workers: number;
    /** Told what the processes log beside the course of their turns. */
    readonly onTrouble: (line: LogLine) => void;
  }) {
    const { folder, environment, workers, onTrouble } = options;
    const roles = ['gateway' as const, ...Array.from({ length: workers }, () => 'worker' as const)];
    this.#programs = roles.map(
      (role) =>
        new Program({
          ...{ folder, environment, role },
          onLine: (line) => {
            this.takeOvers.hear(line);
            if (line.level !== 'info') onTrouble(line);
          },
        }),
    );
  }

  get kills(): number {
    return this.#kills;
  }

  async start(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.start()));
    this.#noteWhoIsUp(Date.now());
    const lame = this.#programs.find(({ isGone }) => isGone);
    if (lame) throw new Error(`A ${lame.role} ended at its start:\n${lame.said}`);
  }

  /**
   * Ends a process at random as a crash would: not the only worker, which nobody could follow, nor a
   * gateway that is hardly up, because while that is away nobody gets a turn.
   */
  async killOne(random: Random): Promise<void> {
    const role = random.next() < gatewayShare ? 'gateway' : 'worker';
    const mortal = () => {
      const up = this.#programs.filter((program) => program.isReady && program.role === role);
      if (role === 'worker') return up.length > 1 ? up : [];
      return up.filter(({ upMs }) => upMs > gatewayWorksMs);
    };
    while (mortal().length === 0) await wait(50);
    const program = random.pick(mortal());
    const at = Date.now();
    const pid = await program.end('SIGKILL');
    if (pid === undefined) return;
    this.#kills += 1;
    this.takeOvers.killed(pid, at);
    this.#noteWhoIsUp(at);
    const starting = this.#restart(program);
    this.#starting.add(starting);
    void starting.finally(() => this.#starting.delete(starting));
  }

  /** A start that finds no Redis server ends, and is made again. */
  async #restart(program: Program): Promise<void> {
    for (let tries = 0; tries < 5; tries += 1) {
      await program.start();
      this.#noteWhoIsUp(Date.now());
      if (!program.isGone) return;
    }
    this.faults.push(`A ${program.role} could not be started again:\n${program.said}`);
  }

  #noteWhoIsUp(now: number): void {
    if (!this.#programs.some(({ role, isReady }) => role === 'worker' && isReady)) {
      this.#downSince ??= now;
    } else if (this.#downSince !== undefined) {
      this.takeOvers.nobodyWasUp(this.#downSince, now);
      this.#downSince = undefined;
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#starting);
    await Promise.all(this.#programs.map((program) => program.end('SIGKILL')));
  }
}
