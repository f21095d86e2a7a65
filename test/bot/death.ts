/** The death of a process at a step of its own: what it was about to do, or has just done, is its last. */

/** Of a process: ends it at one of its steps, before what the step does or right after. */
export class Death {
  steps = 0;
  isDead = false;
  readonly #at: number;
  readonly #when: 'before' | 'after';
  constructor(at: number, when: 'before' | 'after') {
    this.#at = at;
    this.#when = when;
  }

  async step<Result>(action: () => Promise<Result>): Promise<Result> {
    if (this.isDead) throw new Error('Nothing is done by the dead.');
    this.steps += 1;
    const isLast = this.steps === this.#at;
    if (isLast && this.#when === 'before') this.#die();
    const result = await action();
    if (isLast) this.#die();
    return result;
  }

  #die(): never {
    this.isDead = true;
    throw new Error('The process was killed.');
  }
}

/** The same store; each verb that is called is a step. */
export function mortal<Part extends object>(part: Part, death: Death): Part {
  return new Proxy(part, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found === 'function') {
        return (...args: readonly unknown[]) =>
          death.step(async () => Reflect.apply(found, target, args));
      }
      return typeof found === 'object' && found !== null ? mortal(found, death) : found;
    },
  });
}

export const immortal = () => new Death(Number.POSITIVE_INFINITY, 'after');
