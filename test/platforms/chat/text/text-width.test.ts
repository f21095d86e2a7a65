import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitLine, padLine, widthOf } from '../../../../src/platforms/chat/text/text-width.ts';

describe('the width of text', () => {
  it.each([
    ['plain', 5],
    ['納瓦爾', 6],
    ['👩‍🚀', 2],
    ['🏛️', 2],
    ['🇩🇪', 2],
    ['e\u0301', 1],
    ['1️⃣', 2],
    ['©', 1],
    ['…', 1],
    ['हिन्दी', 5],
    ['ｆｕｌｌ', 8],
    ['\u001b[31mred\u001b[39m', 3],
  ])('of %s is %i columns', (text, columns) => {
    expect(widthOf(text)).toBe(columns);
  });

  it('is never more than what a line was fitted to', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 30 }), (text, columns) => {
        expect(widthOf(fitLine(text, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it('never splits a character in two when a line is fitted', () => {
    expect(fitLine('ab👩‍🚀cd', 4)).toBe('ab…');
    expect(fitLine('納瓦爾', 4)).toBe('納…');
  });

  it('leaves a line that fits as it is, colours and all', () => {
    expect(fitLine('\u001b[31mred\u001b[39m', 3)).toBe('\u001b[31mred\u001b[39m');
  });

  it('is what a line is filled up to', () => {
    expect(padLine('納', 4)).toBe('納  ');
  });
});
