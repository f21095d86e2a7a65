/** The file `council.yaml`. */

import { check } from './check.ts';
import type { Mistake } from './config-error.ts';
import { isGroup } from './file-kinds.ts';
import { type Settings, settingsSchema } from './file-table.ts';
import { readTextFile, shownPath } from './text-file.ts';
import { readYaml, type SettingPath, type YamlSource } from './yaml-source.ts';

/** What was read from `council.yaml`. */
export interface CouncilFile {
  /** For the lines of later findings. */
  readonly source: YamlSource;
  /** Everything in it that is right by itself; absent where the file can't be read as YAML. */
  readonly settings?: Settings;
  /** Where it is wrong. */
  readonly faulty: readonly SettingPath[];
  readonly mistakes: readonly Mistake[];
}

const missingFile = 'is missing. Write it, or name another one';

/**
 * Reads the file. An empty one gives all defaults.
 *
 * @param mayBeMissing - Whether a missing one does as well.
 */
export function readCouncilFile(path: string, mayBeMissing: boolean): CouncilFile {
  const file = shownPath(path);
  const read = readTextFile(path);
  const source = readYaml(file, read.status === 'read' ? read.text : '');
  const problem = read.status === 'unreadable' ? read.problem : undefined;
  const missing = read.status === 'missing' && !mayBeMissing ? missingFile : undefined;
  const text = problem ?? missing;
  if (text !== undefined) return { source, faulty: [], mistakes: [{ file, text }] };
  if (source.data === undefined) return { source, faulty: [], mistakes: source.mistakes };
  const { value, faulty, mistakes } = check(settingsSchema, source);
  const settings = value ?? usableSettings(source.data, faulty);
  return { source, settings, faulty, mistakes: [...source.mistakes, ...mistakes] };
}

/**
 * The settings that a faulty file would give if everything faulty were left out of it.
 *
 * @param data - What the file says.
 * @param faulty - Where it is wrong, as found by checking it once.
 */
function usableSettings(data: unknown, faulty: readonly SettingPath[]): Settings {
  const distinct = new Map(faulty.map((path) => [JSON.stringify(path), path]));
  const rest = [...distinct.values()].reduce<unknown>(without, data) ?? {};
  const parsed = settingsSchema.safeParse(rest);
  if (parsed.success) return parsed.data;
  // Leaving out a value can uncover that the one beside it is missing: each round leaves out more.
  const paths = parsed.error.issues.map(({ path }) => path.map((step) => String(step)));
  return usableSettings(rest, paths);
}

/** A copy without what the path leads to; where just its last step is missing, without the group that lacks it. */
function without(data: unknown, [step, ...rest]: SettingPath): unknown {
  if (step === undefined || !isGroup(data)) return undefined;
  if (!Object.hasOwn(data, step)) return rest.length === 0 ? undefined : data;
  const { [step]: inner, ...others } = data;
  const remaining = rest.length === 0 ? undefined : without(inner, rest);
  return remaining === undefined ? others : { ...others, [step]: remaining };
}
