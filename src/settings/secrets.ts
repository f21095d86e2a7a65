/** What comes from the environment. */

import { inspect, parseEnv } from 'node:util';

/** A process's environment, or what stands for it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment's variables over those of a `.env` file. A variable that is empty or blank counts as
 * not set; blanks around a value, which come with pasting, are cut off.
 *
 * @param envFile - Text of the `.env` file; empty where there is none.
 */
export function withEnvFile(environment: Environment, envFile: string): Environment {
  return { ...filled(parseEnv(envFile)), ...filled(environment) };
}

function filled(variables: Environment): Record<string, string> {
  const entries = Object.entries(variables).map(([name, value]) => [name, value?.trim()] as const);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
}

/** Secrets by the names of their environment variables. Printing or serialising it shows the names alone. */
export class Secrets {
  readonly #values: ReadonlyMap<string, string>;

  /** Takes those of the named variables that are set. */
  constructor(environment: Environment, names: readonly string[]) {
    const values = new Map<string, string>();
    for (const name of names) {
      const value = environment[name];
      if (value !== undefined) values.set(name, value);
    }
    this.#values = values;
  }

  /** The secret; `undefined` where the variable is not set or was not asked for. */
  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** The variables that are set, in the order in which they were asked for. */
  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** Names, each with a placeholder for its value. */
  toJSON(): Record<string, string> {
    return Object.fromEntries(this.names.map((name) => [name, '(secret)']));
  }

  [inspect.custom](): Record<string, string> {
    return this.toJSON();
  }
}
