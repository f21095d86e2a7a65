import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { growingHtml, saidHtml, saidInline } from '../../src/pages/said-html.ts';

describe('Markdown on the page', () => {
  test.each([
    ['paragraphs and broken lines', 'One\ntwo\r\n\r\nThree', '<p>One<br>two</p>\n<p>Three</p>'],
    [
      'emphasis and code',
      '**a** _b_ ~~c~~ `<d>`',
      '<p><strong>a</strong> <em>b</em> <del>c</del> <code>&lt;d&gt;</code></p>',
    ],
    [
      'bold beside punctuation where no spaces stand between words',
      '**はい。**これは**「A」**なので**「B」**、`**「C」**d`',
      '<p><strong>はい。</strong>これは<strong>「A」</strong>なので<strong>「B」</strong>、<code>**「C」**d</code></p>',
    ],
    ['two stars between words that spaces part', '2**(3)**4', '<p>2**(3)**4</p>'],
    ['headings below those of the page', '# A\n### B', '<h4>A</h4>\n<h6>B</h6>'],
    [
      'lists, numbered as they were',
      '3. a\n4. b\n   - c',
      '<ol start="3">\n<li>a</li>\n<li>b<ul>\n<li>c</li>\n</ul>\n</li>\n</ol>',
    ],
    [
      'tasks',
      '- [x] a\n- [ ] b',
      '<ul>\n<li><span class="task">☑</span> a</li>\n<li><span class="task">☐</span> b</li>\n</ul>',
    ],
    [
      'code as it is',
      '```js\nif (a < b) "**c**";\n```',
      '<pre tabindex="0"><code>if (a &lt; b) &quot;**c**&quot;;</code></pre>',
    ],
    [
      'tables',
      '| a | b |\n|---|--:|\n| **c** | 1 |',
      '<div class="table" tabindex="0"><table>\n<thead><tr><th>a</th><th class="right">b</th></tr></thead>\n<tbody><tr><td><strong>c</strong></td><td class="right">1</td></tr></tbody>\n</table></div>',
    ],
    ['quotations', '> a\n> b', '<blockquote>\n<p>a<br>b</p>\n</blockquote>'],
    ['references to signs', '5 &lt; 6 &#38; &#x41; &', '<p>5 &lt; 6 &amp; A &amp;</p>'],
    [
      'tags as they were written',
      'a <b>**c**</b>',
      '<p>a &lt;b&gt;<strong>c</strong>&lt;/b&gt;</p>',
    ],
    [
      'formulas as they were written, and amounts of money as text',
      'So \\(a*b*c\\),\n\\[\n x_1 \\\\\n\\{y\\}\n\\]\n$$\\int\\,$$ $x\\_1$; *$5* and \\$10',
      '<p>So \\(a*b*c\\),<br>\\[\n x_1 \\\\\n\\{y\\}\n\\]<br>$$\\int\\,$$ $x\\_1$; <em>$5</em> and $10</p>',
    ],
    [
      'formulas whole, whose lines look like headings, lists and quotations',
      '1. So\n   \\[\n   a\n   =\n   - b\n   \\]\n\n$$\nx\n---\n> y\n# z\n$$',
      '<ol>\n<li>So<br>\\[\n   a\n   =\n   - b\n   \\]</li>\n</ol>\n<p>$$\nx\n---\n&gt; y\n# z\n$$</p>',
    ],
    [
      'code that holds the signs of formulas',
      '```sh\n$$ \n```\n- a\n```sh\n$$\n```',
      '<pre tabindex="0"><code>$$ </code></pre>\n<ul>\n<li>a</li>\n</ul>\n<pre tabindex="0"><code>$$</code></pre>',
    ],
  ])('shows %s', (_what, text, html) => {
    expect(saidHtml(text)).toBe(html);
  });

  test('leads to the web and to mailboxes, and says where', () => {
    const rel = 'rel="noopener noreferrer"';
    expect(saidHtml('<https://a.example/?x=1&y="2">')).toBe(
      `<p><a href="https://a.example/?x=1&amp;y=%222%22" ${rel}>https://a.example/?x=1&amp;y=&quot;2&quot;</a></p>`,
    );
    expect(saidHtml('[my bank](https://evil.example/x?a=1&amp;b)')).toBe(
      `<p><a href="https://evil.example/x?a=1&amp;b" ${rel}>my bank</a> <span class="host">(evil.example)</span></p>`,
    );
    expect(saidHtml('[me](mailto:me@a.example)')).toBe(
      `<p><a href="mailto:me@a.example" ${rel}>me</a></p>`,
    );
  });

  test('loads no picture', () => {
    expect(saidHtml('![a cat](https://a.example/cat.png)')).toBe(
      '<p><a href="https://a.example/cat.png" rel="noopener noreferrer">Image: a cat</a> <span class="host">(a.example)</span></p>',
    );
    expect(saidHtml('[![a](https://a.example/a)](https://b.example/)')).toBe(
      '<p><a href="https://b.example/" rel="noopener noreferrer">Image: a <span class="host">(a.example)</span></a> <span class="host">(b.example)</span></p>',
    );
  });

  test.each([
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](java&#115;cript:alert(1))',
    '[a](javascript&colon;alert(1))',
    '[a](java\tscript:alert(1))',
    '[a](<java\u0000script:alert(1)>)',
    '[a](data:text/html;base64,PHNjcmlwdD4=)',
    '[a](vbscript:x)',
    '[a](file:///etc/passwd)',
    '[a](//evil.example)',
    '[a](/relative)',
    '[a](#anchor)',
    '[a]\n\n[a]: javascript:alert(1)',
    '<javascript:alert(1)>',
    '![a](javascript:alert(1))',
    '![a](data:image/svg+xml,<svg onload=alert(1)>)',
  ])('leads nowhere by %j', (text) => {
    expect(saidHtml(text)).not.toMatch(/<a |href=|src=/);
  });

  test.each([
    '<script>alert(1)</script>',
    '<SCRIPT SRC=//evil.example/x.js>',
    '<img src=x onerror=alert(1)>',
    '<pre><script>alert(1)</script></pre>',
    '<!-- --><style>*{display:none}</style>',
    '<svg/onload=alert(1)>',
    '<![CDATA[<b>]]>',
    '<?php x ?>',
    '`</code><script>alert(1)</script>`',
    '```"><script>alert(1)\n</code></pre><script>alert(1)</script>\n```',
    '    </code></pre><script>alert(1)</script>',
    '| <script> |\n|---|\n| </td></table><script>alert(1)</script> |',
    '[<script>alert(1)</script>](https://a.example "><script>alert(1)</script>")',
    '[a](https://a.example/"onmouseover="alert(1))',
    '[a](https://a.example "\\" onclick=\\"alert(1)")',
    '![" onerror="alert(1)](https://a.example/x)',
    '&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62; &#x3c;script&#x3E;',
    '# <h1>a</h1>',
    '**<b** onclick=x>a',
    '</div></article></main></body></html>',
  ])('holds nothing that is its writer’s own in %j', (text) => {
    expect(strange(saidHtml(text))).toBe('');
    expect(strange(saidInline(text))).toBe('');
  });

  test('is no writer’s own, however its signs are mixed', () => {
    const parts = [
      ...'<>&"\'`*_~[](){}!#|:-=/\\ \n\t\r0ax;',
      ...[
        '<script>',
        '</p>',
        '<a href=',
        'https://a.example',
        'javascript:',
        'data:',
        '&#',
        '&lt;',
      ],
      ...[
        '```',
        '\n\n',
        '\n> ',
        '\n- ',
        '\n1. ',
        '|-|',
        '](',
        '![',
        'onclick=',
        '\u202e',
        '\u0000',
      ],
    ];
    const wild = fc.array(fc.constantFrom(...parts), { maxLength: 60 }).map((all) => all.join(''));
    fc.assert(
      fc.property(wild, (text) => {
        expect(strange(saidHtml(text))).toBe('');
        expect(strange(saidInline(text))).toBe('');
      }),
      { numRuns: 3000 },
    );
  });

  test('keeps every word', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 3, maxLength: 6 });
    const sign = fc.constantFrom(
      ' ',
      '**',
      '\n',
      '\n\n',
      '\n- ',
      '\n> ',
      '`',
      ' | ',
      '_',
      '\n# ',
      '<',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(word, sign), { maxLength: 20 }), (said) => {
        const html = saidHtml(said.flat().join(''));
        for (const [one] of said) expect(html).toContain(one);
      }),
    );
  });

  test('shows a text of a million characters as it was written', () => {
    // Read as Markdown, these would take the square of their length.
    const lines = `1. A\n${'a\n'.repeat(500_000)}`;
    expect(saidHtml(lines)).toBe(`<p class="written">${lines.trim()}</p>`);
    const far = `a${' '.repeat(1_000_000)}b`;
    expect(saidInline(far)).toBe(far);
  });

  test('shows what no one would write by hand as it was written', () => {
    expect(saidHtml('>'.repeat(50_000))).toMatch(/^<p class="written">(&gt;){50000}<\/p>$/);
    expect(saidHtml(`${'1. '.repeat(40)}a`)).toMatch(/^<p class="written">/);
    const shouts = '!'.repeat(15_000);
    expect(saidHtml(shouts)).toBe(`<p>${shouts}</p>`);
    const stars = '*a_b['.repeat(3000);
    expect(saidHtml(`${stars}\n\n**b**`)).toBe(`<p>${stars}</p>\n<p><strong>b</strong></p>`);
  });

  test('turns no text round', () => {
    expect(saidHtml('a\u202eb &#x202e; &#8238; \u2066c')).toBe('<p>ab   c</p>');
  });
});

