import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeSlackText, inertSlackText } from '../../../src/platforms/text/slack-text.ts';
import { visibleText } from '../../../src/platforms/text/visible-text.ts';
import { wildText } from './wild-text.ts';

function read(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

describe('text for Slack', () => {
  it.each([
    ['the channel', '<!channel> <!here>', '&lt;!channel&gt; &lt;!here&gt;'],
    ['a person', '<@U123>', '&lt;@U123&gt;'],
    ['a link under a false name', '<https://evil|bank>', '&lt;https://evil|bank&gt;'],
    ['an escape', '&lt;!channel&gt;', '&amp;lt;!channel&amp;gt;'],
    ['code', '`a <!here> b`', '`a &lt;!here&gt; b`'],
  ])('shows what Slack would obey: %s', (_what, text, expected) => {
    expect(inertSlackText(text)).toBe(expected);
  });

  it('shows where a Markdown link leads', () => {
    expect(inertSlackText('[bank.com](https://evil.example/?a&b)')).toBe(
      '[bank.com (evil.example)](https://evil.example/?a&amp;b)',
    );
  });

  it('holds nothing live, and reads as it was written', () => {
    fc.assert(
      fc.property(wildText, (text) => {
        expect(inertSlackText(text)).not.toMatch(/[<>]|&(?!(?:amp|lt|gt);)/);
        expect(read(escapeSlackText(text))).toBe(text);
        if (!text.includes('](')) expect(read(inertSlackText(text))).toBe(visibleText(text));
      }),
      { numRuns: 2000 },
    );
  });
});
