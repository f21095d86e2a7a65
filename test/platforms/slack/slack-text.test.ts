import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitMarkdown } from '../../../src/platforms/chat/text/split-markdown.ts';
import { visibleText } from '../../../src/platforms/chat/text/visible-text.ts';
import {
  escapeSlackText,
  inertSlackMarkdown,
  slackName,
  slackNotice,
} from '../../../src/platforms/slack/slack-text.ts';
import { hasOpenFence, markdown } from '../chat/text/wild-markdown.ts';
import { wildText } from '../chat/text/wild-text.ts';

/** What people see of it: Slack decodes these three, and takes the result for text. */
function read(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function withoutSpace(text: string): string {
  return text.replace(/[\s\u200b]/g, '');
}

describe('Markdown for Slack', () => {
  it.each([
    ['the channel', '<!channel> <!here>', '&lt;!channel> &lt;!here>'],
    ['a person', '<@U123>', '&lt;@U123>'],
    ['a link under a false name', '<https://evil|bank>', '&lt;https://evil|bank>'],
    ['an escape', '&lt;!channel&gt;', '&amp;lt;!channel&amp;gt;'],
    ['code', '`a <!here> b`', '`a &lt;!here> b`'],
    ['a block of code', '```\n<!here>\n```', '```\n&lt;!here>\n```'],
  ])('shows what Slack would obey: %s', (_what, text, expected) => {
    expect(inertSlackMarkdown(text)).toBe(expected);
  });

  it('shows where a link leads, and leaves the address as it is', () => {
    expect(inertSlackMarkdown('[bank.com](https://evil.example/?a&b)')).toBe(
      '[bank.com (evil.example)](https://evil.example/?a&b)',
    );
  });

  it('gives no label an address that is shown nowhere', () => {
    expect(inertSlackMarkdown('See [bank.com].\n\n> [bank.com]: https://evil.example')).toBe(
      'See [bank.com].\n\n> [bank.com]\u200b: https://evil.example',
    );
  });

  it.each([
    ['a table', '| a | b |\n|---|---|\n| 1 & 2 | 3 |'],
    ['a quote in a list', '- one\n  > two\n- [x] **three** ~~four~~'],
    ['code', '```ts\nif (a > b && c) d();\n```'],
    ['a link', 'https://example.org/?a=1&b=2#c'],
  ])('leaves %s as it was written', (_what, text) => {
    expect(inertSlackMarkdown(text)).toBe(text);
  });

  it('sets bold beside punctuation apart where no spaces stand between words', () => {
    expect(inertSlackMarkdown('**はい。**これは**「重要」**です。**費用**は`**「x」**y`')).toBe(
      '**はい。** これは **「重要」** です。**費用**は`**「x」**y`',
    );
    expect(inertSlackMarkdown('**마크다운(Markdown)**을')).toBe('**마크다운(Markdown)** 을');
    expect(inertSlackMarkdown('2**(3)**4 **Yes.** No')).toBe('2**(3)**4 **Yes.** No');
  });

  it('holds nothing live, and reads as it was written', () => {
    fc.assert(
      fc.property(wildText, (text) => {
        expect(inertSlackMarkdown(text)).not.toContain('<');
        if (!/\](?:\(|:)/.test(visibleText(text))) {
          expect(read(inertSlackMarkdown(text))).toBe(visibleText(text));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is split below a limit without losing text, with every fence closed, and with nothing live', () => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 120, max: 2000 }), (text, limit) => {
        const pieces = splitMarkdown(inertSlackMarkdown(text), limit);
        const whole = withoutSpace(pieces.join(''));
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(limit);
          expect(piece).not.toContain('<');
          expect(hasOpenFence(piece)).toBe(false);
        }
        for (const word of visibleText(text).match(/[\p{L}\p{N}]{1,8}/gu) ?? []) {
          expect(whole).toContain(word);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('what notifications show', () => {
  it.each([
    ['**Yes, on Tuesday.** It is _ready_.', '*Yes, on Tuesday.* It is _ready_.'],
    ['### Consensus\n- **Ship** it', '*Consensus*\n- *Ship* it'],
    ['## The **last** word', '*The last word*'],
    [
      '`a ** b ** c` 2 ** 3 ** 4 __init__.py a\\*\\*b',
      '`a ** b ** c` 2 ** 3 ** 4 __init__.py a\\*\\*b',
    ],
  ])('has bold as Slack writes it: %s', (markdown, notice) => {
    expect(slackNotice(inertSlackMarkdown(markdown), 300)).toBe(notice);
  });

  it('is short and holds nothing live', () => {
    fc.assert(
      fc.property(wildText, (text) => {
        const notice = slackNotice(inertSlackMarkdown(text.repeat(20)), 300);
        expect(notice).not.toMatch(/[<>]/);
        expect(notice.length).toBeLessThan(300 * 4);
      }),
    );
  });
});

describe('plain text for Slack', () => {
  it('holds nothing live, and reads as it was written', () => {
    fc.assert(
      fc.property(wildText, (text) => {
        expect(escapeSlackText(text)).not.toMatch(/[<>]|&(?!(?:amp|lt|gt);)/);
        expect(read(escapeSlackText(text))).toBe(text);
      }),
    );
  });
});

describe('names for Slack', () => {
  it('have a letter to show and fit, whatever a sage is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (name) => {
        const shown = slackName(name);
        expect(shown.trim()).toBe(shown);
        expect(shown.length).toBeGreaterThanOrEqual(1);
        expect(shown.length).toBeLessThanOrEqual(80);
      }),
    );
  });

  it('are not that of Slack itself', () => {
    expect(slackName('SlackBot')).toBe('Slack·Bot');
  });
});
