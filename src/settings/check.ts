/** Data against a schema, with every mistake at its line. */

import { z } from 'zod';
import type { Mistake } from './config-error.ts';
import type { SettingPath, YamlSource } from './yaml-source.ts';

/** The result of {@link check}. */
export interface Checked<Value> {
  /** Absent when there is any mistake. */
  readonly value?: Value;
  readonly mistakes: readonly Mistake[];
  /** Where the mistakes are. */
  readonly faulty: readonly SettingPath[];
}

/** Checks what a file says. Each schema's own error says what is expected, with an example. */
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

/** What the path leads to, or `undefined`. */
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
  if (value === undefined) return [{ path, text: `is missing. Expected is ${issue.message}` }];
  // The key itself may stand where the name of its variable belongs.
  const isKeyName = path.at(-1) === 'apiKeyEnv' && typeof value === 'string';
  const shown = isKeyName ? hiddenText(value) : shownValue(value);
  return [{ path, text: `${shown} is not ${issue.message}` }];
}

function unknownKey(schema: z.ZodType, group: SettingPath, key: string): string {
  const known = settingNames(schema, group);
  const meant = nearest(key, known) ?? elsewhere(schema, key);
  return meant === undefined
    ? `no such setting. Known here: ${known.join(', ')}`
    : `no such setting. Did you mean ${meant}?`;
}

/** A setting of exactly this name in another group. */
function elsewhere(schema: z.ZodType, key: string): string | undefined {
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

/** Longer text is cut: the line number tells where the rest is. */
const maxShownChars = 60;

/**
 * A value in a few words: `"opus"`, `12`, `a list`. Text that could be a key, or an address with a
 * password in it, is only counted: `a text of 51 characters`.
 */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a group of settings';
  if (typeof value !== 'string') return String(value);
  if (mayBeSecret(value)) return hiddenText(value);
  return JSON.stringify(value.length > maxShownChars ? `${value.slice(0, maxShownChars)}…` : value);
}

/** Tells only how long a text is. */
function hiddenText(text: string): string {
  return `a text of ${text.length} characters`;
}

/** A name from a file, for use in a sentence; hidden where it may be a key. */
export function shownName(name: string): string {
  if (mayBeSecret(name)) return `(${hiddenText(name)})`;
  return name.length > maxShownChars ? `${name.slice(0, maxShownChars)}…` : name;
}

/** Errs on the side of hiding: what is hidden can be read in the file. */
function mayBeSecret(text: string): boolean {
  return (
    /(?:^|[^a-z])(?:sk|pk|gsk|hf|xai|xox[a-z]|xapp|gh[a-z]|github_pat|AIza)[-_]/i.test(text) ||
    text.includes('@') ||
    text.includes('?') ||
    (text.match(/[\w+/=.-]{20,}/g) ?? []).some(looksRandom)
  );
}

/** Keys mix digits with letters of both cases, or are long runs of hexadecimal digits; names don't. */
function looksRandom(run: string): boolean {
  return (/\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run)) || /[\da-f]{24,}/i.test(run);
}

/**
 * The known word that a mistyped one was probably meant to be, or none when all are too far off.
 * Case, `_` and `-` don't count, so that `max_sages` finds `maxSages`.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const wanted = folded(word);
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(wanted, folded(candidate));
    if (distance <= allowed && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) {
      best = { candidate, distance };
    }
  }
  return best?.candidate;
}

/** No setting's name comes near this length; a longer word is compared by its beginning. */
const maxComparedChars = 100;

function folded(word: string): string {
  return word.toLowerCase().replaceAll(/[_-]/g, '').slice(0, maxComparedChars);
}

/**
 * How many letters have to be put in, taken out, replaced or swapped with their neighbour to make
 * one word from the other (optimal string alignment).
 */
export function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped =
        !isSame && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

/** One setting. */
interface SettingLeaf {
  /** Dotted, with `<…>` for a name that the operator chooses, e.g. `models.sages.<sage>`. */
  readonly setting: string;
  /** `undefined`: there is none. */
  readonly fallback: unknown;
  /** One sentence or a few, in Markdown. */
  readonly description: string;
}

type Node = z.core.JSONSchema._JSONSchema;

/** All settings of a schema, in its order. */
export function settingLeaves(schema: z.ZodType): SettingLeaf[] {
  return leavesBelow(z.toJSONSchema(schema), '', '');
}

/** The names that a group of settings has; none where the path leads to no group. */
function settingNames(schema: z.ZodType, path: readonly (string | number)[]): string[] {
  let node: Node | undefined = z.toJSONSchema(schema);
  for (const step of path) {
    if (typeof node !== 'object') return [];
    node = node.properties?.[step] ?? node.additionalProperties;
  }
  return typeof node === 'object' ? Object.keys(node.properties ?? {}) : [];
}

/** A list by name is described as a whole; its values take that description where they have none. */
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
