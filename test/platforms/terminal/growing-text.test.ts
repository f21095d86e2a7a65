import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paletteFor } from '../../../src/platforms/terminal/page.ts';
import { proseLines } from '../../../src/platforms/terminal/prose.ts';
import { GrowingText } from '../../../src/platforms/terminal/seated-sages.ts';
import { recordedPage } from './recorded-page.ts';

const marks = ['| a | b |', '|---|---|', '|', '```', '~~~', '> q', '- item', '1. ', '# h', '---'];
const pieces = fc.constantFrom(
  ...marks,
  ...['word', '漢字', ' ', '   ', '\t', '\n', '\n\n', '**b', '*', '`c`', '\\', '[x](http://a.b)'],
);

test('a growing text is printed once, like the whole one', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (said) => {
      const recorded = recordedPage(true);
      const growing = new GrowingText(recorded.page);
      let text = '';
      for (const piece of said) {
        text += piece;
        growing.grow(text);
      }
      growing.finish(text);
      const layout = { palette: paletteFor(false), width: recorded.page.width };
      const whole = proseLines(text.trimEnd(), layout);
      const withoutSpaces = (shown: string) => shown.replaceAll(/ +$/gm, '');
      expect(withoutSpaces(recorded.text)).toBe(withoutSpaces(whole.join('\n')));
    }),
    { numRuns: 2000 },
  );
});

test('shows no marks of bold that is still growing', () => {
  const { page, tails } = recordedPage(true);
  const coloured = { ...page, palette: paletteFor(true) };
  const growing = new GrowingText(coloured);
  for (const text of ['**Bu', '**Buy onl', '**Buy only if** you', '**Buy only if** you *st']) {
    growing.grow(text);
  }
  expect(tails.map(stripVTControlCharacters)).toEqual([
    '',
    'Buy',
    'Buy only if',
    'Buy only if you',
  ]);
});
