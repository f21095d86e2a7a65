/** What stands in place of a part: nothing at all, or something that no one expects there. */
const gone = Symbol('gone');
const oddities = [gone, null, 0, '', [], {}] as const;
const mostDepth = 6;

/** Copies of a JSON value, each with one part left out or replaced, at any depth; the value itself replaced, too. */
export function* pruned(value: unknown): Generator<unknown> {
  for (const odd of oddities) if (odd !== gone) yield odd;
  yield* prunedWithin(value, 0);
}

function* prunedWithin(value: unknown, depth: number): Generator<unknown> {
  if (typeof value !== 'object' || value === null || depth === mostDepth) return;
  for (const [key, part] of Object.entries(value)) {
    for (const odd of oddities) yield withPart(value, key, odd);
    for (const less of prunedWithin(part, depth + 1)) yield withPart(value, key, less);
  }
}

function withPart(value: object, key: string, part: unknown): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((one, index) =>
      `${index}` === key ? (part === gone ? [] : [part]) : [one],
    );
  }
  const { [key]: _, ...others } = Object.fromEntries(Object.entries(value));
  return part === gone ? others : { ...others, [key]: part };
}
