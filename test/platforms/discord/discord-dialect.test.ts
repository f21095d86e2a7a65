import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitMarkdown } from '../../../src/platforms/chat/text/split-markdown.ts';
import { discordMarkdown } from '../../../src/platforms/discord/discord-text.ts';
import { markdown as wildMarkdown } from '../chat/text/wild-markdown.ts';

/** With what has no width made visible. */
function shown(text: string): string {
  return discordMarkdown(text).replaceAll('\u200b', '␣');
}

describe('Markdown for Discord', () => {
  it.each([
    ['tildes', '~~~ts\nlet a;\n~~~', '```ts\nlet a;\n```'],
    ['more than three backticks', '````md\n```\na\n```\n````', '```md\n``␣`\na\n``␣`\n```'],
    ['nothing at its end', 'Look:\n~~~\na', 'Look:\n```\na\n```'],
    ['a quote’s end', '> ~~~\n> a\nb', '> ```\n> a\n> ```\nb'],
    ['tildes in a list', '1. a\n   ~~~js\n   b\n   ~~~', '1. a\n   ```js\n   b\n   ```'],
    ['words beside the language', '```ts title="a b"\nc\n```', '```ts title="a b"\nc\n```'],
  ])('fences code by three backticks: %s', (_what, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it('parts backticks that would end a block, or begin one in the middle of a line', () => {
    expect(shown('```js\nlet a = "```";\n```')).toBe('```js\nlet a = "``␣`";\n```');
    expect(shown('Write ``` before code.')).toBe('Write ``␣` before code.');
    expect(shown('Write ```a``` so.')).toBe('Write ```a``` so.');
  });

  it('draws a narrow table in a code block', () => {
    const table = '| Engine | **Cost** |\n|---|--:|\n| `old` | 3 \\| 4 |\n| 新しい | |\nAfter.';
    expect(shown(table)).toBe(
      ['```', 'Engine  Cost', '──────  ─────', 'old     3 | 4', '新しい', '```', 'After.'].join(
        '\n',
      ),
    );
  });

  it('lists the rows of a table that is too wide, and of one with links', () => {
    const cell = 'It takes a team of six about a year, and nobody knows what it costs.';
    expect(shown(`| Way | What |\n|---|---|\n| Rewrite | ${cell}<br>So no. |`)).toBe(
      `- Way: **Rewrite**\n  - What: ${cell} / So no.`,
    );
    expect(shown(`| Way | Buy | Rent |\n|---|---|---|\n| Wait | | 3 |\n| Buy | ${cell} | |`)).toBe(
      `- Way: **Wait**\n  - Rent: 3\n- Way: **Buy**\n  - Buy: ${cell}`,
    );
    const link = '[a.example](https://a.example)';
    expect(shown(`| Who |\n|---|\n| ${link} |`)).toBe(`- Who: **${link}**`);
  });

  it('lists the rows of a table with words that run from right to left, whose columns would swap', () => {
    expect(shown('| شهر | Cost |\n|---|---|\n| مايو | 3 |')).toBe('- شهر: **مايو**\n  - Cost: 3');
  });

  it('keeps the empty lines of a quote in it, and leaves those of code alone', () => {
    expect(shown('> a\n>\n> b\n\n~~~\n>\n~~~')).toBe('> a\n> \n> b\n\n```\n>\n```');
    expect(shown('> ~~~\n> a\n>\n> b\n> ~~~')).toBe('> ```\n> a\n> \n> b\n> ```');
  });

  it('lists the rows of a table that only a phone is too narrow for', () => {
    const table = [
      '| Way | Cost |',
      '|---|---|',
      '| Rewrite it in parts | A team for about a year |',
    ];
    expect(shown(table.join('\n'))).toBe(
      '- Way: **Rewrite it in parts**\n  - Cost: A team for about a year',
    );
  });

  it.each([
    ['deep headings', '#### Why `a`? ##\n##### **So**\n### Kept', '**Why `a`?**\n**So**\n### Kept'],
    [
      'pictures',
      '![A cat](https://a.example/c.png) ![](https://a.example)',
      '[A cat (a.example)](https://a.example/c.png) [picture (a.example)](https://a.example)',
    ],
    ['a quote', '> #### Why\n> - a', '> **Why**\n> - a'],
    ['line breaks of HTML', 'a<br>b<br/>c', 'a\nb\nc'],
  ])('writes %s with what there is', (_what, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    'Map<K, V> and List<P>, a < b > c, <https://a.example>, <t:12:R>, <#12>',
    '`<br>` and `- [ ]` and `[^1]` and `&amp;`',
    '```html\n<b>a</b><br>&amp;[^1]\n#### a\n- [ ] b\n| a |\n|---|\n```',
    '# a\n## b\n- c\n  - d\n1. e\n> f\n**g** *h* ~~i~~ ||j||\n-# k',
  ])('leaves alone what Discord shows: %s', (text) => {
    expect(shown(text)).toBe(text);
  });

  it('mentions no one by what it turns into', () => {
    expect(shown('<@<br>123> @<br>everyone')).toBe('<@\n123> @\neveryone');
    expect(shown('| @everyone |\n|---|\n| [<@1>](https://a.example) |')).toContain('@␣everyone');
  });
});

const word = fc.nat(9999).map((number) => `w${number}w`);
const phrase = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
const element = fc.constantFrom('b', 'i', 'code', 'p', 'div', 'summary', 'sub', 'kbd');
const inline = fc.oneof(
  phrase,
  fc.tuple(element, phrase).map(([name, text]) => `<${name}>${text}</${name}>`),
  phrase.map((text) => `![${text}](https://a.example/x)`),
  word.map((label) => `so[^${label}]`),
  phrase.map((text) => `\`${text}\``),
  phrase.map((text) => `${text}<br>${text}`),
);
const row = fc.array(inline, { minLength: 1, maxLength: 4 });
const table = fc
  .tuple(row, fc.array(row, { maxLength: 5 }))
  .map(([header, rows]) =>
    [header, header.map(() => '---'), ...rows]
      .map((cells) => `| ${cells.join(' | ')} |`)
      .join('\n'),
  );
const code = fc
  .tuple(fc.constantFrom('~~~', '````', '```'), phrase, fc.boolean())
  .map(([marks, text, isNested]) => {
    const inner = isNested && marks !== '```' ? `\`\`\`\n${text}\n\`\`\`` : text;
    return `${marks}ts\n${inner}\n${marks}`;
  });
const block = fc.oneof(
  inline,
  inline.map((text) => `##### ${text}`),
  inline.map((text) => `- [x] ${text}\n- [ ] ${text}`),
  fc.tuple(word, inline).map(([label, text]) => `[^${label}]: ${text}`),
  inline.map((text) => `> ${text}`),
  table,
  code,
);
const document = fc.array(block, { maxLength: 8 }).map((blocks) => blocks.join('\n\n'));

function wordsIn(text: string): readonly string[] {
  return text.match(/w\d+w/g) ?? [];
}

/** Discord reads three backticks as the begin or end of a block wherever they stand. */
function fencesIn(text: string): number {
  return (text.match(/`{3,}/g) ?? []).length;
}

describe('any Markdown for Discord', () => {
  it('keeps every word, and out of wide tables each once and in order', () => {
    fc.assert(
      fc.property(document, (text) => {
        const kept = new Set(wordsIn(discordMarkdown(text)));
        expect(wordsIn(text).filter((one) => !kept.has(one))).toEqual([]);
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(inline, code), { maxLength: 8 }), (blocks) => {
        const text = blocks.join('\n\n');
        expect(wordsIn(discordMarkdown(text))).toEqual(wordsIn(text));
      }),
    );
  });

  it('has as many fences that begin as end, and so has every piece of it, none too long', () => {
    fc.assert(
      fc.property(document, fc.integer({ min: 50, max: 400 }), (text, limit) => {
        const whole = discordMarkdown(text);
        expect(fencesIn(whole) % 2).toBe(0);
        expect(whole).not.toMatch(/^~~~/m);
        for (const piece of splitMarkdown(whole, limit)) {
          expect(piece.length).toBeLessThanOrEqual(limit);
          expect(fencesIn(piece) % 2).toBe(0);
        }
      }),
    );
  });

  it('has balanced fences and ends, however wild the text', () => {
    fc.assert(
      fc.property(wildMarkdown, (text) => {
        for (const piece of splitMarkdown(discordMarkdown(text), 2000)) {
          expect(piece.length).toBeLessThanOrEqual(2000);
        }
      }),
    );
  });

  it.each([
    ['angle brackets', '<'],
    ['open elements', '<b>'],
    ['open links of HTML', '<a href="'],
    ['rows', '| a |\n|---|\n'],
    ['backticks', '` '],
    ['bars', '|'],
    ['footnotes', '[^'],
    ['pictures', '!['],
    ['fences', '~~~\n'],
  ])('takes time in proportion to 300,000 characters of %s', (_what, part) => {
    const text = part.repeat(300_000 / part.length);
    expect(discordMarkdown(text).length).toBeGreaterThan(0);
  });
});
