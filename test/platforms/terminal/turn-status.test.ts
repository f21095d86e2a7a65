import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TurnEvent } from '../../../src/council/events.ts';
import { english } from '../../../src/domain/languages/english.ts';
import { showTurn } from '../../../src/platforms/terminal/show-turn.ts';
import { elapsed } from '../../../src/platforms/terminal/turn-lines.ts';
import { recordedPage } from './recorded-page.ts';
import { answered, grew, reviewed, seated } from './turn-events.ts';

/** What the status says after each event; time stands still. */
async function statusAfter(...events: readonly TurnEvent[]): Promise<string> {
  const recorded = recordedPage(true);
  let status = '';
  async function* watched(): AsyncGenerator<TurnEvent> {
    yield* events;
    status = recorded.status ?? '';
  }
  await showTurn(watched(), recorded.page, english);
  expect(recorded.status).toBeUndefined();
  return status;
}

describe('the status of a turn', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('begins with the moderator', async () => {
    const status = await statusAfter({ type: 'stage_started', stage: 'moderator' });
    expect(status).toBe('◐ 0 s  The council is being seated.');
  });

  it('counts who has answered or failed, and names who is still awaited', async () => {
    const status = await statusAfter(
      seated,
      { type: 'stage_started', stage: 'sages' },
      { type: 'sage_started', sage: 'marcus_aurelius' },
      { type: 'sage_started', sage: 'nassim_taleb' },
      { type: 'sage_started', sage: 'third' },
      { type: 'sage_started', sage: 'fourth' },
      grew('nassim_taleb', 'Use a '),
      answered('third', 'Done.'),
      answered('fourth', 'Error: no.', { status: 'failed' }),
    );
    expect(status).toBe('◐ 0 s  0 of 2 answered, waiting for Marcus Aurelius and Nassim Taleb.');
  });

  it('counts the reviews', async () => {
    const status = await statusAfter({ type: 'stage_started', stage: 'reviews' }, reviewed('a'));
    expect(status).toBe('◐ 0 s  The sages are reviewing each other blind: 1 of 1 done.');
  });

  it('ends with the chair', async () => {
    const status = await statusAfter({ type: 'stage_started', stage: 'verdict' });
    expect(status).toBe('◐ 0 s  The chair is writing the verdict.');
  });

  it('tells seconds, and minutes from the first one on', () => {
    expect(elapsed(999)).toBe('0 s');
    expect(elapsed(59_999)).toBe('59 s');
    expect(elapsed(125_000)).toBe('2 min 05 s');
  });
});
