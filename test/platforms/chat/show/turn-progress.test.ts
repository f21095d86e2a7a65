import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { TurnEvent } from '../../../../src/council/events.ts';
import {
  progressSentence,
  seatsInWords,
  seatWords,
} from '../../../../src/platforms/chat/show/progress-words.ts';
import {
  advance,
  notBegun,
  seatState,
  type TurnProgress,
} from '../../../../src/platforms/chat/show/turn-progress.ts';
import { certaintyLines } from '../../../../src/platforms/chat/show/verdict-words.ts';
import {
  answered,
  answeredEnd,
  concluded,
  grew,
  marcus,
  ranked,
  reviewed,
  seat,
  seated,
  taleb,
} from '../../terminal/turn-events.ts';

const moderator: TurnEvent = { type: 'stage_started', stage: 'moderator' };
const sages: TurnEvent = { type: 'stage_started', stage: 'sages' };
const reviews: TurnEvent = { type: 'stage_started', stage: 'reviews' };
const verdict: TurnEvent = { type: 'stage_started', stage: 'verdict' };
const started = (sage: string): TurnEvent => ({ type: 'sage_started', sage });
const named = (one: typeof marcus): TurnEvent => ({ type: 'seat_named', seat: one });
const ended = (outcome: 'failed' | 'stopped'): TurnEvent => ({
  type: 'ended',
  end: { outcome, explanation: 'why' },
});

function progressAfter(...events: readonly TurnEvent[]): TurnProgress {
  return events.reduce(advance, notBegun);
}

/** What each seat does, in words. */
function seats(progress: TurnProgress): readonly string[] {
  return progress.seats.map(
    ({ sage }) => `${sage.name} ${seatWords(seatState(progress, sage.key))}`,
  );
}

function sentence(progress: TurnProgress): string {
  return progressSentence(progress, ({ sage }) => sage.name);
}

const wholeTurn: readonly TurnEvent[] = [
  moderator,
  named(marcus),
  named(taleb),
  seated,
  sages,
  started('marcus_aurelius'),
  started('nassim_taleb'),
  grew('nassim_taleb', 'Bet'),
  answered('nassim_taleb', 'Bet small.', { latencyMs: 8200 }),
  answered('marcus_aurelius', 'Do your duty.', { latencyMs: 400 }),
  reviews,
  reviewed('marcus_aurelius'),
  reviewed('nassim_taleb'),
  ranked,
  verdict,
  { type: 'verdict_grew', verdict: 'Do' },
  concluded(),
  answeredEnd,
];

describe('the progress of a turn', () => {
  it('says who is doing what', () => {
    const progress = progressAfter(
      seated,
      sages,
      started('marcus_aurelius'),
      started('nassim_taleb'),
      grew('nassim_taleb', 'Bet'),
    );
    expect(seats(progress)).toEqual(['Marcus Aurelius is thinking', 'Nassim Taleb is answering']);
    expect(seats(progressAfter(seated))).toEqual([
      'Marcus Aurelius is waiting',
      'Nassim Taleb is waiting',
    ]);
  });

  it('says how each sage ended', () => {
    const failed = answered('marcus_aurelius', 'Error: no luck.', {
      status: 'failed',
      reason: 'timed_out',
    });
    const progress = progressAfter(
      seated,
      sages,
      failed,
      answered('nassim_taleb', 'x', { latencyMs: 8200 }),
    );
    expect(seats(progress)).toEqual([
      'Marcus Aurelius failed: it took too long',
      'Nassim Taleb answered in 8 s',
    ]);
    expect(seatState(progress, 'marcus_aurelius')).toMatchObject({ explanation: 'no luck.' });
  });

  it('shows the sages as they are named, then as they are seated', () => {
    const third = seat('third', 'Third');
    const early = progressAfter(
      moderator,
      named(taleb),
      named(taleb),
      started('nassim_taleb'),
      named(third),
    );
    expect(seats(early)).toEqual(['Nassim Taleb is thinking', 'Third is waiting']);
    expect(seats(advance(early, seated))).toEqual([
      'Marcus Aurelius is waiting',
      'Nassim Taleb is thinking',
    ]);
  });

  it('keeps what the ranking, the verdict and the end were', () => {
    const progress = progressAfter(...wholeTurn);
    expect(progress.ranked?.sameModel).toBe(true);
    expect(progress.verdict?.verdict).toBe('Do both.');
    expect(progress.end?.outcome).toBe('answered');
    expect(progress.reviewers).toEqual(['marcus_aurelius', 'nassim_taleb']);
  });

  it('marks as stopped sages that had not ended when the turn did', () => {
    const progress = progressAfter(
      seated,
      sages,
      started('nassim_taleb'),
      answered('marcus_aurelius', 'x'),
      ended('stopped'),
    );
    expect(seats(progress)).toEqual([
      'Marcus Aurelius answered in 1 s',
      'Nassim Taleb was stopped',
    ]);
  });

  it('is the very same when nothing that is shown has changed', () => {
    const progress = progressAfter(
      seated,
      sages,
      started('nassim_taleb'),
      grew('nassim_taleb', 'Bet'),
    );
    for (const event of [
      moderator,
      sages,
      seated,
      named(marcus),
      started('nassim_taleb'),
      grew('nassim_taleb', 'Bet small'),
      { type: 'verdict_grew', verdict: 'x' } as const,
    ]) {
      expect(advance(progress, event)).toBe(progress);
    }
  });

  it('does not change what it was handed', () => {
    const before = structuredClone(notBegun);
    progressAfter(...wholeTurn);
    expect(notBegun).toEqual(before);
  });

  it('of a resumed turn is the same as that of one in a single run', () => {
    for (let passed = 0; passed < wholeTurn.length; passed += 1) {
      expect(progressAfter(...wholeTurn.slice(0, passed), ...wholeTurn)).toEqual(
        progressAfter(...wholeTurn),
      );
    }
  });

  it('is the same in the end, in whatever order the events before it come and however often', () => {
    const events = wholeTurn.slice(0, -1);
    const wild = fc
      .tuple(
        fc.shuffledSubarray([...events], { minLength: events.length }),
        fc.subarray([...events]),
      )
      .map(([shuffled, again]) => [...shuffled, ...again, answeredEnd]);
    fc.assert(
      fc.property(wild, (shuffled) => {
        const { reviewers, ...progress } = progressAfter(...shuffled);
        const { reviewers: wanted, ...expected } = progressAfter(...wholeTurn);
        expect(progress).toEqual(expected);
        expect(reviewers.toSorted()).toEqual(wanted.toSorted());
      }),
    );
  });
});

