import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { momentMark } from '../../../src/domain/words.ts';
import { localTimes, plainName, plainText } from '../../../src/platforms/terminal/terminal-text.ts';

const esc = '\u001b';
const bell = '\u0007';

/** Text that is rich in what a terminal obeys. */
const wild = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        esc,
        `${esc}[`,
        `${esc}]`,
        `${esc}P`,
        `${esc}\\`,
        '\u009b',
        '\u009d',
        '\u009c',
      ),
      fc.constantFrom(bell, '\b', '\r', '\r\n', '\n', '\t', '\u202e', '\u2066', '\ud83d', '\udc69'),
      fc.constantFrom('[31m', '31', 'm', '0;title', '?25l', '(B', '👩‍🚀', '納', ' ', '\u2028'),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;

describe('plain text', () => {
  it.each([
    ['colours', `${esc}[1;31mred${esc}[0m`, 'red'],
    ['colours in the 8-bit form', '\u009b31mred\u009b0m', 'red'],
    ['a window title', `a${esc}]0;owned${bell}b`, 'ab'],
    ['a title that ends with a string terminator', `a${esc}]0;owned${esc}\\b`, 'ab'],
    ['a link', `${esc}]8;;https://evil.example${esc}\\click${esc}]8;;${esc}\\`, 'click'],
    ['a device string', `a${esc}Pq#0;2${esc}\\b`, 'ab'],
    ['a device string in the 8-bit form', 'a\u0090q#0\u009cb', 'ab'],
    ['a reset and a change of character set', `a${esc}cb${esc}(0c`, 'abc'],
    ['a sequence hidden in a sequence', `${esc}${esc}[31m[31mx`, '[31mx'],
    ['what would overwrite the line', 'safe\b\b\b\b\rrm', 'saferm'],
    ['an override of the writing direction', 'abc\u202etxt.exe\u202c', 'abctxt.exe'],
    ['half a character', 'a\ud83db', 'ab'],
  ])('loses %s', (_what, text, expected) => {
    expect(plainText(text)).toBe(expected);
  });

  it('keeps line breaks, tabs, emoji of several parts and other scripts', () => {
    const text = 'one\n\ttwo 👩‍🚀 🏳️‍🌈 納瓦爾 مرحبا می‌خواهم';
    expect(plainText(text)).toBe(text);
  });

  it('loses only the rest of the line to a title that never ends', () => {
    expect(plainText(`a${esc}]0;never ends\nthe answer`)).toBe('a\nthe answer');
  });

  it('never contains what a terminal obeys', () => {
    fc.assert(
      fc.property(wild, (text) => !obeyed.test(plainText(text))),
      { numRuns: 3000 },
    );
  });

  it('of a beginning is a beginning of the whole, wherever it is cut', () => {
    fc.assert(
      fc.property(wild, fc.nat(), (text, place) => {
        const beginning = text.slice(0, place % (text.length + 1));
        expect(plainText(text).startsWith(plainText(beginning))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a plain name', () => {
  it('is on one line and has no character that no one sees', () => {
    expect(plainName(' Mar\u200bcus\n\u2060Aurelius\u00ad\u{e0041}\u3164 ')).toBe(
      'Marcus Aurelius',
    );
  });

  it('keeps the joiner that makes one picture of two, and only that', () => {
    expect(plainName('👩🏽‍🚀 a\u200db 1\u200d2')).toBe('👩🏽‍🚀 ab 12');
  });

  it('never contains a line break or what a terminal obeys', () => {
    fc.assert(
      fc.property(wild, (text) => !/[\n\t]/.test(plainName(text)) && !obeyed.test(plainName(text))),
    );
  });
});

it('moments are shown by the clock of the machine', () => {
  const at = new Date(2026, 10, 21, 22, 19).getTime();
  expect(localTimes(`Said ${momentMark(at)}.`)).toBe('Said 2026-11-21 22:19.');
});
