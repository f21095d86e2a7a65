/** What is wrong with a configuration: all of it at once. */

/** One thing that a person has to fix. */
export interface Mistake {
  /** The file as a person would name it, e.g. `config/council.yaml`; or `environment`. */
  readonly file: string;
  /** Counted from 1; absent where no line can be named. */
  readonly line?: number | undefined;
  /** The setting in dotted form, e.g. `models.chair`; absent where the whole file is meant. */
  readonly setting?: string | undefined;
  /** What was found, what is expected, and an example. Holds no secret. */
  readonly text: string;
}

/** The configuration can't be used. Its message lists every mistake, one per line, by file and line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly mistakes: readonly Mistake[];

  constructor(mistakes: readonly Mistake[]) {
    const sorted = mistakes.toSorted(
      (one, other) =>
        one.file.localeCompare(other.file, 'en') || (one.line ?? 0) - (other.line ?? 0),
    );
    const lines = [...new Set(sorted.map(sentence))];
    const opening =
      lines.length === 1
        ? 'The configuration has a mistake:'
        : `The configuration has ${lines.length} mistakes:`;
    super([opening, ...lines].join('\n'));
    this.mistakes = sorted;
  }
}

function sentence({ file, line, setting, text }: Mistake): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return setting === undefined ? `${place} ${text}` : `${place} ${setting}: ${text}`;
}
