import { describe, expect, it } from 'vitest';
import { shown } from './recorded-page.ts';
import { answered, answeredEnd, concluded, grew, seated } from './turn-events.ts';

describe('sages that write at the same time', () => {
  it('are shown one after another: who began first, who is done, who still writes', async () => {
    const { text } = await shown(
      [
        seated,
        grew('marcus_aurelius', 'Do your '),
        grew('nassim_taleb', 'Use a '),
        grew('marcus_aurelius', 'Do your duty and '),
        answered('late_one', 'I am done.'),
        answered('marcus_aurelius', 'Do your duty and nothing else.'),
        grew('nassim_taleb', 'Use a barbell and '),
        answered('nassim_taleb', 'Use a barbell and wait.'),
        answeredEnd,
      ],
      { isLive: true },
    );
    const order = [
      'Do your duty and nothing else.',
      'late_one',
      'I am done.',
      'Use a barbell and wait.',
    ];
    const places = order.map((words) => text.indexOf(words));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    expect(text.match(/Use a/g)).toHaveLength(1);
  });

  it('show a line as it grows, word by word', async () => {
    const { tails } = await shown(
      [
        seated,
        grew('nassim_taleb', 'Use'),
        grew('nassim_taleb', 'Use a bar'),
        answered('nassim_taleb', 'Use a barbell.'),
        answeredEnd,
      ],
      { isLive: true },
    );
    expect(tails).toContain('Use a');
    expect(tails).not.toContain('Use a bar');
    expect(tails.at(-1)).toBe('');
  });

  it('say so when an answer starts again', async () => {
    const { text } = await shown(
      [
        seated,
        grew(
          'nassim_taleb',
          'First try that goes on for more than a whole line of it and\nfurther ',
        ),
        grew('nassim_taleb', 'Second '),
        answered('nassim_taleb', 'Second try.'),
        answeredEnd,
      ],
      { isLive: true },
    );
    expect(text).toContain('line of it and\n(starts again)\nSecond try.');
  });

  it('say nothing of a start again that no one saw', async () => {
    const { text } = await shown(
      [
        seated,
        grew('marcus_aurelius', 'Do your '),
        grew('nassim_taleb', 'First try that is long '),
        grew('nassim_taleb', 'Second '),
        answered('marcus_aurelius', 'Do your duty.'),
        answered('nassim_taleb', 'Second try.'),
        answeredEnd,
      ],
      { isLive: true },
    );
    expect(text).not.toContain('(starts again)');
    expect(text).not.toContain('First');
  });

  it('leave what they had written when they fail, above the reason', async () => {
    const { text } = await shown(
      [
        seated,
        grew('nassim_taleb', 'Use a barbell and '),
        answered('nassim_taleb', 'Error: the stream broke off.', { status: 'failed' }),
        answeredEnd,
      ],
      { isLive: true },
    );
    expect(text).toContain('Use a barbell and\n✗ Did not finish: the stream broke off.');
  });

  it('never have a sequence leak that arrives in two parts', async () => {
    const { text, tails } = await shown(
      [
        seated,
        grew('nassim_taleb', 'red \u001b[3'),
        grew('nassim_taleb', 'red \u001b[31malert '),
        answered('nassim_taleb', 'red \u001b[31malert.'),
        answeredEnd,
      ],
      { isLive: true },
    );
    expect(`${text}${tails.join('')}`).not.toContain('\u001b');
    expect(text).toContain('red alert.');
    expect(text).not.toContain('(starts again)');
  });
});

describe('the verdict', () => {
  it('is shown as it grows, and its details after it', async () => {
    const { text, tails } = await shown(
      [
        seated,
        { type: 'verdict_grew', verdict: 'Do ' },
        { type: 'verdict_grew', verdict: 'Do both and ' },
        concluded({ verdict: 'Do both and wait.' }),
        answeredEnd,
      ],
      { isLive: true },
    );
    expect(tails).toContain('Do both and');
    expect(text.match(/Do both/g)).toHaveLength(1);
    expect(text.indexOf('Do both and wait.')).toBeLessThan(text.indexOf('Consensus'));
  });

  it('that the chair did not finish is told apart from the answer in its place', async () => {
    const { text } = await shown(
      [
        seated,
        { type: 'verdict_grew', verdict: 'I would say ' },
        concluded({ kind: 'top_answer', verdict: 'An answer.', notice: 'The chair failed.' }),
        answeredEnd,
      ],
      { isLive: true },
    );
    expect(text).toMatch(
      /I would say\n\n## Top-ranked answer, not a verdict\n\nThe chair failed\.\n\nAn answer\./,
    );
  });
});
