import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJsonPreview } from '../../src/models/json-preview.ts';

type Settled = readonly [readonly (string | number)[], unknown];

/** All that a listener is told while the pieces come, copied at once. */
function previewOf(pieces: readonly string[]) {
  const partials: unknown[] = [];
  const settled: Settled[] = [];
  const preview = createJsonPreview({
    onPartial: (value) => partials.push(structuredClone(value)),
    onSettled: (path, value) => settled.push([path, structuredClone(value)]),
  });
  for (const piece of pieces) {
    preview.take(piece);
  }
  preview.close();
  return { partials, settled };
}

/** Whether a later value only goes on where the earlier one ended. */
function continues(earlier: unknown, later: unknown): boolean {
  if (typeof earlier === 'string') {
    return typeof later === 'string' && later.startsWith(earlier);
  }
  if (Array.isArray(earlier)) {
    return (
      Array.isArray(later) &&
      later.length >= earlier.length &&
      earlier.every((item, index) => continues(item, later[index]))
    );
  }
  if (isObject(earlier)) {
    return (
      isObject(later) && Object.keys(earlier).every((key) => continues(earlier[key], later[key]))
    );
  }
  return Object.is(earlier, later);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function cut(text: string, places: readonly number[]): string[] {
  const inside = places.map((place) => place % (text.length + 1)).sort((a, b) => a - b);
  return [...inside, text.length].map((end, index) => text.slice(inside[index - 1] ?? 0, end));
}

const answers = fc.record({
  answer: fc.string({ unit: 'grapheme' }),
  seats: fc.array(fc.record({ name: fc.string(), score: fc.double({ noNaN: true }) })),
  more: fc.jsonValue(),
});

describe('the preview of a JSON object', () => {
  it('shows it as it grows', () => {
    const { partials } = previewOf(['{"answ', 'er":"Ye', 's","sco', 're":1', '2}']);
    expect(partials).toEqual([
      {},
      { answer: 'Ye' },
      { answer: 'Yes' },
      { answer: 'Yes', score: 12 },
    ]);
  });

  it('tells of a value the moment it is complete', () => {
    const heard: unknown[] = [];
    const preview = createJsonPreview({ onSettled: (path, value) => heard.push([path, value]) });
    preview.take('{"seats":["marcus_aurelius","na');
    expect(heard).toEqual([[['seats', 0], 'marcus_aurelius']]);
    preview.take('val"],');
    expect(heard.slice(1)).toEqual([
      [['seats', 1], 'naval'],
      [['seats'], ['marcus_aurelius', 'naval']],
    ]);
  });

  it.each([
    ['prose', ['Here {you} are:', ' {', ' "a":1', '}']],
    ['a fence', ['```js', 'on\n{"a"', ':1}\n`', '``\nDone.']],
    ['a byte order mark', ['\uFEFF', '{"a":1}']],
  ])('passes over %s around it', (_what, pieces) => {
    const { partials, settled } = previewOf(pieces);
    expect(partials.at(-1)).toEqual({ a: 1 });
    expect(settled.at(-1)).toEqual([[], { a: 1 }]);
  });

  it.each([
    ['prose alone', ['Yes, certainly.', ' {really}']],
    ['what stops being JSON', ['{"a": yes', ', "b": 2}']],
    ['a wrong number', ['{"a": 1.2.3', '}', 'x']],
    ['nothing', []],
  ])('shows what can be read and never fails for %s', (_what, pieces) => {
    const { settled } = previewOf(pieces);
    expect(settled).toEqual([]);
  });

  it('is given up when blanks never end', () => {
    const { partials } = previewOf(['{"a":1,', ...Array(5000).fill(' '), '"b":2}']);
    expect(partials.at(-1)).toEqual({ a: 1 });
  });

  it('tells nothing more when it is closed', () => {
    const partials: unknown[] = [];
    const preview = createJsonPreview({ onPartial: (value) => partials.push(value) });
    preview.take('{"a":"Ye');
    preview.close();
    preview.take('s"}');
    expect(partials).toEqual([{ a: 'Ye' }]);
  });

  it('stops at a text that is nested deeper than any answer', () => {
    const depths: number[] = [];
    const preview = createJsonPreview({ onSettled: (path) => depths.push(path.length) });
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    for (const sign of `{"a":[${nested(198)},${nested(20_000)}`) preview.take(sign);
    expect(Math.max(...depths)).toBe(199);
  });

  it.each(['onPartial', 'onSettled'] as const)('throws what %s throws', (name) => {
    const fault = new Error('a bug in the listener');
    const preview = createJsonPreview({
      [name]: () => {
        throw fault;
      },
    });
    expect(() => preview.take('{"a":1,')).toThrow(fault);
  });

  it('grows and never shrinks, once a piece at most, and ends as the object, however it is cut', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat()), fc.nat({ max: 2 }), (value, places, indent) => {
        const json = JSON.stringify(value, null, indent);
        const pieces = cut(json, places);
        const { partials, settled } = previewOf(pieces);
        expect(partials.length).toBeLessThanOrEqual(pieces.length);
        for (const [index, partial] of partials.entries()) {
          expect(continues(partials[index - 1] ?? {}, partial)).toBe(true);
        }
        expect(partials.at(-1)).toEqual(JSON.parse(json));
        expect(settled.at(-1)).toEqual([[], JSON.parse(json)]);
      }),
    );
  });

  it('tells of the same complete values, however it is cut', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat()), (value, places) => {
        const json = JSON.stringify(value);
        const cutUp = previewOf(cut(json, places));
        const whole = previewOf([json]);
        expect(cutUp.settled).toEqual(whole.settled);
      }),
    );
  });
});
