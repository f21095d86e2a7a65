import { describe, expect, test } from 'vitest';
import { turnWordsIn } from '../../src/domain/languages/languages.ts';
import type { Settlement } from '../../src/domain/turn.ts';
import {
  confidenceInWords,
  contradictionLines,
  placeInWords,
  rebuttalInWords,
  reviewInWords,
  settlementLines,
  shareBar,
} from '../../src/domain/turn-words.ts';

const labels = [
  { label: 'A', sage: 'taleb' },
  { label: 'B', sage: 'ada' },
  { label: 'C', sage: 'ben' },
];
const names: Readonly<Record<string, string>> = { taleb: 'Taleb', ada: 'Ada', ben: 'Ben' };
const shown = (text: string) => reviewInWords({ text, labels }, (sage) => names[sage] ?? sage);

describe('a review in words', () => {
  test.each([
    ['Response B is short.', 'Ada is short.'],
    ['**Response B** beats response C.', '**Ada** beats Ben.'],
    ['Responses A, B and C agree; B/C too.', 'Taleb, Ada and Ben agree; B/C too.'],
    ['Response A’s gravest error', 'Taleb’s gravest error'],
    ['Antwort B ist besser als Antwort A.', 'Ada ist besser als Taleb.'],
    ['FINAL RANKING:\n1. Response C\n2. Response A', 'FINAL RANKING:\n1. Ben\n2. Taleb'],
  ])('has names where its labels stood: %s', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test.each([
    'An answer a child could give.',
    'Response Beta is unknown, and so is Response D.',
    'A response. B is short.',
    'Plan B is better than A.',
  ])('leaves what is no label: %s', (text) => {
    expect(shown(text)).toBe(text);
  });

  test('takes time in proportion to its length', () => {
    const long = `${'Response A, '.repeat(40_000)}Response`;
    expect(shown(long).startsWith('Taleb, Taleb')).toBe(true);
    const spaces = `Response A${' '.repeat(200_000)}x`;
    expect(shown(spaces)).toContain('Taleb');
  });
});

test('what sages still disagree on is not left to the reader where the chair decides it', () => {
  const settlement: Settlement = {
    contradictions: [
      {
        topic: 'When',
        sides: [
          { sage: 'ada', stance: 'Go.', position: 'held' },
          { sage: 'ben', stance: 'Wait.', position: 'held' },
        ],
        status: 'open',
        why: 'Ada has counted.',
      },
    ],
    unique: [],
    caveats: ['The chair decides “When”.'],
  };
  const nameOf = (sage: string) => names[sage] ?? sage;
  expect(settlementLines(settlement, { nameOf, inert: (text) => text })).toEqual([
    'When: the sages still disagree. Ada holds (Go); Ben holds (Wait). Ada has counted.',
    'The chair decides “When”.',
  ]);
});

test('a round, its outcome and a confidence have the colons and stops of their language', () => {
  const inert = (text: string) => text;
  const written = (language: string) => {
    const words = turnWordsIn(language);
    const said = { nameOf: (sage: string) => names[sage] ?? sage, inert, words };
    const [topic] = settlementLines(settlement, said);
    const [{ sides = [] } = {}] = contradictionLines(docket, said);
    const confidence = confidenceInWords({ confidence: 'low', confidenceReason: 'X' }, words);
    return [topic, sides[0], confidence, rebuttalInWords(rebuttal, said)];
  };
  const docket = {
    contradictions: [{ topic: 'When', stances: [{ sage: 'ada', stance: 'Go', quote: 'Go now' }] }],
  };
  const settlement: Settlement = {
    contradictions: [
      {
        topic: 'When',
        status: 'open',
        sides: [{ sage: 'ada', stance: 'Go', position: 'held' }],
        why: '',
      },
    ],
    unique: [],
    caveats: [],
  };
  const rebuttal = {
    sage: 'ada',
    model: 'a:b',
    position: 'held',
    because: '',
    opposing: '',
    flaw: '',
    latencyMs: 1,
    failure: { reason: 'late', explanation: 'X' },
  } as const;
  expect(written('fr')).toEqual([
    'When : toujours en désaccord. Ada maintient sa réponse (Go).',
    'Ada : Go “Go now”',
    'faible. X',
    'Ada maintient sa réponse (X)',
  ]);
  expect(written('ja')).toEqual([
    'When：意見は分かれたまま。Ada 主張を維持 (Go)。',
    'Ada：Go “Go now”',
    '低。X',
    'Ada 主張を維持 (X)',
  ]);
});

test('bars of a ranking are of one width, and show the gap', () => {
  expect([1, 0.44, 0].map(shareBar)).toEqual([
    '██████████ 100 %',
    '████░░░░░░  44 %',
    '░░░░░░░░░░   0 %',
  ]);
});

test('a place tells of its votes only where some are missing', () => {
  const place = { sage: 'ada', score: 1, position: 1, averagePosition: 1.25, votes: 4 };
  expect(placeInWords(place, 4)).toBe('average place 1.3');
  expect(placeInWords({ ...place, votes: 2 }, 4)).toBe('average place 1.3, on 2 of 4 ballots');
  const { averagePosition: _, ...unlisted } = { ...place, votes: 0 };
  expect(placeInWords(unlisted, 4)).toBe('on no ballot');
});

test('a sage that changes its answer says what it takes back', () => {
  const said = { sage: 'ada', model: 'a:b', because: 'I forgot the move.', opposing: '' } as const;
  const inWords = (position: 'held' | 'amended', flaw: string) =>
    rebuttalInWords(
      { ...said, position, flaw, latencyMs: 1 },
      { nameOf: (sage) => names[sage] ?? sage, inert: (text) => text },
    );
  expect(inWords('held', '')).toBe('Ada holds, because I forgot the move.');
  expect(inWords('amended', 'It costs 40k.')).toBe(
    'Ada amends its answer, because I forgot the move. It takes back “It costs 40k”.',
  );
});
