import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBallot } from '../../src/council/ballot.ts';
import { ballotSchema } from '../../src/domain/turn.ts';

/** What reviews are made of, to be put together at random. */
const fragment = fc.constantFrom(
  ...['FINAL RANKING:', 'Ranking', 'worst to best', 'Rank 1:', '1.', '2)', '#3', '1st', '🥇', '1️⃣'],
  ...[
    'Response A',
    'Response',
    'B',
    'c',
    'A and B',
    'D (tie)',
    'tied with A',
    'Answer F',
    'a',
    '12',
  ],
  ...[
    ' > ',
    '<',
    ' = ',
    ',',
    ';',
    ':',
    '.',
    ' – ',
    '-',
    '|',
    '"',
    '“',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
  ],
  ...['```', '```json', '> ', '## ', '- ', '**', '_', '\\succ', '&gt;', '<b>', '</ranking>'],
  ...[
    '\n',
    '\n',
    '\n\n',
    ' ',
    '\t',
    'is better than',
    '9/10',
    '"ranking":',
    '排名',
    '\ud83e',
    '\u0000',
  ],
);
const soup = fc.array(fragment, { maxLength: 120 }).map((parts) => parts.join(''));
const oddLabel = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.string({ unit: 'binary', maxLength: 3 }),
  fc.constantFrom('A', 'A1', '12', 'α', '(', '.*', '[a-z]+', '$', '\\', '|', '>', 'A > B', ' ', ''),
);

function expectSound(ballot: ReturnType<typeof readBallot>, labels: readonly string[]): void {
  ballotSchema.parse(ballot);
  if (ballot.status === 'abstained') {
    expect(ballot.reason).not.toBe('');
    return;
  }
  const listed = ballot.groups.flat();
  const shown = new Set(labels.filter((label) => label.trim() !== ''));
  expect(ballot.groups.every((group) => group.length > 0)).toBe(true);
  expect(listed.length).toBeGreaterThan(0);
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.every((label) => shown.has(label))).toBe(true);
  expect(ballot.partial).toBe(listed.length < shown.size);
}

