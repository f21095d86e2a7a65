import { expect, test } from 'vitest';
import type { Review } from '../../../src/domain/turn.ts';
import { chartsOf, minutesHtml, minutesMarkdown } from '../../../src/memory/minutes/report.ts';

const sages = ['Ada', 'Ben', '孔子'].map((name, index) => ({
  key: `sage_${index}`,
  name,
  description: 'Sees.',
  source: 'predefined' as const,
}));

const reviews = sages.map(
  ({ key }): Review => ({
    reviewer: key,
    model: 'test:model',
    labels: sages.map((sage, index) => ({ label: 'ABC'[index] ?? '', sage: sage.key })),
    text: 'A is best.',
    ballot: { status: 'ranked', groups: [['A'], ['B'], ['C']], partial: false },
    latencyMs: 1,
  }),
);

const places = sages.map(({ key }, index) => ({
  sage: key,
  position: index + 1,
  averagePosition: index + 1,
  votes: 3,
  score: 1 - index / 2,
}));

const turn = {
  request: {
    turnId: 't',
    threadId: 'test:w:c:t',
    eventId: 'e',
    askedAt: 0,
    question: 'Should we <script>alert(1)</script>?',
    author: { id: 'u', name: 'Uma' },
  },
  seated: {
    seats: sages.map((sage) => ({ sage, model: 'test:model' })),
    how: 'fixed' as const,
    dropped: [],
    latencyMs: 1,
  },
  reviews,
  ranked: { ranking: { places }, sameModel: false },
};

test('minutes have a page of their own, with the charts of what was asked', () => {
  const charted = chartsOf(turn);
  const page = minutesHtml(
    {
      discussion: { said: [], leftOut: [] },
      brief: { text: 'Ada won.', missing: [], strange: [], tries: 1 },
      questions: charted ? [charted] : [],
      record: undefined,
      problem: 'none',
      timeZone: 'UTC',
    },
    Date.UTC(2026, 0, 1),
  );
  expect(page).toContain('<h1>Minutes of 2026-01-01</h1>');
  expect(page).toContain('Ada won.');
  expect(page).toContain('<h2>Should we &lt;script&gt;alert(1)&lt;/script&gt;?</h2>');
  expect(page.match(/<figure><svg/g)).toHaveLength(2);
  expect(page).toContain('<td>孔子</td><td>0 %</td>');
  expect(page).not.toMatch(/<script|<img|<link|@import|url\(/i);
});

test('a turn that nothing was ranked in has no charts', () => {
  const { ranked: _, ...unranked } = turn;
  expect(chartsOf(unranked)).toBeUndefined();
});

test('minutes as Markdown hold nothing that a terminal obeys', () => {
  const minutes = {
    discussion: { said: [], leftOut: [] },
    questions: [],
    record: undefined,
    problem: 'none',
    timeZone: 'UTC',
    brief: { text: 'Ada\u001b[2K\u202e won.', missing: [], strange: [], tries: 1 },
  };
  expect(minutesMarkdown(minutes, Date.UTC(2026, 0, 1))).toContain('Ada[2K won.');
});
