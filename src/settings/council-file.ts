/** The file `council.yaml`. */

import { check } from './check.ts';
import type { Mistake } from './config-error.ts';
import { type Settings, settingsSchema } from './schema.ts';
import { shownPath } from './shown-path.ts';
import { readTextFile } from './text-file.ts';
import { usableSettings } from './usable-settings.ts';
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

/** Reads the file. A missing or an empty one gives all defaults. */
export function readCouncilFile(path: string): CouncilFile {
  const file = shownPath(path);
  const read = readTextFile(path);
  const source = readYaml(file, read.status === 'read' ? read.text : '');
  if (read.status === 'unreadable') {
    return { source, faulty: [], mistakes: [{ file, text: read.problem }] };
  }
  if (source.data === undefined) return { source, faulty: [], mistakes: source.mistakes };
  const { value, faulty, mistakes } = check(settingsSchema, source);
  const settings = value ?? usableSettings(source.data, faulty);
  return { source, settings, faulty, mistakes: [...source.mistakes, ...mistakes] };
}
