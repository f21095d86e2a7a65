import { describe, expect, it } from 'vitest';
import type { TurnEvent } from '../../../src/council/events.ts';
import { english } from '../../../src/domain/languages/english.ts';
import { showTurn } from '../../../src/platforms/terminal/show-turn.ts';
import { recordedPage, shown } from './recorded-page.ts';
import {
  answered,
  answeredEnd,
  concluded,
  docketed,
  grew,
  ranked,
  reviewed,
  seated,
  taleb,
} from './turn-events.ts';

const ended = (outcome: 'failed' | 'stopped', explanation: string): TurnEvent => ({
  type: 'ended',
  end: { outcome, explanation },
});

describe('a turn', () => {
  it.each([
    [true, 1],
    [false, 0],
  ])(
    'tells how to ask what the verdict suggests where it can be typed: %s',
    async (isLive, times) => {
      const nextQuestions = ['Which barbell?', 'How often?'];
      const { text } = await shown([seated, concluded({ nextQuestions }), answeredEnd], { isLive });
      expect(text.split('/next 2: How often?')).toHaveLength(times + 1);
    },
  );

  it('names what is in dispute as it was written', async () => {
    const { text } = await shown([seated, docketed('Keep snake_case?'), answeredEnd], {
      isLive: false,
    });
    expect(text).toContain('**In dispute: Keep snake_case?**');
  });

  it('is told from the answers to the verdict', async () => {
    const { text, end } = await shown(
      [
        { type: 'stage_started', stage: 'moderator' },
        seated,
        answered('nassim_taleb', 'Use a **barbell**.'),
        answered('marcus_aurelius', 'Do your duty.'),
        { type: 'stage_started', stage: 'reviews' },
        reviewed('nassim_taleb'),
        reviewed('marcus_aurelius', {
          ballot: { status: 'abstained', reason: 'no ranking in it.' },
        }),
        ranked,
        concluded({ notice: 'The chair needed two tries.' }),
        answeredEnd,
      ],
      { isLive: false },
    );
    expect(end).toEqual({ outcome: 'answered', explanation: '' });
    expect(text).toBe(`
## Nassim Taleb

Use a **barbell**.

## 🏛️ Marcus Aurelius

Do your duty.

## Ranking by 1 blind ballot

1. ████████░░  75 % Nassim Taleb 🏆 · average place 1.3
2. ███░░░░░░░  25 % Marcus Aurelius
The bars show how often sages who saw no names ranked each answer above another.
The review by Marcus Aurelius does not count as a vote: no ranking in it.
One model spoke for all of them, so their agreement is weak evidence.

## Verdict

Do both.

### Consensus
- Waiting is worse.

### Disagreements
- How much to bet.

### Still open
- Whether the market lasts.

### Minority report
- Bet nothing.

### Dissent
- Last on every ballot.

Confidence: medium. Nobody has measured the risk.

The chair needed two tries.`);
  });

  it('keeps the words of a ranking whole on a narrow page', async () => {
    const events = [seated, reviewed('nassim_taleb'), ranked, concluded({}), answeredEnd];
    const { text } = await shown(events, { isLive: true });
    expect(text.replaceAll(/ +$/gm, '')).toContain(`
1. ████████░░  75 % Nassim Taleb 🏆 ·
                    average place 1.3
2. ███░░░░░░░  25 % Marcus Aurelius
The bars show how often sages who saw no`);
  });

  it('says who was named and does not sit, and why the fallback does', async () => {
    const { text } = await shown(
      [
        {
          type: 'seated',
          seated: {
            seats: [],
            how: 'fallback',
            note: 'The moderator named no one.',
            dropped: [{ name: 'Zorro', why: 'not on the bench' }],
            latencyMs: 1,
          },
        },
        answeredEnd,
      ],
      { isLive: false },
    );
    expect(text).toContain('The moderator named no one.\nNot seated: Zorro (not on the bench).');
  });

  it('gives the reason of a failed seat in plain words', async () => {
    const { text } = await shown(
      [
        seated,
        answered('nassim_taleb', 'Error: the key was rejected.', { status: 'failed' }),
        answeredEnd,
      ],
      { isLive: false },
    );
    expect(text).toContain('## Nassim Taleb\n\n✗ Did not answer: the key was rejected.');
  });

  it('gives one reason once, however many seats it fails', async () => {
    const reason = 'The key was rejected. Check KEY.';
    const failed = { status: 'failed' } as const;
    const { text } = await shown(
      [
        seated,
        answered('nassim_taleb', `Error: ${reason}`, failed),
        answered('marcus_aurelius', `Error: ${reason}`, failed),
        ended('failed', reason),
      ],
      { isLive: false },
    );
    expect(text.split(reason)).toHaveLength(2);
    expect(text).toContain('✗ Did not answer, for the same reason.');
    expect(text).toContain('✗ The council could not answer.');
  });

  it('gives the reason once that moderator and fallback council failed for alike', async () => {
    const reason = 'openai gets more requests than it allows for this key (429). Ask again.';
    const { text } = await shown(
      [
        {
          type: 'seated',
          seated: {
            seats: [taleb],
            how: 'fallback',
            because: 'failed',
            dropped: [],
            latencyMs: 1,
            note: `The moderator failed: ${reason}`,
          },
        },
        answered('nassim_taleb', `Error: ${reason}`, { status: 'failed' }),
        ended('failed', reason),
      ],
      { isLive: false },
    );
    expect(text.replaceAll(/\s+/g, ' ').split(reason)).toHaveLength(2);
    expect(text).toContain('The moderator failed.');
  });

  it('keeps what a stopped sage had said', async () => {
    const { text, end } = await shown(
      [
        seated,
        answered('nassim_taleb', 'Use a bar', { status: 'stopped' }),
        answered('marcus_aurelius', '', { status: 'stopped' }),
        ended('stopped', 'Stopped on request.'),
      ],
      { isLive: false },
    );
    expect(text).toContain('Use a bar\n(stopped here)');
    expect(text).toContain('## 🏛️ Marcus Aurelius\n\n(stopped before it said anything)');
    expect(text).toContain('\nStopped on request.');
    expect(end?.outcome).toBe('stopped');
  });

  it('says why no one could answer, and what to do', async () => {
    const { text } = await shown([ended('failed', 'Set OPENAI_API_KEY.')], { isLive: false });
    expect(text).toBe('\n✗ The council could not answer. Set OPENAI_API_KEY.');
  });

  it('never passes a top-ranked answer off as a verdict', async () => {
    const { text } = await shown(
      [
        seated,
        { type: 'verdict_grew', verdict: 'What the chair began' },
        concluded({
          kind: 'top_answer',
          verdict: 'An answer.',
          notice: 'The chair failed.',
          by: 'nassim_taleb',
        }),
        answeredEnd,
      ],
      { isLive: false },
    );
    expect(text).toContain(
      '## Top-ranked answer, not a verdict\n\nThe chair failed.\n\nAn answer.',
    );
    expect(text).not.toContain('## Verdict');
  });

  it('takes terminal sequences out of everything that was written elsewhere', async () => {
    const evil = '\u001b]0;owned\u0007x\u009b31m\r\b';
    const { text } = await shown(
      [
        {
          type: 'seated',
          seated: {
            seats: [
              {
                sage: {
                  key: 'evil',
                  name: `Evil${evil}`,
                  emoji: evil,
                  description: evil,
                  source: 'dynamic',
                },
                model: 'test:model',
              },
            ],
            how: 'moderated',
            note: evil,
            dropped: [{ name: evil, why: evil }],
            latencyMs: 1,
          },
        },
        answered('evil', evil),
        answered(evil, evil, { status: 'failed' }),
        reviewed(evil, { failure: { reason: 'empty', explanation: evil } }),
        reviewed('evil', { ballot: { status: 'abstained', reason: evil } }),
        {
          type: 'ranked',
          sameModel: false,
          ranking: { places: [{ sage: evil, score: 1, position: 1, votes: 1 }] },
        },
        concluded({
          verdict: evil,
          consensus: [evil],
          disagreements: [evil],
          minorityReport: evil,
          unsettled: [evil],
          confidenceReason: evil,
          notice: evil,
          dissent: [{ sage: evil, shown: evil, summary: evil }],
        }),
        ended('failed', evil),
      ],
      { isLive: false },
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]|owned/);
  });

  it('that breaks off leaves no status behind and passes the cause on', async () => {
    async function* broken(): AsyncGenerator<TurnEvent> {
      yield grew('nassim_taleb', 'Use a barbell and');
      throw new Error('the store is gone');
    }
    const recorded = recordedPage(true);
    await expect(showTurn(broken(), recorded.page, english)).rejects.toThrow('the store is gone');
    expect(recorded.text).toContain('Use a barbell');
    expect(recorded.status).toBeUndefined();
  });
});
