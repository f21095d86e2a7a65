import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cutMarkdown,
  excerpt,
  splitMarkdown,
} from '../../../../src/platforms/chat/text/split-markdown.ts';
import { hasOpenFence, markdown, readMessage } from './wild-markdown.ts';

const limits = fc.oneof(fc.integer({ min: 50, max: 120 }), fc.constantFrom(500, 2000));

describe('splitting Markdown', () => {
  it('leaves a text that fits as it is', () => {
    expect(splitMarkdown('# One\n\ntwo\n\n- three', 50)).toEqual(['# One\n\ntwo\n\n- three']);
  });

  it('gives nothing for blank text', () => {
    expect(splitMarkdown(' \n\n\t\n', 50)).toEqual([]);
  });

  it('cuts between blocks before it cuts in one', () => {
    const [first, second] = ['word '.repeat(7).trim(), 'other '.repeat(6).trim()];
    expect(splitMarkdown(`${first}\n\n${second}`, 50)).toEqual([first, second]);
  });

  it.each(['## Title', '**Title**', '**Title:**', '**Title**:'])(
    'keeps %s with what follows it',
    (title) => {
      const before = 'A paragraph of some length.';
      const titled = `${title}\n\nWhat the title is about.`;
      expect(splitMarkdown(`${before}\n\n${titled}`, 50)).toEqual([before, titled]);
      expect(excerpt(`${before}\n\n${titled}`, 60)).toBe(`${before}\n…`);
    },
  );

  it('cuts between sentences before it cuts between words', () => {
    expect(
      splitMarkdown('The first sentence is here. The second one follows it at once.', 50),
    ).toEqual(['The first sentence is here.', 'The second one follows it at once.']);
  });

  it('cuts between words, and only what has no spaces between characters', () => {
    expect(splitMarkdown(`${'word '.repeat(12)}end`, 50)).toEqual([
      'word word word word word word word word word word',
      'word word end',
    ]);
    expect(splitMarkdown('x'.repeat(120), 50)).toEqual([
      'x'.repeat(50),
      'x'.repeat(50),
      'x'.repeat(20),
    ]);
  });

  it('leaves out white space that is wider than a piece', () => {
    expect(splitMarkdown(`one${' '.repeat(200)}two`, 50)).toEqual(['one', 'two']);
  });

  it('never parts an emoji made of several, nor a letter from its accents', () => {
    for (const character of ['👩‍🚀', '🏳️‍🌈', 'e\u0301', '🇫🇷']) {
      const pieces = splitMarkdown(character.repeat(60), 50);
      expect(pieces.length).toBeGreaterThan(1);
      for (const piece of pieces) {
        expect(piece).toBe(character.repeat(piece.length / character.length));
      }
    }
  });

  it('parts a character that is longer than a piece between its code points', () => {
    const character = `👩${'\u200d👩'.repeat(40)}`;
    const pieces = splitMarkdown(character, 50);
    expect(pieces.join('')).toBe(character);
    expect(pieces.join(' ')).not.toMatch(/\p{Surrogate}/u);
  });

  it.each([
    ['a link', '[a link of several words](https://example.com/x)'],
    ['bold words', '**five words that are bold**'],
    ['words in italics', '_five words that are slanted_'],
    ['code', '`code with some spaces in it`'],
    ['an address', 'https://example.com/a-long/path-of/words'],
    ['struck out words', '~~five words that are struck~~'],
    ['a spoiler', '||five words that are hidden||'],
    ['a picture', '![what is to be seen](https://a.example/b.png)'],
    ['a link with parentheses', '[a name](https://example.com/one_(two)_three)'],
  ])('does not cut %s that fits into a piece', (_what, whole) => {
    for (let words = 0; words < 12; words += 1) {
      const pieces = splitMarkdown(`${'some '.repeat(words)}${whole} and the rest of it`, 50);
      expect(pieces.some((piece) => piece.includes(whole))).toBe(true);
    }
  });

  it('does not cut a link in emphasis that must be cut', () => {
    const link = '[a link of words](https://example.com)';
    for (let words = 0; words < 12; words += 1) {
      const text = `**${'some '.repeat(words)}${link} ${'more '.repeat(3)}words**`;
      expect(splitMarkdown(text, 50).some((piece) => piece.includes(link))).toBe(true);
    }
  });

  it('keeps the numbers of a list, and its items whole', () => {
    const items = [
      '1. the first item of it',
      '2. the second item of it',
      '3. the third item of it',
    ];
    expect(splitMarkdown(items.join('\n'), 50)).toEqual([items.slice(0, 2).join('\n'), items[2]]);
  });

  it('cuts before a list rather than after its first item', () => {
    const items = '- the first item\n- the second item';
    expect(splitMarkdown(`What there is to choose.\n\n${items}`, 50)).toEqual([
      'What there is to choose.',
      items,
    ]);
  });

  it.each(['- ', '12. ', '## ', '> '])('does not part the mark “%s” from a long word', (mark) => {
    const [beginning] = splitMarkdown(mark + 'x'.repeat(60), 50);
    expect(beginning).toBe(mark + 'x'.repeat(50 - mark.length));
  });

  it('closes a fence that is cut and opens it again with its info string', () => {
    const code = ['const first = 1;', 'const second = 2;', 'const third = 3;'];
    expect(splitMarkdown(`\`\`\`ts title="a"\n${code.join('\n')}\n\`\`\``, 60)).toEqual([
      `\`\`\`ts title="a"\n${code[0]}\n${code[1]}\n\`\`\``,
      `\`\`\`ts title="a"\n${code[2]}\n\`\`\``,
    ]);
  });

  it('closes a fence as far in as it was opened', () => {
    const code = '   x = 1;\n'.repeat(16);
    const [first, second] = splitMarkdown(`1. item\n   \`\`\`\n${code}   \`\`\``, 60);
    expect(first).toMatch(/^1\. item\n {3}```\n(?: {3}x = 1;\n)+ {3}```$/);
    expect(second).toMatch(/^```\n(?: {3}x = 1;\n)+```$/);
  });

  it('closes a fence that nothing closes', () => {
    expect(splitMarkdown('~~~js\nx = 1;', 50)).toEqual(['~~~js\nx = 1;\n~~~']);
  });

  it('reads a fence in a longer fence, or in one of tildes, as code', () => {
    const inner = '```js\nx = 1;\n```';
    for (const marker of ['````', '~~~']) {
      const pieces = splitMarkdown(`${marker}\n${`${inner}\n`.repeat(6)}${marker}`, 60);
      expect(pieces.length).toBeGreaterThan(1);
      for (const piece of pieces) {
        expect(piece.startsWith(`${marker}\n`)).toBe(true);
        expect(piece.endsWith(`\n${marker}`)).toBe(true);
      }
    }
  });

  it('leaves no empty block behind when a fence ends where the piece is full', () => {
    const code = 'x'.repeat(42);
    expect(splitMarkdown(`\`\`\`\n${code}\n\`\`\`\`\`\nafter`, 50)).toEqual([
      `\`\`\`\n${code}\n\`\`\``,
      'after',
    ]);
  });

  it('does not cut an info string while there is another place', () => {
    const heading = '## What it looks like';
    expect(splitMarkdown(`${heading}\n\n~~~js title="a b c" lines\nx = 1;\n~~~`, 50)).toEqual([
      heading,
      '~~~js title="a b c" lines\nx = 1;\n~~~',
    ]);
  });

  it('shortens an info string that is too long to be repeated', () => {
    const pieces = splitMarkdown(
      `\`\`\`js ${'long '.repeat(8)}\n${'x = 1;\n'.repeat(9)}\`\`\``,
      60,
    );
    expect(pieces[1]).toMatch(/^```js\nx = 1;/);
  });

  it('goes on with a quote under its mark, also in code', () => {
    expect(splitMarkdown(`> ${'word '.repeat(12)}end`, 50)[1]).toMatch(/^> word/);
    const quoted = splitMarkdown(`> \`\`\`js\n${'> x = 1;\n'.repeat(8)}> \`\`\``, 50);
    expect(quoted.length).toBeGreaterThan(1);
    for (const piece of quoted) expect(piece).toMatch(/^> ```js\n(?:> x = 1;\n)+> ```$/);
  });

  it('does not begin a piece with what would be read as a heading or a list', () => {
    const text = `${'word '.repeat(9)}# - 1. # word`;
    expect(splitMarkdown(text, 50).slice(1)).toEqual([expect.not.stringMatching(/^(?:#|-|1\.) /)]);
  });

  it.each([
    ['letters', 'x'.repeat(100_000)],
    ['words', 'word '.repeat(20_000)],
    ['opening brackets', '[('.repeat(50_000)],
    ['backticks of growing runs', 'a`b``c```d'.repeat(10_000)],
    ['quote marks', '> '.repeat(50_000)],
    ['accents', `e${'\u0301'.repeat(99_999)}`],
    ['line feeds between letters', `x${'\n'.repeat(499)}`.repeat(200)],
    ['code in one line', `\`\`\`js\n${'x '.repeat(50_000)}\n\`\`\``],
  ])('ends for 100,000 characters: %s', (_what, text) => {
    for (const limit of [50, 2000]) {
      const pieces = cutMarkdown(text, limit);
      expect(pieces.map(({ source }) => source).join('')).toBe(text);
      expect(pieces.length).toBeLessThan(10 * (text.length / limit));
    }
  });
});

describe('the pieces of any Markdown', () => {
  it('fit', () => {
    fc.assert(
      fc.property(markdown, limits, (text, limit) =>
        splitMarkdown(text, limit).every((piece) => piece.length <= limit && piece.trim() !== ''),
      ),
      { numRuns: 500 },
    );
  });

  it('rejoin to the same text, and leave out nothing but white space and closing fences', () => {
    fc.assert(
      fc.property(markdown, limits, (text, limit) => {
        const pieces = cutMarkdown(text, limit);
        expect(pieces.map(({ source }) => source).join('')).toBe(text);
        for (const piece of pieces) {
          const at = piece.source.indexOf(piece.text);
          expect(at).toBeGreaterThanOrEqual(0);
          expect(piece.source.slice(0, at).trim()).toBe('');
          const after = piece.source.slice(at + piece.text.length).trim();
          expect(after).toMatch(piece.closing === '' ? /^$/ : /^(?:> ?)?(?:`*|~*)$/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('have every fence closed', () => {
    fc.assert(
      fc.property(markdown, limits, (text, limit) => {
        for (const piece of splitMarkdown(text, limit))
          expect([piece, hasOpenFence(piece)]).toEqual([piece, false]);
      }),
      { numRuns: 500 },
    );
  });

  it('have as code what was code, and nothing else', () => {
    const shortLines = markdown.map((text) =>
      text
        .split('\n')
        .map((line) => line.slice(0, 30).replaceAll(/[|>]/g, ''))
        .join('\n'),
    );
    const written = (texts: readonly string[], isCode: boolean) =>
      texts
        .flatMap((text) => readMessage(text).lines)
        .filter((line) => line.isCode === isCode)
        .map((line) => line.text.replaceAll(/\s/g, ''))
        .join('');
    fc.assert(
      fc.property(shortLines, fc.integer({ min: 100, max: 200 }), (text, limit) => {
        const pieces = splitMarkdown(text, limit);
        for (const isCode of [true, false]) {
          expect(written(pieces, isCode)).toBe(written([text], isCode));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('never begin or end in the middle of a surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), limits, (text, limit) => {
        for (const piece of splitMarkdown(text, limit)) expect(piece.isWellFormed()).toBe(true);
      }),
    );
  });
});

it('is the text where it fits, trimmed', () => {
  expect(excerpt('  The verdict.\n', 52)).toBe('The verdict.');
});

it('ends with a sentence and says that there is more', () => {
  expect(excerpt('The verdict is this one. And it goes on for rather long after it.', 60)).toBe(
    'The verdict is this one.\n…',
  );
});

it('closes code that is cut', () => {
  expect(excerpt(`\`\`\`js\n${'x = 1;\n'.repeat(20)}\`\`\``, 60)).toMatch(/\n```\n…$/);
});

it('fits, and has every fence closed', () => {
  fc.assert(
    fc.property(markdown, fc.integer({ min: 52, max: 300 }), (text, limit) => {
      const beginning = excerpt(text, limit);
      expect(beginning.length).toBeLessThanOrEqual(limit);
      expect(hasOpenFence(beginning)).toBe(false);
    }),
    { numRuns: 300 },
  );
});
