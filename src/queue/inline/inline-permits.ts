import type { Permits, PermitWanted } from '../permits.ts';

/** Permits of a single process. */
export function createInlinePermits(): Permits {
  return new InlinePermits();
}

/** Those who wait for one thing, and how many have it. */
interface Line {
  held: number;
  /** By share; the share whose turn it is comes first, and in each who asked first. None is empty. */
  readonly waiting: Map<string, Set<() => void>>;
}

class InlinePermits implements Permits {
  /** By name; those that nobody holds or waits for are dropped. */
  readonly #lines = new Map<string, Line>();

  async acquire({ name, limit, share }: PermitWanted, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const line = this.#lines.get(name) ?? { held: 0, waiting: new Map() };
    this.#lines.set(name, line);
    const { promise, resolve: admit, reject } = Promise.withResolvers<void>();
    const callers = line.waiting.get(share) ?? new Set();
    line.waiting.set(share, callers.add(admit));
    const leave = () => {
      if (callers.delete(admit) && callers.size === 0) line.waiting.delete(share);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#admit(name, line, limit);
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      line.held -= 1;
      this.#admit(name, line, limit);
    };
  }

  #admit(name: string, line: Line, limit: number): void {
    while (line.held < limit) {
      const [next] = line.waiting;
      if (next === undefined) break;
      const [share, callers] = next;
      const [admit] = callers;
      line.waiting.delete(share);
      if (admit === undefined) continue;
      callers.delete(admit);
      // Its next caller waits until all other shares have had their turn.
      if (callers.size > 0) line.waiting.set(share, callers);
      line.held += 1;
      admit();
    }
    if (line.held === 0 && line.waiting.size === 0) this.#lines.delete(name);
  }
}
