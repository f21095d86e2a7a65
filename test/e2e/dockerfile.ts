/** A Dockerfile as a list of instructions, for a test that follows them without Docker. */

export interface Instruction {
  /** In capitals, e.g. `COPY`. */
  readonly keyword: string;
  /** All that follows it, continued lines joined. */
  readonly rest: string;
}

/** Reads the instructions in order; comments and empty lines are left out. */
export function readDockerfile(text: string): readonly Instruction[] {
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'));
  return lines
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, keyword = '', rest = ''] = /^\s*([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      if (keyword === '') throw new Error(`This line of the Dockerfile can't be read: ${line}`);
      return { keyword, rest: rest.trim() };
    });
}

export interface Copy {
  /** Name of the stage that it copies from; absent: from the project. */
  readonly from?: string;
  readonly sources: readonly string[];
  readonly target: string;
}

/** Reads what follows `COPY`. */
export function readCopy(rest: string): Copy {
  const words = rest.split(/\s+/);
  const from = /^--from=(.+)$/.exec(words[0] ?? '')?.[1];
  const paths = from === undefined ? words : words.slice(1);
  const target = paths.at(-1);
  if (target === undefined || paths.length < 2 || paths.some((path) => path.startsWith('--'))) {
    throw new Error(`This COPY is not known to the test: ${rest}`);
  }
  return { sources: paths.slice(0, -1), target, ...(from === undefined ? {} : { from }) };
}
