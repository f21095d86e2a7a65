import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJson } from '../../src/models/json-in-text.ts';

const parsed = (value: unknown) => ({ status: 'parsed', value });

describe('JSON in what a model wrote', () => {
  it.each([
    ['alone', '{"answer":"Yes."}'],
    ['after a byte order mark', '\uFEFF{"answer":"Yes."}'],
    ['in a fence', '```json\n{"answer":"Yes."}\n```'],
    ['in a fence that is never closed', '```\n{"answer":"Yes."}'],
    ['between sentences', 'Here you are:\n{"answer":"Yes."}\nAnything else?'],
    ['after braces in prose', 'For {name}, or {}, or { this }: {"answer":"Yes."}'],
    ['with a comma too many', '{"answer":"Yes.",\n}'],
    ['over several lines', '{\n  "answer"\n: "Yes."\n}'],
  ])('is found %s', (_where, text) => {
    expect([...findJson(text)]).toContainEqual(parsed({ answer: 'Yes.' }));
  });

  it('is found with all that belongs into its strings', () => {
    const value = { answer: 'A } brace, a \\ and a "quote" ```\nin {"a": fence}' };
    expect([...findJson(`So: ${JSON.stringify(value)} {`)]).toEqual([parsed(value)]);
  });

  it('is read with line breaks that should have been escaped', () => {
    expect([...findJson('{"answer":"One.\n\n\tTwo, \\"three\\", ]"}')]).toEqual([
      parsed({ answer: 'One.\n\n\tTwo, "three", ]' }),
    ]);
  });

  it('is found again and again', () => {
    expect([...findJson('{"a":1} or {"b":{"c":2}}')]).toEqual([
      parsed({ a: 1 }),
      parsed({ b: { c: 2 } }),
    ]);
  });

  it('has a problem that is told in the words of the parser when it is cut off', () => {
    expect([...findJson('{"answer":"Yes, b')]).toEqual([
      { status: 'malformed', problem: expect.stringMatching(/^Unterminated string/) },
    ]);
  });

  it('is not seen where there is none', () => {
    expect([...findJson('Yes, {certainly}.')]).toEqual([]);
    expect([...findJson('')]).toEqual([]);
  });

  it('is found whatever stands around it', () => {
    const prose = fc.string().filter((text) => !/[{}"]/.test(text));
    fc.assert(
      fc.property(
        prose,
        fc.dictionary(fc.string(), fc.jsonValue()),
        prose,
        (before, value, after) => {
          const json = JSON.stringify(value);
          expect([...findJson(before + json + after)]).toEqual([parsed(JSON.parse(json))]);
        },
      ),
    );
  });

  it.each(['{"', '{"a":', '{ ', '"', '\\"', '{"a":"', ',', '[{"', '{}', '}', '{"a":"\n'])(
    'is looked for in proportion to the text, even in one of %j alone',
    (piece) => {
      const found = [...findJson(piece.repeat(200_000 / piece.length))];
      expect(found.filter(({ status }) => status === 'malformed').length).toBeLessThanOrEqual(8);
    },
  );
});
