/** The parsed nodes of a YAML document, as plain data and by their places in the text. */

import { type Document, isCollection, isMap, isNode, isScalar, isSeq, visit } from 'yaml';

/** A node that is YAML and still no use in a configuration. */
export interface OddNode {
  /** Place in the text, in characters from 0. */
  readonly offset: number;
  readonly text: string;
}

/** All nodes that can't become plain data. */
export function oddNodes(document: Document): OddNode[] {
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
      odd.push({ offset: startOf(pair.key) ?? 0, text: '__proto__ can not be a key' });
    },
  });
  return odd;
}

/** Objects, arrays and scalars. A key without a value is left out: it is not set. */
export function plainData(node: unknown): unknown {
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
export function offsetOf(
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