describe('whatever a model writes', () => {
  test('a ballot holds shown labels alone, each once, or says why there is none', () => {
    fc.assert(
      fc.property(soup, fc.subarray(['A', 'B', 'C', 'D', '12']), (review, labels) => {
        expectSound(readBallot(review, labels), labels);
      }),
      { numRuns: 1000 },
    );
  });

  test('labels of any characters are no danger', () => {
    const texts = fc.oneof(soup, fc.string({ maxLength: 300 }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(texts, fc.array(oddLabel, { maxLength: 6 }), (text, labels) => {
        expectSound(readBallot(text, labels), labels);
        const written = `FINAL RANKING:\n${labels.map((label, at) => `${at + 1}. ${label}`).join('\n')}`;
        expectSound(readBallot(`${text}\n${written}`, labels), labels);
      }),
      { numRuns: 1000 },
    );
  });

  test('a hundred thousand characters of any fragment are read to the end', () => {
    fc.assert(
      fc.property(fragment, fragment, fc.boolean(), (one, other, isAnnounced) => {
        const start = isAnnounced ? 'FINAL RANKING:\n' : '';
        const review = start + (one + other).repeat(100_000 / (one.length + other.length));
        expectSound(readBallot(review, ['A', 'B']), ['A', 'B']);
      }),
      { numRuns: 10 },
    );
  });

  test('a fence with a hundred thousand spaces behind it is read to the end, again and again', () => {
    const review = `\`\`\`${' '.repeat(99_990)}!`;
    for (let at = 0; at < 20; at += 1) expectSound(readBallot(review, ['A', 'B']), ['A', 'B']);
  });

  test('other names for the same answers give the same ballot under the other names', () => {
    const names = new Map([
      ['A', 'Q'],
      ['B', 'R'],
      ['C', 'S'],
    ]);
    const order = fc.shuffledSubarray(['A', 'B', 'C'], { minLength: 1 });
    const form = fc.constantFrom(' > ', ', ', '\n', '; ', ' = ');
    fc.assert(
      fc.property(order, form, (labels, separator) => {
        const write = (all: readonly string[]) =>
          `FINAL RANKING:\n${all.map((label) => `Response ${label}`).join(separator)}`;
        const renamed = labels.map((label) => names.get(label) ?? label);
        const original = readBallot(write(labels), ['A', 'B', 'C']);
        const other = readBallot(write(renamed), ['Q', 'R', 'S']);
        const rename = (label: string) => names.get(label) ?? label;
        expect(other).toEqual(
          original.status === 'ranked'
            ? { ...original, groups: original.groups.map((group) => group.map(rename)) }
            : original,
        );
      }),
    );
  });

  test('no order is made of answers that are merely mentioned', () => {
    const sentence = fc.constantFrom(
      'Response A is clear.',
      'I like Response C more than Response B.',
      'Response B, like Response D, cites a source.',
      'Response C beats Response A on tone, but not on substance.',
      'On balance Response D is thin.',
      'Both Response A and Response B answer the question.',
      '### Response B',
      '- Response C: concise.',
      '1. Response D has a good first step.',
      'Response A (8/10), Response B (7/10).',
      'A careful reader would prefer B.',
    );
    fc.assert(
      fc.property(
        fc.array(sentence, { maxLength: 12 }),
        fc.constantFrom(' ', '\n'),
        (all, between) => {
          const review = `${all.join(between)}\nThat is all that I can say of them.`;
          expect(readBallot(review, ['A', 'B', 'C', 'D']).status, review).toBe('abstained');
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('how much is looked at', () => {
  const ranking = 'FINAL RANKING: B > A';

  test('the ranking that ends a longer text is read', () => {
    const review = `${'Response A is long-winded. '.repeat(10_000)}\n${ranking}`;
    expect(readBallot(review, ['A', 'B'])).toMatchObject({ groups: [['B'], ['A']] });
  });

  test('what stands before the last hundred thousand characters is not', () => {
    const review = `${ranking}\n${'It goes on.\n'.repeat(10_000)}`;
    expect(readBallot(review, ['A', 'B']).status).toBe('abstained');
  });

  test('a quotation that the cut goes through is still one', () => {
    const line = `> ${'x'.repeat(50)} FINAL RANKING: B > A`;
    const review = `${line}\n${' \n'.repeat((100_000 - 21) / 2)}`;
    expect(readBallot(review, ['A', 'B']).status).toBe('abstained');
  });
});

describe('an order is read as it was meant', () => {
  test.each([
    ['a remark on another answer behind a name', '1. C, A is close behind\n2. A\n3. B', 'C A B'],
    [
      'a count of something, which is neither place nor score',
      'Response C – 1 strong point made well\nResponse A – 3 points\nResponse B – 2 weak ideas',
      'C A B',
    ],
    ['a chain in the only entry of a list', '1. C > A > B', 'C A B'],
    ['names in the only entry of a list', 'From best to worst:\n1. C, A, B', 'C A B'],
  ])('%s', (_, order, wanted) => {
    const ballot = readBallot(`FINAL RANKING:\n${order}`, ['A', 'B', 'C']);
    const groups = wanted.split(' ').map((label) => [label]);
    expect(ballot).toEqual({ status: 'ranked', groups, partial: false });
  });

  test.each([
    ['ties by place', { ranking: { 1: ['C', 'A'], 2: ['B'] } }, [['C', 'A'], ['B']]],
    [
      'names under any key',
      {
        ranking: ['C', 'A', 'B'].map((label, at) => ({ name: `Response ${label}`, rank: at + 1 })),
      },
      [['C'], ['A'], ['B']],
    ],
  ])('JSON with %s', (_, written, groups) => {
    const ballot = readBallot(JSON.stringify(written), ['A', 'B', 'C']);
    expect(ballot).toEqual({ status: 'ranked', groups, partial: false });
  });
});

describe('an abstention says why', () => {
  test.each([
    ['', 'The review is empty.'],
    ['Response A is good.', 'The review has no ranking'],
    ['FINAL RANKING: hard to say', 'A ranking is announced'],
    ['FINAL RANKING: A > B < C', 'no clear order'],
    ['FINAL RANKING:\nA < B > C', 'no clear order'],
    ['FINAL RANKING:\n1. A > B < C', 'no clear order'],
    ['> FINAL RANKING: B > A', 'has no ranking of its own'],
  ])('%j', (review, reason) => {
    expect(readBallot(review, ['A', 'B', 'C'])).toEqual({
      status: 'abstained',
      reason: expect.stringContaining(reason),
    });
  });

  test('no labels', () => {
    expect(readBallot('FINAL RANKING: A', [])).toEqual({
      status: 'abstained',
      reason: 'No answer was shown to this reviewer.',
    });
  });
});
