/** Edits the operator's files and leaves everything else in them as typed, comments included. */

import { isDeepStrictEqual } from 'node:util';
import { isMap, isNode, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { valueAt } from './check.ts';
import { readYaml } from './config-source.ts';

/** A setting with its new value. `undefined` removes it. */
export interface SettingEdit {
  /** E.g. `['models', 'default']`. */
  readonly path: readonly string[];
  readonly value: string | readonly string[] | undefined;
}

/** A file can't be changed. The message says why, or what to write by hand. */
export class UneditableError extends Error {
  override readonly name = 'UneditableError';
}

/**
 * Changes settings in the text of `council.yaml`.
 *
 * @param file - As people are told of it, e.g. `config/council.yaml`.
 * @throws {UneditableError} if the text is not YAML, or its layout does not allow the change.
 */
export function withSettings(text: string, edits: readonly SettingEdit[], file: string): string {
  const edited = edits.reduce(withSetting, text);
  const source = readYaml(file, edited.replaceAll('\r\n', '\n'));
  const missed = edits.find(
    ({ path, value }) => !isDeepStrictEqual(valueAt(source.data, path), value),
  );
  if (source.mistakes.length === 0 && missed === undefined) return edited;
  const [first] = missed ? [missed] : edits;
  throw new UneditableError(
    `${file} can't be changed automatically. Write “${first?.path.join('.')}: ${flow(first?.value)}” into it by hand.`,
  );
}

function withSetting(text: string, { path, value }: SettingEdit): string {
  const { contents } = parseDocument(text, { stringKeys: true });
  const found = follow(contents, path);
  const rest = path.slice(found.depth);
  const pair = found.pairs.at(-1);
  if (rest.length === 0 && pair) {
    return value === undefined ? without(text, pair, found.within) : replaced(text, pair, value);
  }
  if (value === undefined) return text;
  return inserted(text, found, rest, value);
}

interface Found {
  /** How many steps of the path exist. */
  readonly depth: number;
  readonly pairs: readonly Pair[];
  /** The group that contains the last pair. `undefined` in an empty file. */
  readonly within: YAMLMap | undefined;
}

function follow(contents: unknown, path: readonly string[]): Found {
  const pairs: Pair[] = [];
  let node: unknown = contents;
  let within: YAMLMap | undefined;
  for (const step of path) {
    if (!isMap(node)) break;
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
    if (!pair) break;
    pairs.push(pair);
    within = node;
    node = pair.value;
  }
  return { depth: pairs.length, pairs, within };
}

function replaced(text: string, pair: Pair, value: SettingEdit['value']): string {
  const range = rangeOf(pair.value);
  if (range && !isEmpty(pair.value)) {
    return text.slice(0, range[0]) + flow(value) + text.slice(range[1]);
  }
  const colon = text.indexOf(':', rangeOf(pair.key)?.[1] ?? 0);
  return `${text.slice(0, colon + 1)} ${flow(value)}${text.slice(colon + 1)}`;
}

function without(text: string, pair: Pair, within: YAMLMap | undefined): string {
  const start = rangeOf(pair.key)?.[0] ?? 0;
  const end = rangeOf(pair.value)?.[1] ?? start;
  if (within?.flow) {
    const comma = /^\s*,\s*/.exec(text.slice(end));
    if (comma) return text.slice(0, start) + text.slice(end + comma[0].length);
    return text.slice(0, start).replace(/,\s*$/, '') + text.slice(end);
  }
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const isWholeLine = text[end - 1] === '\n';
  const lineEnd = text.indexOf('\n', end);
  const next = isWholeLine ? end : lineEnd === -1 ? text.length : lineEnd + 1;
  return text.slice(0, lineStart) + text.slice(next);
}

function inserted(
  text: string,
  { pairs, depth }: Found,
  rest: readonly string[],
  value: SettingEdit['value'],
): string {
  const holder = pairs.at(-1);
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  if (!holder) {
    const ending = text === '' || text.endsWith('\n') ? '' : lineEnd;
    return `${text}${ending}${block(rest, value, '', lineEnd)}`;
  }
  const { value: group } = holder;
  if (isMap(group) && group.flow) {
    const [open = 0] = rangeOf(group) ?? [];
    const more = group.items.length > 0 ? ', ' : ' ';
    const gap = group.items.length > 0 ? text.slice(open + 1).match(/^\s*/)?.[0] : '';
    const inner = `${gap || ' '}${flowAt(rest, value)}${more}`;
    return text.slice(0, open + 1) + inner + text.slice(open + 1).replace(/^\s+/, '');
  }
  const at = text.indexOf('\n', rangeOf(holder.key)?.[1] ?? 0);
  const place = at === -1 ? text.length : at + 1;
  const first = isMap(group) ? rangeOf(group.items[0]?.key)?.[0] : undefined;
  const indent =
    first === undefined
      ? '  '.repeat(depth)
      : text.slice(text.lastIndexOf('\n', first - 1) + 1, first);
  const before = at === -1 ? `${text}${lineEnd}` : text.slice(0, place);
  return before + block(rest, value, indent, lineEnd) + text.slice(place);
}

/** Formats nested groups on lines of their own. */
function block(
  path: readonly string[],
  value: SettingEdit['value'],
  indent: string,
  lineEnd: string,
): string {
  const lines = path.map((step, depth) => `${indent}${'  '.repeat(depth)}${step}:`);
  return `${lines.join(lineEnd)} ${flow(value)}${lineEnd}`;
}

function flowAt([step, ...rest]: readonly string[], value: SettingEdit['value']): string {
  return rest.length === 0 ? `${step}: ${flow(value)}` : `${step}: { ${flowAt(rest, value)} }`;
}

/** Formats a value in flow style, with quotes unless they are certainly not needed. */
function flow(value: SettingEdit['value']): string {
  if (value === undefined) return '(nothing)';
  if (typeof value !== 'string') return `[${value.map(flow).join(', ')}]`;
  const isPlain =
    /^[A-Za-z][\w./:-]*[\w/]$/.test(value) && !/^(true|false|null|yes|no)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}

function isEmpty(node: unknown): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

function rangeOf(node: unknown): readonly [number, number, number] | undefined {
  return isNode(node) ? (node.range ?? undefined) : undefined;
}

/**
 * Sets variables in the text of `.env`: in place in all lines that set them, of which the last one counts, else
 * at the end. Comments and everything else stay.
 */
export function withVariables(text: string, values: Readonly<Record<string, string>>): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  return Object.entries(values).reduce((before, [name, value]) => {
    const quotes = `"[^"\\r\\n]*"|'[^'\\r\\n]*'|\`[^\`\\r\\n]*\``;
    const line = new RegExp(
      `^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=)[ \\t]*(?:${quotes}|[^\\r\\n#]*?)([ \\t]*#[^\\r\\n]*)?(?=\\r?$)`,
      'gm',
    );
    const shown = quoted(value);
    if (line.test(before)) {
      return before.replace(line, (_all, start, comment = '') => `${start}${shown}${comment}`);
    }
    const ending = before === '' || before.endsWith('\n') ? '' : lineEnd;
    return `${before}${ending}${name}=${shown}${lineEnd}`;
  }, text);
}

function quoted(value: string): string {
  if (/^[\w.:/+=@-]*$/.test(value)) return value;
  const quote = ["'", '"', '`'].find((one) => !value.includes(one)) ?? "'";
  return `${quote}${value}${quote}`;
}
