import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { widthOf } from '../../../src/platforms/chat/text/text-width.ts';
import { paletteFor } from '../../../src/platforms/terminal/page.ts';
import { proseLines, wholeLines } from '../../../src/platforms/terminal/prose.ts';

const plain = paletteFor(false);
const coloured = paletteFor(true);

/** Markdown as models write it, and as they should not. */
const markdown = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '# ',
        '- ',
        '* ',
        '1. ',
        '> ',
        '```\n',
        '```ts\n',
        '---',
        '**',
        '`',
        '*',
        '_',
        '[a](b)',
        '[',
        '](',
        '|',
        '| a | b |\n',
        '|---|\n',
        '\n',
      ),
      fc.constantFrom('\n\n', ' ', '  ', '\t', '納瓦爾', '、', '👩‍🚀', 'wonderfully'),
      fc.lorem({ maxCount: 6 }),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));
const width = fc.integer({ min: 20, max: 60 });
const palette = fc.constantFrom(plain, coloured);

describe('prose', () => {
  it('stays as it was written where there are neither colours nor a width', () => {
    const text = '# Title\n\n- **bold** and `code`\n```\n  x\n```\n| a | b |';
    expect(proseLines(text, { palette: plain, width: Infinity }).join('\n')).toBe(text);
  });

  it('shows headings, lists, quotes, code and bold without their marks', () => {
    const text = '## Title\n- **bold** and `code`\n> said\n```ts\n  x = 1\n```\n1. one';
    const lines = proseLines(text, { palette: coloured, width: 80 }).map(stripVTControlCharacters);
    expect(lines).toEqual(['Title', '• bold and code', '│ said', '    x = 1', '1. one']);
  });

  it('leaves formulas as they were written', () => {
    const text = 'So \\(a*b*c\\):\n\\[\n\\{x\\} \\,= \\frac{1}{2} \\\\\n\\]';
    const lines = proseLines(`${text}\nfor *$5*`, { palette: coloured, width: 80 });
    expect(lines.map(stripVTControlCharacters).join('\n')).toBe(`${text}\nfor $5`);
  });

  it('keeps the lines of a long text as they were written, and what is laid out stays so as it grows', () => {
    const begun = '- **bold** again\n'.repeat(2000);
    const layout = { palette: coloured, width: 80 };
    const whole = proseLines(`${begun}- **late**\n`.repeat(20), layout);
    expect(whole.at(0)).toBe(proseLines('- **bold** again', layout)[0]);
    expect(whole.at(-2)).toBe('- **late**');
    expect(whole.slice(0, 2000)).toEqual(proseLines(begun, layout).slice(0, 2000));
  });

  it('paints what is bold word by word', () => {
    expect(proseLines('a **b c** d', { palette: coloured, width: 80 })).toEqual([
      `a ${coloured.strong('b')} ${coloured.strong('c')} d`,
    ]);
  });

  it('shows a table in columns where it fits, and as its cells under their headings where it does not', () => {
    const text = '| cost | why |\n|---|:-:|\n| **5** | it \\| lasts |\n| 12 | |\nafter';
    const shown = (width: number) =>
      proseLines(text, { palette: coloured, width }).map(stripVTControlCharacters);
    expect(shown(40)).toEqual(['cost  why', '5     it | lasts', '12', 'after']);
    expect(shown(12)).toEqual([
      ...['cost: 5', 'why: it |', '  lasts', '', 'cost: 12', 'why:', 'after'],
    ]);
  });

  it('holds a table back until a line that is no row follows it', () => {
    expect(wholeLines('so:\n| a | b |\n|---|---|\n| 1')).toBe('so:');
    expect(wholeLines('so:\n| a | b |\n|---|---|\n\nafter\n')).toBe(
      'so:\n| a | b |\n|---|---|\n\nafter',
    );
  });

  it('shows emphasis and links without their marks, and tells where a link leads', () => {
    const shown = (text: string) =>
      proseLines(text, { palette: coloured, width: 80 }).map(stripVTControlCharacters);
    expect(shown('*one* and _two_, [here](https://a.org/b_c_d)')).toEqual([
      'one and two, here (https://a.org/b_c_d)',
    ]);
    expect(shown('2*3 snake_case_name 5 * 4 [1] [x')).toEqual(['2*3 snake_case_name 5 * 4 [1] [x']);
    expect(proseLines('*one*', { palette: coloured, width: 80 })).toEqual([
      coloured.emphasis('one'),
    ]);
  });

  it('takes two stars between numbers for two stars', () => {
    const text = '2 ** 3 2**3 `x **y`';
    const [line = ''] = proseLines(text, { palette: coloured, width: 80 });
    expect(stripVTControlCharacters(line)).toBe('2 ** 3 2**3 x **y');
  });

  it('shows bold that is never closed without its mark', () => {
    expect(proseLines('**a.** b (**c', { palette: coloured, width: 80 })).toEqual([
      `${coloured.strong('a.')} b (${coloured.strong('c')}`,
    ]);
  });

  it('shows bold beside punctuation in scripts without spaces', () => {
    const { strong } = coloured;
    expect(
      proseLines('**はい。**これは**「重要」**です。**次', { palette: coloured, width: 80 }),
    ).toEqual([`${strong('はい。')}これは${strong('「重要」')}です。${strong('次')}`]);
  });

  it('wraps a list item under its own text', () => {
    const text = '- one two three four five six seven';
    expect(proseLines(text, { palette: plain, width: 20 })).toEqual([
      '- one two three four',
      '  five six seven',
    ]);
  });

  it('breaks a script without spaces between any two characters, but not before a closing mark', () => {
    expect(proseLines('納瓦爾拉維坎特說的話。', { palette: plain, width: 20 })).toEqual([
      '納瓦爾拉維坎特說的',
      '話。',
    ]);
  });

  it('breaks no word of a script in which several letters make one character', () => {
    expect(proseLines('हिन्दी '.repeat(5), { palette: plain, width: 20 })).toEqual([
      'हिन्दी हिन्दी हिन्दी',
      'हिन्दी हिन्दी',
    ]);
  });

  it('shows a heading without the marks in it', () => {
    const [line] = proseLines('# A *b* `c`', { palette: coloured, width: 80 });
    expect(line).toBe(`${coloured.strong('A')} ${coloured.strong('b')} ${coloured.strong('c')}`);
  });

  it('cuts a word that is wider than a line', () => {
    expect(proseLines('abcdefghijklmnopqrstuvwxyz', { palette: plain, width: 20 })).toEqual([
      'abcdefghijklmnopqrst',
      'uvwxyz',
    ]);
  });

  it('is never wider than asked for', () => {
    fc.assert(
      fc.property(markdown, palette, width, (text, colours, columns) => {
        for (const line of proseLines(text, { palette: colours, width: columns })) {
          expect(widthOf(line)).toBeLessThanOrEqual(columns);
        }
      }),
    );
  });

  it('keeps every word', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 40 }), width, (text, columns) => {
        expect(proseLines(text, { palette: plain, width: columns }).join(' ')).toBe(text);
      }),
    );
  });

  it('loses no line, whatever signs stand in it', () => {
    const text = 'wonderfully\u2028fermentum';
    expect(proseLines(text, { palette: plain, width: 60 }).join('')).toBe(text);
    expect(proseLines(text, { palette: coloured, width: 60 }).join('')).toBe(text);
  });

  it('keeps every row of whole lines as the text grows', () => {
    fc.assert(
      fc.property(markdown, palette, width, fc.nat(), (text, colours, columns, place) => {
        const layout = { palette: colours, width: columns };
        const whole = wholeLines(text.slice(0, place % (text.length + 1)));
        const settled = whole === '' ? [] : proseLines(whole, layout);
        expect(proseLines(text, layout).slice(0, settled.length)).toEqual(settled);
      }),
      { numRuns: 2000 },
    );
  });
});