test.each([
  [undefined, 'Sages, by their ballots: aligned'],
  [0, 'Sages: aligned'],
])(
  'ballots that rank alike are no agreement on the matter: %s open contradictions',
  (open, said) => {
    const told = concluded();
    if (ranked.type !== 'ranked' || told.type !== 'concluded') throw new Error('No verdict.');
    const measured = { ballots: 3, concordance: 0.9, favourite: 1, distance: 0.5 };
    const openContradictions = open === undefined ? {} : { openContradictions: open };
    const disagreement = { word: 'aligned', ...measured, ...openContradictions } as const;
    const lines = certaintyLines(told.verdict, { ...ranked, disagreement }, (line) => line);
    expect(lines.at(-1)).toBe(said);
  },
);

describe('the sentence that tells the progress', () => {
  it('goes through the stages', () => {
    const told: string[] = [];
    let progress = notBegun;
    for (const event of wholeTurn) {
      progress = advance(progress, event);
      const now = sentence(progress);
      if (told.at(-1) !== now) told.push(now);
    }
    expect(told).toEqual([
      'The council is being seated.',
      '0 of 2 answered, waiting for Marcus Aurelius and Nassim Taleb.',
      '1 of 2 answered, waiting for Marcus Aurelius.',
      '2 of 2 answered.',
      'The sages are reviewing each other blind: 0 of 2 done.',
      'The sages are reviewing each other blind: 1 of 2 done.',
      'The sages are reviewing each other blind: 2 of 2 done.',
      'The chair is writing the verdict.',
      'The council has answered.',
    ]);
  });

  it('counts who failed or was stopped, and names few', () => {
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => seat(key, key.toUpperCase()));
    const progress = progressAfter(
      { type: 'seated', seated: { seats: many, how: 'fixed', dropped: [], latencyMs: 1 } },
      sages,
      answered('a', 'Error: x', { status: 'failed', reason: 'empty' }),
      answered('b', '', { status: 'stopped' }),
    );
    expect(sentence(progress)).toBe(
      '0 of 6 answered, 1 failed, 1 stopped, waiting for C, D and 2 more.',
    );
  });

  it('says how a turn without a verdict ended', () => {
    expect(sentence(progressAfter(seated, ended('failed')))).toBe('The council could not answer.');
    expect(sentence(progressAfter(seated, ended('stopped')))).toBe('why');
    const alone = progressAfter(
      { type: 'seated', seated: { seats: [taleb], how: 'addressed', dropped: [], latencyMs: 1 } },
      sages,
      answered('nassim_taleb', 'x'),
      answeredEnd,
    );
    expect(sentence(alone)).toBe('1 of 1 answered.');
  });
});

describe('the states of all seats', () => {
  const reason = 'The server allows no more requests (429).';
  const failed = { status: 'failed', reason: 'rate_limited' } as const;
  const told = (...events: readonly TurnEvent[]) =>
    seatsInWords(
      progressAfter(seated, sages, ...events),
      (sage) => sage,
      (why) => why,
    );

  it('names those who answered, without a word on each', () => {
    expect(
      told(answered('marcus_aurelius', 'Yes.'), answered('nassim_taleb', 'Error: no.', failed)),
    ).toBe('marcus_aurelius · nassim_taleb failed: too many requests (no.)');
  });

  it('gives a reason once, however many seats it fails', () => {
    expect(
      told(
        answered('marcus_aurelius', `Error: ${reason}`, failed),
        answered('nassim_taleb', `Error: ${reason}`, failed),
      ),
    ).toBe(
      `marcus_aurelius failed: too many requests (${reason}) · nassim_taleb failed: too many requests`,
    );
  });

  it('leaves a reason out that the end of the turn gives', () => {
    expect(
      told(
        answered('marcus_aurelius', `Error: ${reason}`, failed),
        answered('nassim_taleb', 'Error: It was empty.', { ...failed, reason: 'empty' }),
        { type: 'ended', end: { outcome: 'failed', explanation: reason } },
      ),
    ).toBe(
      'marcus_aurelius failed: too many requests · nassim_taleb failed: the answer was empty (It was empty.)',
    );
  });
});
