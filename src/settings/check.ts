/** Checks data against a schema and reports every mistake with its line. */

import { z } from 'zod';
import type { Mistake, SettingPath, YamlSource } from './config-source.ts';

/** What {@link check} returns. */
export interface Checked<Value> {
  /** Absent when there is any mistake. */
  readonly value?: Value;
  readonly mistakes: readonly Mistake[];
  /** The paths of the mistakes. */
  readonly faulty: readonly SettingPath[];
}

/** Checks a file's data. The schemas' errors say what is expected, with an example. */
export function check<Value>(schema: z.ZodType<Value>, source: YamlSource): Checked<Value> {
  const parsed = schema.safeParse(source.data ?? {});
  if (parsed.success) return { value: parsed.data, mistakes: [], faulty: [] };
  const found = parsed.error.issues.flatMap((issue) => findings(issue, schema, source.data));
  return {
    faulty: found.map(({ path }) => path),
    mistakes: found.map(({ path, text }) => mistakeAt(source, path, text)),
  };
}

/** A mistake in a setting of this source. */
export function mistakeAt(source: YamlSource, path: SettingPath, text: string): Mistake {
  const setting = path.length === 0 ? undefined : dotted(path);
  return { file: source.file, line: source.lineOf(path), setting, text };
}

/** The value at the path, or `undefined`. */
export function valueAt(data: unknown, path: SettingPath): unknown {
  let value = data;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

interface Finding {
  readonly path: SettingPath;
  readonly text: string;
}

function findings(issue: z.core.$ZodIssue, schema: z.ZodType, data: unknown): Finding[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], text: unknownKey(schema, path, key) }));
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map(({ message }) => ({ path, text: `the name is not ${message}` }));
  }
  const value = valueAt(data, path);
  if (value === undefined) return [{ path, text: `is missing. Expected: ${issue.message}` }];
  // Someone may have written the key itself in place of its variable's name.
  const isKeyName = path.at(-1) === 'apiKeyEnv' && typeof value === 'string';
  const shown = isKeyName ? hiddenText(value) : shownValue(value);
  return [{ path, text: `${shown} is not ${issue.message}` }];
}

function unknownKey(schema: z.ZodType, group: SettingPath, key: string): string {
  const known = settingNames(schema, group);
  const meant = nearest(key, known) ?? inOtherGroup(schema, key);
  return meant === undefined
    ? `no such setting. Known here: ${known.join(', ')}`
    : `no such setting. Did you mean ${meant}?`;
}

/** A setting with exactly this name in another group. */
function inOtherGroup(schema: z.ZodType, key: string): string | undefined {
  const settings = settingLeaves(schema).map(({ setting }) => setting);
  return settings.find((setting) => setting.endsWith(`.${key}`));
}

function dotted(path: SettingPath): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      return index === 0 ? shownName(step) : `.${shownName(step)}`;
    })
    .join('');
}

/** Longer text is cut. The line number leads to the rest. */
const maxShownChars = 60;

/**
 * Describes a value in a few words: `"opus"`, `12`, `a list`. Hides text that could be a key or contain a
 * password: `a text of 51 characters`.
 */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a group of settings';
  if (typeof value !== 'string') return String(value);
  if (mayBeSecret(value)) return hiddenText(value);
  return JSON.stringify(value.length > maxShownChars ? `${value.slice(0, maxShownChars)}…` : value);
}

/** Gives only the length of a text. */
function hiddenText(text: string): string {
  return `a text of ${text.length} characters`;
}

/** A name from a file, for use in a sentence. Hidden if it could be a key. */
export function shownName(name: string): string {
  if (mayBeSecret(name)) return `(${hiddenText(name)})`;
  return name.length > maxShownChars ? `${name.slice(0, maxShownChars)}…` : name;
}

/** Errs on the side of hiding, because people can look up the value in the file. */
function mayBeSecret(text: string): boolean {
  return (
    /(?:^|[^a-z])(?:sk|pk|gsk|hf|xai|xox[a-z]|xapp|gh[a-z]|github_pat|AIza)[-_]/i.test(text) ||
    text.includes('@') ||
    text.includes('?') ||
    (text.match(/[\w+/=.-]{20,}/g) ?? []).some(looksRandom)
  );
}

/** Unlike names, keys mix digits with letters of both cases or are long runs of hexadecimal digits. */
function looksRandom(run: string): boolean {
  return (/\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run)) || /[\da-f]{24,}/i.test(run);
}

/**
 * Finds the known word closest to a mistyped one, or `undefined` if none is close. Ignores case, `_` and
 * `-`: `max_sages` finds `maxSages`.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const wanted = folded(word);
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(wanted, folded(candidate)) }))
    .filter(({ distance }) => distance <= allowed)
    .toSorted((one, other) => one.distance - other.distance);
  return best?.candidate;
}

/** Bounds the work for long words. No setting's name is nearly as long. */
const maxComparedChars = 100;

function folded(word: string): string {
  return word.toLowerCase().replaceAll(/[_-]/g, '').slice(0, maxComparedChars);
}

/**
 * The number of insertions, deletions, replacements and swaps of neighbouring letters between two words
 * (optimal string alignment).
 */
export function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(from.length, to.length);
}

/** One setting. */
interface SettingLeaf {
  /** Dotted path, with `<…>` for a name that the operator chooses, e.g. `models.sages.<sage>`. */
  readonly setting: string;
  /** `undefined`: no default. */
  readonly fallback: unknown;
  /** Markdown. */
  readonly description: string;
}

type Node = z.core.JSONSchema._JSONSchema;

/** All settings of a schema, in its order. */
export function settingLeaves(schema: z.ZodType): SettingLeaf[] {
  return leavesBelow(z.toJSONSchema(schema), '', '');
}

/** The names of the settings in a group. Empty if the path leads to no group. */
function settingNames(schema: z.ZodType, path: readonly (string | number)[]): string[] {
  let node: Node | undefined = z.toJSONSchema(schema);
  for (const step of path) {
    if (typeof node !== 'object') return [];
    node = node.properties?.[step] ?? node.additionalProperties;
  }
  return typeof node === 'object' ? Object.keys(node.properties ?? {}) : [];
}

/** Values of a record inherit the record's description if they have none. */
function leavesBelow(node: Node | undefined, setting: string, inherited: string): SettingLeaf[] {
  if (typeof node !== 'object') return [];
  const description = node.description ?? inherited;
  const inner = Object.entries(node.properties ?? {});
  const { propertyNames, additionalProperties } = node;
  if (typeof propertyNames === 'object') {
    inner.push([`<${propertyNames.title ?? 'name'}>`, additionalProperties ?? {}]);
  }
  if (inner.length === 0) return [{ setting, fallback: node.default, description }];
  return inner.flatMap(([name, child]) =>
    leavesBelow(child, setting === '' ? name : `${setting}.${name}`, description),
  );
}