/** What is left of HTML when the page's own tags are taken out: whatever was written as a tag. */
function strange(html: string): string {
  const own =
    /<\/?(?:p|strong|em|del|code|pre|h[456]|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|div|a|span)>|<(?:br|hr)>|<pre tabindex="0">|<p class="written">|<div class="table" tabindex="0">|<t[hd] class="(?:left|right|center)">|<ol start="\d+">|<span class="(?:host|task)">|<a href="(?:https?:\/\/|mailto:)[^"<>]*" rel="noopener noreferrer">/g;
  return (html.replace(own, '').match(/[<>"].*/s) ?? [''])[0];
}

describe('Markdown that still grows', () => {
  const whole = [
    '**Wait *a* year**, and 5 * 3 `a**b` _so_ on: snake_case, 2*x, \\*.',
    '',
    '- **One** thing',
    '  - Two',
    '10. Three of **them**',
    '',
    '> - quoted',
    '',
    '| a | b |',
    '|---|:-:|',
    '| **c** | d |',
    '',
    '## End',
    '```js',
    'x * `y',
    '```',
    'Text',
    '- item',
  ].join('\n');
  const read = (html: string) => html.replace(/<[^>]+>|\s+/g, '');
  const prefixes = Array.from(whole, (_, at) => whole.slice(0, at + 1));

  test('shows nothing that is gone in the end', () => {
    const end = read(saidHtml(whole));
    for (const prefix of prefixes) {
      const shown = read(growingHtml(prefix));
      expect(end.startsWith(shown), `${prefix}\n\n${shown}`).toBe(true);
    }
  });

  test.each([
    ['**Wait', '<p><strong>Wait</strong></p>'],
    ['**Wait*', '<p><strong>Wait</strong></p>'],
    ['**Wait *a', '<p><strong>Wait <em>a</em></strong></p>'],
    ['So\n\n- ', '<p>So</p>'],
    ['So\n-', '<p>So</p>'],
    ['- a\n- **b', '<ul>\n<li>a</li>\n<li><strong>b</strong></li>\n</ul>'],
    ['`a**b', '<p><code>a**b</code></p>'],
    ['5 * 3, 2*x', '<p>5 * 3, 2*x</p>'],
    ['費用は**「約', '<p>費用は<strong>「約</strong></p>'],
    ['**はい。**費用は', '<p><strong>はい。</strong>費用は</p>'],
    ['```\n**a', '<pre tabindex="0"><code>**a</code></pre>'],
  ])('shows %j as it will look', (text, html) => {
    expect(growingHtml(text)).toBe(html);
  });

  test('takes no time in the square of a line of blanks', () => {
    expect(read(growingHtml(`**a\n${' '.repeat(400_000)}b`))).toBe('**ab');
  });

  test('is whole when all of it is there', () => {
    expect(growingHtml(whole)).toBe(saidHtml(whole));
  });
});
