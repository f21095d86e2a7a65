import { describe, expect, test } from 'vitest';
import { readBallot } from '../../src/council/ballot.ts';
import { readBallotCases } from '../fixtures/ballots/read-cases.ts';

const cases = readBallotCases();

describe('a review is read as a person reads it', () => {
  test.each(cases)('$file: $title', ({ review, shown, groups }) => {
    const ballot = readBallot(review, shown);
    if (groups === undefined) {
      expect(ballot).toEqual({ status: 'abstained', reason: expect.stringMatching(/\.$/) });
    } else {
      const partial = groups.flat().length < shown.length;
      expect(ballot).toEqual({ status: 'ranked', groups, partial });
    }
  });

  test('there are reviews enough to mean something, and some of them abstain', () => {
    expect(cases.length).toBeGreaterThanOrEqual(80);
    expect(cases.filter(({ groups }) => groups === undefined).length).toBeGreaterThanOrEqual(15);
    expect(cases.flatMap(({ groups }) => groups?.flat() ?? []).join('')).not.toContain('?');
  });
});
