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

  it('is read with backslashes that should have been escaped, as in formulas and paths', () => {
    const json = String.raw`{"answer":"\(x\_1\) in C:\Notes\users, \"so\" \u00e9\n\\end"}`;
    const answer = `${String.raw`\(x\_1\) in C:\Notes\users, "so" é`}\n${String.raw`\end`}`;
    expect([...findJson(json)]).toEqual([parsed({ answer })]);
  });

  it.each([
    ['in pairs', 'He said "no" to it.', '{"answer":"He said "no" to it.","n":1}'],
    ['in German', 'Er sagt „nein" dazu.', '```\n{"answer": "Er sagt „nein" dazu.", "n": 1}\n```'],
    ['before a comma', 'He said "no", and left.', '{"answer":"He said "no", and left.","n":1}'],
    ['at the end', 'He said "no"', 'So:\n{"n":1,"answer":"He said "no""}'],
  ])('is read with quotes that should have been escaped, %s', (_where, answer, text) => {
    expect([...findJson(text)].at(0)).toEqual(parsed({ answer, n: 1 }));
  });

  it('is not made up where quotes leave it unclear what belongs together', () => {
    const found = [...findJson('{"answer":"He said "yes", "no" and left.","n":1}')];
    expect(found.at(0)).toMatchObject({ status: 'malformed' });
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

  // Of a million characters: what looks at each of them again for each other one never ends.
  it.each([
    ['quotes in a string that is never closed', '{"answer":"', '\\"'],
    ['backslashes', '{"answer":"', '\\\\'],
    ['line breaks in a string', '{"answer":"', '\n'],
    ['blanks after a comma', '{"a":1,', ' '],
    ['commas', '{"a":[1', ', '],
    ['objects', '', '{}'],
    ['levels', '', '{"a":'],
    ['lists in lists', '{"a":', '['],
  ])('is looked for in a cut-off reply of %s', (_of, head, piece) => {
    const found = [...findJson(head + piece.repeat((1_000_000 - head.length) / piece.length))];
    expect(found.length).toBeLessThanOrEqual(32);
  });

  it('is none where it is nested deeper than any answer', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect([...findJson(nested(199))]).toMatchObject([{ status: 'parsed' }]);
    expect([...findJson(nested(200))]).toEqual([
      { status: 'malformed', problem: 'It is nested more than 200 levels deep.' },
    ]);
  });

  it.each(['{"', '{"a":', '{ ', '"', '\\"', '{"a":"', ',', '[{"', '{}', '}', '{"a":"\n'])(
    'is looked for in proportion to the text, even in one of %j alone',
    (piece) => {
      const found = [...findJson(piece.repeat(200_000 / piece.length))];
      expect(found.filter(({ status }) => status === 'malformed').length).toBeLessThanOrEqual(8);
    },
  );
});
