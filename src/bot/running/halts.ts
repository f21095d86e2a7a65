/** Notices when this process stood still: halted, its machine suspended, or too busy for anything else. */

const beatMs = 250;
/** Other processes take over only after a longer silence. In milliseconds. */
const stillMs = 1000;

/** Both go on while the process is halted; the wall clock also while the machine is suspended. */
const processClocks = [() => performance.now(), () => Date.now()] as const;

export class Halts {
  readonly #clocks: readonly (() => number)[];
  readonly #timer: NodeJS.Timeout;
  #lastBeats: readonly number[];
  #noticedAt = Number.NEGATIVE_INFINITY;

  /** @param clocks - In milliseconds; the first one never goes back. */
  constructor(clocks: readonly (() => number)[] = processClocks) {
    this.#clocks = clocks;
    this.#lastBeats = clocks.map((clock) => clock());
    this.#timer = setInterval(() => this.#beat(), beatMs).unref();
  }

  /**
   * Whether the process stood still for a second or longer and went on after this moment. Already true
   * for the first code that runs after a halt.
   *
   * @param moment - As `performance.now()` tells it.
   */
  since(moment: number): boolean {
    this.#beat();
    return this.#noticedAt >= moment;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    const before = this.#lastBeats;
    this.#lastBeats = this.#clocks.map((clock) => clock());
    const [now = 0] = this.#lastBeats;
    if (this.#lastBeats.some((beat, clock) => beat - (before[clock] ?? beat) > stillMs)) {
      this.#noticedAt = now;
    }
  }
}
