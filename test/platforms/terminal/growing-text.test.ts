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

/** What stands on the page, after each of the states of a growing text. */
function growingAs(...texts: readonly string[]): readonly string[] {
  const { page, tails } = recordedPage(true);
  const growing = new GrowingText({ ...page, palette: paletteFor(true) });
  for (const text of texts) growing.grow(text);
  return tails.map(stripVTControlCharacters);
}

test('shows no marks of bold that is still growing', () => {
  const texts = ['**Bu', '**Buy onl', '**Buy only if** you', '**Buy only if** you *st'];
  expect(growingAs(...texts)).toEqual(['', 'Buy', 'Buy only if', 'Buy only if you']);
});

test.each([
  ['emphasis', 'Buy *only if yo', 'Buy only if'],
  ['emphasis with underscores', 'Buy _only if yo', 'Buy only if'],
  ['emphasis in bold', '**Buy *only if yo', 'Buy only if'],
  ['code', 'Run `npm ci an', 'Run npm ci'],
  ['the label of a link', 'See [the long pla', 'See the long'],
  ['a label that is complete', 'See [the plan]', 'See the plan'],
  ['the address of a link', 'See [the plan](https://example.org/a', 'See the plan'],
  ['a link in bold', '**See [the plan](https://example.org/a', 'See the plan'],
])('shows no marks of %s while it grows', (_what, text, shown) => {
  expect(growingAs(text)).toEqual([shown]);
});

test.each([
  ['a product', 'It is 2 * 3 and 2*3 or s', 'It is 2 * 3 and 2*3 or'],
  ['a name with underscores', 'The snake_case _is_ goo', 'The snake_case is'],
  ['brackets that are closed', 'A list [1] of i', 'A list [1] of'],
  ['code in a fence', '```\nlist[x + a * b, c', '  list[x + a * b,'],
])('keeps the marks of %s', (_what, text, shown) => {
  expect(growingAs(text)).toEqual([shown]);
});

test('shows in the end what was never a mark', () => {
  const { page } = recordedPage(true);
  const recorded: string[] = [];
  const print = (lines: readonly string[]) => void recorded.push(...lines);
  const growing = new GrowingText({ ...page, print, palette: paletteFor(true) });
  growing.grow('A *footnote and [a brack');
  growing.finish('A *footnote and [a bracket');
  expect(recorded.map(stripVTControlCharacters)).toEqual(['A *footnote and [a bracket']);
});
