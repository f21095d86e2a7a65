import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventDecoder } from '../../src/models/response-body.ts';

function decode(pieces: readonly Uint8Array[]): string[] {
  const decoder = createEventDecoder();
  return [...pieces.flatMap((piece) => decoder.take(piece)), ...decoder.end()];
}

/** Cuts bytes at the given places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const inside = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [...inside, bytes.length].map((end, index) => bytes.subarray(inside[index - 1] ?? 0, end));
}

describe('server-sent events', () => {
  it.each([
    ['one after the other', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['with any line end', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', ['a', 'b', 'c']],
    ['without a space', 'data:a\n\n', ['a']],
    ['with more than one space', 'data:  a \n\n', [' a ']],
    ['over several lines', 'data: a\ndata: b\n\n', ['a\nb']],
    ['between comments and other fields', ': hi\n\nid: 1\nevent: x\ndata: a\nretry: 2\n\n', ['a']],
    ['without the last blank line', 'data: a\n\ndata: b\n', ['a', 'b']],
    ['without the last line end', 'data: a', ['a']],
    ['after a byte order mark', '\uFEFFdata: a\n\n', ['a']],
    ['nowhere', '\n\nnothing\n\n', []],
  ])('are read %s', (_how, text, expected) => {
    const bytes = new TextEncoder().encode(text);
    expect(decode([bytes])).toEqual(expected);
    expect(decode(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it('are read from one long line in proportion to it, however small the pieces are', () => {
    const bytes = new TextEncoder().encode(`data: ${'x'.repeat(4_000_000)}\n\n`);
    const decoder = createEventDecoder();
    let events = 0;
    for (let at = 0; at < bytes.length; at += 40) {
      events += decoder.take(bytes.subarray(at, at + 40)).length;
    }
    expect(events).toBe(1);
  });

  it('are the same however the bytes are cut', () => {
    const lines = fc.array(
      fc.tuple(
        fc.constantFrom('data: ', ':', ''),
        fc.constantFrom('ü', '🦉', 'x', ''),
        fc.constantFrom('\n', '\r\n', '\r'),
      ),
    );
    fc.assert(
      fc.property(lines, fc.array(fc.nat()), (parts, places) => {
        const bytes = new TextEncoder().encode(parts.flat().join(''));
        expect(decode(cut(bytes, places))).toEqual(decode([bytes]));
      }),
    );
  });
});
