/** Reads configuration files as text and as YAML with line numbers, and reports what is wrong in them. */

import { readFileSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import {
  type Document,
  type ErrorCode,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';

/** One mistake in the configuration. */
export interface Mistake {
  /** Path of the file, e.g. `config/council.yaml`, or `environment`. */
  readonly file: string;
  /** From 1. Absent if the mistake has no line. */
  readonly line?: number | undefined;
  /** Dotted path, e.g. `models.chair`. Absent for the whole file. */
  readonly setting?: string | undefined;
  /** What was found and what is expected, with an example. Contains no secret. */
  readonly text: string;
}

/** The configuration is invalid. The message lists every mistake on a line of its own, sorted by file and line. */
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

/** The text of a file, with `\n` line ends and without byte order mark, or why there is none. */
export type FileText =
  | { readonly status: 'read'; readonly text: string }
  | { readonly status: 'missing' }
  /** `problem`: what is wrong and how to fix it, for people. */
  | { readonly status: 'unreadable'; readonly problem: string };

/** Reads a UTF-8 file. */
export function readTextFile(path: string): FileText {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    return fileProblem(error);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return { status: 'read', text: text.replaceAll(/\r\n?/g, '\n') };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  // Windows PowerShell's `>>` appends UTF-16, which is valid UTF-8 with zeros in it.
  return { status: 'unreadable', problem: 'is not UTF-8 text. Save it as UTF-8' };
}

/** Explains why a file or folder could not be opened. Rethrows other errors. */
export function fileProblem(error: unknown): Exclude<FileText, { status: 'read' }> {
  if (!(error instanceof Error) || !('code' in error)) throw error;
  if (error.code === 'ENOENT') return { status: 'missing' };
  const problems: Record<string, string> = {
    EACCES: 'can’t be read. Give the bot’s user the right to read it',
    EISDIR: 'is a folder. A file is expected here',
    ENOTDIR: 'is not a folder, or not in one. A folder is expected here',
  };
  const problem = problems[String(error.code)] ?? `can’t be read (${String(error.code)})`;
  return { status: 'unreadable', problem };
}

/**
 * A path as a person would type it: relative to the current folder, or absolute outside it.
 */
export function shownPath(path: string): string {
  const fromHere = relative('.', path);
  return fromHere.startsWith('..') || isAbsolute(fromHere) ? path : fromHere;
}

/** A path into nested data: keys of groups and positions in lists. */
export type SettingPath = readonly (string | number)[];

/** A parsed YAML text. */
export interface YamlSource {
  /** Path of the file, for mistakes. */
  readonly file: string;
  /** Plain data without keys that have no value. `undefined`: the YAML is too broken to read. */
  readonly data: unknown;
  /** The mistakes in the YAML itself. */
  readonly mistakes: readonly Mistake[];
  /** The line of the value at the path, or of the innermost group around it that exists. */
  lineOf(path: SettingPath): number | undefined;
}

/** Replaces the messages of the YAML parser, which quote the text and could reveal a secret. */
const explanations: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'a value that begins with * needs quotes. Write e.g. "*"',
  BAD_DQ_ESCAPE: 'a backslash in double quotes begins an escape. Use single quotes for plain text',
  BAD_INDENT:
    'the indentation is wrong, or a bracket or quote is not closed. Use two spaces for each level',
  BAD_SCALAR_START: 'a value that begins with this character needs quotes. Write e.g. "@here"',
  BLOCK_AS_IMPLICIT_KEY:
    'a second ": " in one line. Put a value that holds ": " in quotes, or begin a new line',
  DUPLICATE_KEY: 'this key is a duplicate. Keep one of the two',
  MISSING_CHAR: 'a closing quote, a bracket or the ":" after a key is missing',
  MULTILINE_IMPLICIT_KEY: 'this line is neither "key: value" nor part of the value above it',
  MULTIPLE_DOCS: 'a line with --- begins a second document. Keep everything in one',
  NON_STRING_KEY: 'a key must be a word. Write e.g. depth: quick',
  RESOURCE_EXHAUSTION: 'the values are nested too deeply',
  TAB_AS_INDENT: 'a tab is used as indentation. Use two spaces for each level',
  TAG_RESOLVE_FAILED: 'tags such as !word are not supported. Remove it',
};

const notYaml = 'this is not valid YAML. Write e.g. depth: quick';

/**
 * Parses YAML. Never throws: errors are returned as mistakes.
 *
 * @param file - Path of the file, for mistakes.
 * @param text - With `\n` line ends.
 */
export function readYaml(file: string, text: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    resolveKnownTags: false,
  });
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line);
  const problems = [...document.errors, ...document.warnings];
  const unsupported = unsupportedNodes(document);
  const mistakes = [
    ...problems.map(({ code, pos }) => ({ offset: pos[0], text: explanations[code] ?? notYaml })),
    ...unsupported,
  ].map(({ offset, text: meaning }) => ({ file, line: lineAt(offset), text: meaning }));
  // With a duplicate key the data can still be checked. After other errors it would be guesswork.
  const isReadable =
    unsupported.length === 0 && problems.every(({ code }) => code === 'DUPLICATE_KEY');
  return {
    file,
    data: isReadable ? plainData(document.contents) : undefined,
    mistakes: firstOfEachLine(mistakes),
    lineOf(path) {
      const offset = offsetOf(document.contents, path);
      return offset === undefined ? undefined : lineAt(offset);
    },
  };
}

/** Further mistakes in a line follow from its first one. */
function firstOfEachLine<Found extends { readonly line: number }>(mistakes: Found[]): Found[] {
  const lines = mistakes.map(({ line }) => line);
  return mistakes.filter(({ line }, index) => lines.indexOf(line) === index);
}

/** Valid YAML that a configuration can't contain. */
interface UnsupportedNode {
  /** Offset in the text, in characters. */
  readonly offset: number;
  readonly text: string;
}

/** Finds the nodes that can't become plain data. */
function unsupportedNodes(document: Document): UnsupportedNode[] {
  const unsupported: UnsupportedNode[] = [];
  visit(document, {
    Alias(_, node) {
      unsupported.push({
        offset: startOf(node) ?? 0,
        text: 'a value that begins with * refers to another one. Write the value itself',
      });
    },
    Pair(_, pair) {
      if (keyOf(pair.key) !== '__proto__') return;
      unsupported.push({ offset: startOf(pair.key) ?? 0, text: '__proto__ can’t be a key' });
    },
  });
  return unsupported;
}

/** Converts a node to objects, arrays and scalars. Leaves out keys without a value: they are not set. */
function plainData(node: unknown): unknown {
  if (isMap(node)) {
    return Object.fromEntries(
      node.items
        .map(({ key, value }) => [keyOf(key), plainData(value)] as const)
        .filter(([, value]) => value !== null),
    );
  }
  if (isSeq(node)) return node.items.map(plainData);
  return isScalar(node) ? (node.value ?? null) : null;
}

/** The offset of the deepest part of the path that exists, in characters. */
function offsetOf(
  node: unknown,
  [step, ...rest]: readonly (string | number)[],
): number | undefined {
  if (step === undefined || !isCollection(node)) return undefined;
  if (isMap(node)) {
    const pair = node.items.findLast(({ key }) => keyOf(key) === String(step));
    return pair && (offsetOf(pair.value, rest) ?? startOf(pair.key));
  }
  const item = typeof step === 'number' ? node.items[step] : undefined;
  return offsetOf(item, rest) ?? startOf(item);
}

function keyOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : '';
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
