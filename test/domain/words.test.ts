import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  firstSentences,
  listed,
  oneEmoji,
  sentencesWithin,
  wholeWords,
} from '../../src/domain/words.ts';

describe('a text that broke off', () => {
  it.each([
    ['Rewrite the eng', 'Rewrite the'],
    ['Rewrite it. ', 'Rewrite it.'],
    ['Rewrite it.', 'Rewrite it.'],
    ['小さく始める。測', '小さく始める。'],
    ['engine', ''],
    ['', ''],
  ])('ends on a whole word: %s', (text, expected) => {
    expect(wholeWords(text)).toBe(expected);
  });
});

describe('the first sentences of a text', () => {
  it('are as many whole ones as fit', () => {
    const text = 'Start small. Measure it! Then grow, if it helps. Otherwise stop.';
    expect(firstSentences(text, 30)).toBe('Start small. Measure it!');
  });

  it('are the whole text where it fits, on one line', () => {
    expect(firstSentences('  Start\n\nsmall.  ', 30)).toBe('Start small.');
  });

  it('are cut where not even the first one fits, and say so', () => {
    expect(firstSentences('A sentence without any end in sight', 12)).toBe('A sentence…');
  });

  it('end where other scripts end a sentence', () => {
    expect(firstSentences('小さく始める。測る。それから育てる。', 12)).toBe('小さく始める。測る。');
  });

  it('never pass the bound and never cut through a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.integer({ min: 1, max: 80 }),
        (text, maxChars) => {
          const first = firstSentences(text, maxChars);
          expect(first.length).toBeLessThanOrEqual(maxChars);
          expect(first.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});

describe('the sentences within so many words', () => {
  it.each([
    ['What breaks first?', 3, 'What breaks first?'],
    ['What  breaks\nfirst? Who mends it then?', 6, 'What breaks first?'],
    ['What breaks first, and who mends it?', 6, ''],
    ['何が最初に壊れますか。', 25, '何が最初に壊れますか。'],
    ['  ', 25, ''],
  ])('of %j, at most %i, are %j', (text, most, kept) => {
    expect(sentencesWithin(text, most)).toBe(kept);
  });
});

describe('names in a sentence', () => {
  it.each([
    [[], ''],
    [['A'], 'A'],
    [['A', 'B'], 'A and B'],
    [['A', 'B', 'C'], 'A, B and C'],
    [['A', 'B', 'C', 'D', 'E'], 'A, B and 3 more'],
  ])('%j are told as “%s”', (names, told) => {
    expect(listed(names, 3)).toBe(told);
  });
});

describe('one emoji', () => {
  it.each([
    ...['🧮', '🏛️', '⚡', '⚡️', '👍🏽', '1️⃣', '🇩🇪', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ...['🏳️‍🌈', '👨‍👩‍👧', '❤️‍🔥', '👩🏽‍⚖️', '🧑🏻‍❤️‍💋‍🧑🏿'],
  ])('%s', (text) => {
    expect(text).toMatch(oneEmoji);
  });

  it.each([
    '',
    '1',
    '#',
    '🏛',
    '©',
    'a',
    '🧮🧮',
    '🧮 ',
    '🧮a',
    '🇩',
    '🇩🇪🇩',
    '🏽a',
    '\u200d🧮',
    ':abacus:',
  ])('is not “%s”', (text) => {
    expect(text).not.toMatch(oneEmoji);
  });

  it('is every one that Unicode recommends', () => {
    const recommended = /^\p{RGI_Emoji}$/v;
    const signs = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code));
    const forms = signs.flatMap((sign) => [sign, `${sign}\ufe0f`, `${sign}\u{1f3fd}`]);
    const known = forms.filter((form) => recommended.test(form));
    expect(known.length).toBeGreaterThan(1500);
    expect(known.filter((form) => !oneEmoji.test(form))).toEqual([]);
  });
});
