import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleName, visibleText } from '../../../../src/platforms/chat/text/visible-text.ts';
import { wildText } from './wild-text.ts';

describe('visible text', () => {
  it.each([
    ['a turn of the writing direction', 'abc\u202etxt.exe\u202c', 'abctxt.exe'],
    ['marks of the writing direction', '\u200fa\u200e\u061c', 'a'],
    ['characters without width', 'a\u200bb\u2060c\ufeffd\u00ade', 'abcde'],
    ['fillers that look like nothing', 'a\u115f\u3164\uffa0b', 'ab'],
    ['text hidden in tags', `a\u{e0068}\u{e0069}b`, 'ab'],
    ['text hidden behind an emoji', '😀\u{e0101}\u{e0152}', '😀'],
    ['control characters', 'a\u0000\u0008\u001b[31mb\u009b', 'a[31mb'],
    ['half a character', 'a\ud83db', 'ab'],
    ['piled accents', `e${'\u0301'.repeat(50)}`, `e${'\u0301'.repeat(6)}`],
    ['a joiner between letters that do not join', 'a\u200db\u200cc', 'abc'],
  ])('loses %s', (_what, text, expected) => {
    expect(visibleText(text)).toBe(expected);
  });

  it.each([
    ['emoji of several parts', '👩‍🚀 👩🏽‍🚀 🏳️‍🌈 1️⃣ ❤️ 🇫🇷'],
    ['the flag of England', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
    ['Persian with its non-joiners', 'می‌خواهم'],
    ['Hindi with its joiners', 'क्‍ष'],
    ['rare forms of Chinese characters', '葛\u{e0100}'],
    ['other scripts', '納瓦爾 مرحبا שָׁלוֹם é'],
    ['line feeds and tabs', 'a\n\tb'],
  ])('keeps %s', (_what, text) => {
    expect(visibleText(text)).toBe(text);
  });

  it('has its line breaks as line feeds', () => {
    expect(visibleText('a\r\nb\rc\u2028d\u0085e')).toBe('a\nb\nc\nd\ne');
  });

  it('is left as it is the second time', () => {
    fc.assert(
      fc.property(wildText, (text) => visibleText(visibleText(text)) === visibleText(text)),
      { numRuns: 2000 },
    );
  });
});

describe('a visible name', () => {
  it('is on one line, with plain single spaces', () => {
    expect(visibleName(' Marcus\n\u2003Aurelius\u00a0\u2800 ')).toBe('Marcus Aurelius');
  });

  it('may be nothing at all', () => {
    expect(visibleName('\u3164\u2800\u00a0\u200b')).toBe('');
  });
});
