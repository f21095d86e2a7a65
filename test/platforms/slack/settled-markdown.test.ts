import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settledMarkdown } from '../../../src/platforms/slack/presenter/growing-message.ts';
import { inertSlackMarkdown } from '../../../src/platforms/slack/slack-text.ts';
import { wildText } from '../chat/text/wild-text.ts';

/** All that is shown of a text while it grows by so many characters at a time. */
function growth(text: string, step: number, upTo: 'word' | 'line' = 'word'): readonly string[] {
  const count = Math.ceil(text.length / step);
  return Array.from({ length: count }, (_, index) =>
    settledMarkdown(text.slice(0, (index + 1) * step), upTo),
  );
}

function expectOnlyToGrow(shown: readonly string[]): void {
  for (const [index, later] of shown.entries()) {
    expect(later.startsWith(shown[index - 1] ?? '')).toBe(true);
  }
}

const answer = `## Two ways

Ask **somebody** who [has done it](https://example.org/a_(b)?c=d&e "so"), see https://example.org/x.

\`\`\`python
def first(values: list[int]):
    return values[1:] if values[0] < 3 else d["a"](1)
\`\`\`

| a | b |
|---|---|
| 1 | \`x < y\` |

- one <@U123>
- two [bank.com](https://evil.example/x), and no more.
`;

describe('a text that grows', () => {
  test.each([1, 2, 3, 7, 50])('is shown so that it only grows, %i characters at a time', (step) => {
    for (const upTo of ['word', 'line'] as const) {
      const shown = growth(answer, step, upTo);
      expectOnlyToGrow([...shown, inertSlackMarkdown(answer)]);
    }
  });

  test('grows sign by sign where no spaces stand between words, and shows no mark before its end', () => {
    const said = '**はい。**これは**「重要」**な点です。ขอบคุณที่ถาม';
    const shown = [...growth(said, 1), inertSlackMarkdown(said)];
    expectOnlyToGrow(shown);
    const states = [...new Set(shown)];
    expect(states.length).toBeGreaterThan(15);
    for (const state of states) expect(state.split('**').length % 2).toBe(1);
    expect(states).not.toContain(`${states.at(-1)?.split('ที่')[0]}ที`);
  });

  test('holds nothing live at any moment', () => {
    fc.assert(
      fc.property(wildText, fc.integer({ min: 1, max: 9 }), (text, step) => {
        for (const shown of growth(text, step)) expect(shown).not.toContain('<');
      }),
    );
  });

  test.each([
    ['Now. **Rewrite it** then', ['Now. ', 'Now. **Rewrite it** ']],
    ['_Rewrite_ the `old one` x', ['_Rewrite_ ', '_Rewrite_ the ', '_Rewrite_ the `old one` ']],
    [
      'As [the report](https://example.org/a) says',
      ['As ', 'As [the report (example.org)](https://example.org/a) '],
    ],
    ['So ~5 * 3, a_b and [1] or', ['So ', 'So ~5 ', 'So ~5 * ', 'So ~5 * 3, ', 'So ~5 * 3, a_b ']],
  ])('shows no mark of %s before what it marks is whole', (text, states) => {
    const shown = [...new Set(growth(text, 1))].filter((state) => state !== '');
    expect(shown.slice(0, states.length)).toEqual(states);
  });

  test('shows a mark whose end does not come', () => {
    const text = `So *${'it goes on '.repeat(40)}`;
    expect(settledMarkdown(text.slice(0, 200), 'word')).toBe('So ');
    expect(settledMarkdown(text, 'word')).toBe(text);
  });

  test('holds back what is not a whole word, or not a whole line', () => {
    expect(settledMarkdown('Do your pa', 'word')).toBe('Do your ');
    expect(settledMarkdown('Do your\npart and mo', 'line')).toBe('Do your\n');
  });
});
