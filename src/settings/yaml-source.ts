/** YAML text as plain data that still knows its lines. */

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
import type { Mistake } from './config-error.ts';

/** A way into nested data: keys of groups and positions in lists. */
export type SettingPath = readonly (string | number)[];

/** What a YAML text says. */
export interface YamlSource {
  /** As a person would name it. */
  readonly file: string;
  /** Plain data; an empty value counts as a setting that is not there. `undefined`: too broken to read. */
  readonly data: unknown;
  /** Everything wrong with the YAML itself. */
  readonly mistakes: readonly Mistake[];
  /** Line of what the path leads to, or of the nearest thing around it that is there. */
  lineOf(path: SettingPath): number | undefined;
}

/** What each error of the YAML parser means here. Its own messages quote the text, which may hold a secret. */
const explanations: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'a value that begins with * needs quotes. Write e.g. "*"',
  BAD_DQ_ESCAPE: 'a backslash in double quotes begins an escape. Use single quotes for plain text',
  BAD_INDENT:
    'the indentation does not fit, or a bracket or quote is not closed. Use two spaces for each level',
  BAD_SCALAR_START: 'a value that begins with this character needs quotes. Write e.g. "@here"',
  BLOCK_AS_IMPLICIT_KEY:
    'a second ": " in one line. Put a value that holds ": " in quotes, or begin a new line',
  DUPLICATE_KEY: 'this key is there already. Keep one of the two',
  MISSING_CHAR: 'a closing quote, a bracket or the ":" after a key is missing',
  MULTILINE_IMPLICIT_KEY: 'this line is neither "key: value" nor part of the value above it',
  MULTIPLE_DOCS: 'a line with --- begins a second document. Keep everything in one',
  NON_STRING_KEY: 'a key must be a word. Write e.g. depth: quick',
  RESOURCE_EXHAUSTION: 'the values are nested too deeply',
  TAB_AS_INDENT: 'a tab is used as indentation. Use two spaces for each level',
  TAG_RESOLVE_FAILED: 'tags such as !word are not known here. Leave it out',
};

const notYaml = 'this is not valid YAML. Write e.g. depth: quick';

/**
 * Reads YAML. Never throws: what can't be read is among the mistakes.
 *
 * @param file - The name that mistakes are reported under.
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
  const odd = oddNodes(document);
  const mistakes = [
    ...problems.map(({ code, pos }) => ({ offset: pos[0], text: explanations[code] ?? notYaml })),
    ...odd,
  ].map(({ offset, text: meaning }) => ({ file, line: lineAt(offset), text: meaning }));
  // Of a double key either one can be checked; after anything else the rest would be guesswork.
  const isReadable = odd.length === 0 && problems.every(({ code }) => code === 'DUPLICATE_KEY');
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

/** What the parser finds further on in a line follows from its first mistake. */
function firstOfEachLine<Found extends { readonly line: number }>(mistakes: Found[]): Found[] {
  const lines = mistakes.map(({ line }) => line);
  return mistakes.filter(({ line }, index) => lines.indexOf(line) === index);
}

/** A node that is YAML and still no use in a configuration. */
interface OddNode {
  /** Place in the text, in characters from 0. */
  readonly offset: number;
  readonly text: string;
}

/** All nodes that can't become plain data. */
function oddNodes(document: Document): OddNode[] {
  const odd: OddNode[] = [];
  visit(document, {
    Alias(_, node) {
      odd.push({
        offset: startOf(node) ?? 0,
        text: 'a value that begins with * refers to another one. Write the value itself',
      });
    },
    Pair(_, pair) {
      if (keyOf(pair.key) !== '__proto__') return;
      odd.push({ offset: startOf(pair.key) ?? 0, text: '__proto__ can’t be a key' });
    },
  });
  return odd;
}

/** Objects, arrays and scalars. A key without a value is left out: it is not set. */
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

/** Where the deepest part of the path that is there begins, in characters from 0. */
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
