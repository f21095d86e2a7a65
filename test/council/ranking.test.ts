import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CastBallot, rankAnswers } from '../../src/council/ranking.ts';
import {
  meanPositionScores,
  rateScores,
  seededRandom,
  simulateElection,
} from './simulated-elections.ts';

const ids = ['a', 'b', 'c', 'd'];
/** A ballot such as `c > a = b`, cast by none of the sages unless one is named. */
function ballot(order: string, reviewer = 'nobody'): CastBallot {
  return { reviewer, groups: order.split(' > ').map((group) => group.split(' = ')) };
}

function placeOf(ballots: readonly CastBallot[], id: string) {
  return rankAnswers(ballots, ids).places.find(({ sage }) => sage === id);
}

describe('the share of comparisons won', () => {
  test('counts every pair of one whole ballot', () => {
    expect(rankAnswers([ballot('c > a > d > b')], ids).places).toEqual([
      { sage: 'c', score: 1, position: 1, averagePosition: 1, votes: 1 },
      { sage: 'a', score: 2 / 3, position: 2, averagePosition: 2, votes: 1 },
      { sage: 'd', score: 1 / 3, position: 3, averagePosition: 3, votes: 1 },
      { sage: 'b', score: 0, position: 4, averagePosition: 4, votes: 1 },
    ]);
  });

  test('a tie is half a win, and tied answers share the better position', () => {
    expect(rankAnswers([ballot('c > a = b > d')], ids).places).toEqual([
      { sage: 'c', score: 1, position: 1, averagePosition: 1, votes: 1 },
      { sage: 'a', score: 0.5, position: 2, averagePosition: 2.5, votes: 1 },
      { sage: 'b', score: 0.5, position: 2, averagePosition: 2.5, votes: 1 },
      { sage: 'd', score: 0, position: 4, averagePosition: 4, votes: 1 },
    ]);
  });

  test('shown but unlisted is below all that are listed, and not compared with its like', () => {
    const { places } = rankAnswers([ballot('b > a')], ids);
    expect(places.map(({ sage, score, position }) => [sage, score, position])).toEqual([
      ['b', 1, 1],
      ['a', 2 / 3, 2],
      ['c', 0, 3],
      ['d', 0, 3],
    ]);
    expect(places[2]).not.toHaveProperty('averagePosition');
    expect(placeOf([ballot('b > a'), ballot('c > d')], 'c')?.score).toBe(3 / 5);
  });

  test('what a reviewer was not shown is not counted, not even where its ballot lists it', () => {
    const half = { ...ballot('a > b > d'), shown: ['a', 'b'] };
    const { places } = rankAnswers([half], ids);
    expect(places.map(({ sage, score, votes }) => [sage, score, votes])).toEqual([
      ['a', 1, 1],
      ['c', 0.5, 0],
      ['d', 0.5, 0],
      ['b', 0, 1],
    ]);
  });

  test("a comparison with the reviewer's own answer counts half", () => {
    // b over a from a itself and from outside: a's own vote for a can't outweigh the other one.
    const ballots = [ballot('a > b', 'a'), ballot('b > a')].map((cast) => ({
      ...cast,
      shown: ['a', 'b'],
    }));
    expect(placeOf(ballots, 'a')?.score).toBe(0.5 / 1.5);
    expect(placeOf(ballots, 'b')?.score).toBe(1 / 1.5);
  });

  test('two votes for oneself weigh as much as one for another', () => {
    const ballots = [ballot('a > b', 'a'), ballot('a > b', 'a'), ballot('b > a')];
    expect(rankAnswers(ballots, ['a', 'b']).places.map(({ position }) => position)).toEqual([1, 1]);
  });

  test('without ballots no one is ahead', () => {
    expect(rankAnswers([], ids)).toEqual({
      places: ids.map((sage) => ({ sage, score: 0.5, position: 1, votes: 0 })),
    });
    expect(rankAnswers([ballot('a > b')], [])).toEqual({ places: [] });
  });

  test('unknown answers leave no gap', () => {
    expect(placeOf([ballot('x > c > y = a > b > d')], 'a')).toMatchObject({
      averagePosition: 2,
      score: 2 / 3,
    });
  });
});

describe('agreement between ballots', () => {
  const agreement = (...orders: string[]) =>
    rankAnswers(
      orders.map((order) => ballot(order)),
      ids,
    ).agreement;

  test('is 1 for the same order, -1 for the reverse', () => {
    expect(agreement('a > b > c > d', 'a > b > c > d')).toBe(1);
    expect(agreement('a > b > c > d', 'd > c > b > a')).toBe(-1);
  });

  test('falls by a third for one swap of neighbours among four', () => {
    expect(agreement('a > b > c > d', 'b > a > c > d')).toBeCloseTo(2 / 3);
  });

  test('takes ties into account as tau-b does', () => {
    // 5 of 6 comparisons agree, one is tied on one side: 5 / √(6 · 5).
    expect(agreement('a > b > c > d', 'a = b > c > d')).toBeCloseTo(5 / Math.sqrt(30));
  });

  test('is the mean over all pairs of ballots', () => {
    expect(agreement('a > b > c > d', 'a > b > c > d', 'd > c > b > a')).toBeCloseTo(-1 / 3);
  });

  test('is absent with one ballot, or where nothing is told apart', () => {
    expect(agreement('a > b')).toBeUndefined();
    expect(agreement('a = b = c = d', 'a > b > c > d')).toBeUndefined();
  });

  test('looks at what both were shown', () => {
    const first = { ...ballot('a > b > c'), shown: ['a', 'b', 'c'] };
    const second = { ...ballot('b > c > d'), shown: ['b', 'c', 'd'] };
    expect(rankAnswers([first, second], ids).agreement).toBe(1);
  });
});

describe('self-preference', () => {
  test('is how many places higher an author puts its own answer', () => {
    const ballots = [
      ballot('a > b > c > d', 'a'),
      ballot('b > c > a > d', 'b'),
      ballot('b > c > d > a', 'e'),
    ];
    // a: 3.5 by the others, 1 by a itself. b: 1.5 by the others, 1 by b itself.
    expect(rankAnswers(ballots, ids).selfPreference).toBe((2.5 + 0.5) / 2);
  });

  test('is negative for the modest', () => {
    expect(rankAnswers([ballot('b > a', 'a'), ballot('a > b', 'e')], ids).selfPreference).toBe(-1);
  });

  test('is absent where no one votes on its own answer, or no one else does', () => {
    const strangers = rankAnswers([ballot('a > b'), ballot('b > a')], ids);
    expect(strangers).not.toHaveProperty('selfPreference');
    expect(rankAnswers([ballot('a > b', 'a')], ids)).not.toHaveProperty('selfPreference');
  });
});

/** Joins an answer to the one before it where `joins` says so. */
function group(listed: readonly string[], joins: readonly boolean[]): string[][] {
  const groups: string[][] = [];
  for (const [index, id] of listed.entries()) {
    const last = groups.at(-1);
    if (last !== undefined && joins[index] === true) last.push(id);
    else groups.push([id]);
  }
  return groups;
}

const groups = fc
  .tuple(
    fc.shuffledSubarray(ids, { minLength: 0 }),
    fc.array(fc.boolean(), { minLength: ids.length, maxLength: ids.length }),
  )
  .map(([listed, joins]) => group(listed, joins));
const castBallot = fc.record(
  {
    reviewer: fc.constantFrom(...ids, 'nobody'),
    groups,
    shown: fc.subarray(ids),
  },
  { requiredKeys: ['reviewer', 'groups'] },
);
const castBallots = fc.array(castBallot, { maxLength: 7 });

describe('any ballots', () => {
  test('in another order give the same ranking, to the last digit', () => {
    const shuffled = castBallots.chain((ballots) =>
      fc.tuple(
        fc.constant(ballots),
        fc.shuffledSubarray(ballots, { minLength: ballots.length, maxLength: ballots.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([ballots, other]) => {
        expect(rankAnswers(other, ids)).toEqual(rankAnswers(ballots, ids));
      }),
    );
  });

  test('under other names give the same ranking under the other names', () => {
    const rename = (id: string) => `${id}-renamed`;
    fc.assert(
      fc.property(castBallots, (ballots) => {
        const ranking = rankAnswers(ballots, ids);
        const renamed = rankAnswers(
          ballots.map((cast) => ({
            reviewer: rename(cast.reviewer),
            groups: cast.groups.map((group) => group.map(rename)),
            ...(cast.shown === undefined ? {} : { shown: cast.shown.map(rename) }),
          })),
          ids.map(rename),
        );
        expect(renamed).toEqual({
          ...ranking,
          places: ranking.places.map((place) => ({ ...place, sage: rename(place.sage) })),
        });
      }),
    );
  });

  test('that are all the same are reproduced', () => {
    fc.assert(
      fc.property(groups, fc.integer({ min: 1, max: 6 }), (order, count) => {
        const { places } = rankAnswers(
          Array.from({ length: count }, () => ({ reviewer: 'nobody', groups: order })),
          ids,
        );
        const unlisted = ids.filter((id) => !order.flat().includes(id));
        const expected =
          order.length === 0 ? [ids] : [...order, unlisted].filter(({ length }) => length > 0);
        const positions = [...new Set(places.map(({ position }) => position))];
        const ranked = positions.map((position) =>
          places.filter((place) => place.position === position).map(({ sage }) => sage),
        );
        expect(ranked).toEqual(expected.map((group) => group.toSorted()));
      }),
    );
  });

  test('give every candidate once, with scores and agreement in their bounds', () => {
    const wild = fc.array(
      fc.record({
        reviewer: fc.string(),
        groups: fc.array(fc.array(fc.constantFrom(...ids, 'x', ''))),
      }),
    );
    fc.assert(
      fc.property(fc.oneof(castBallots, wild), (ballots) => {
        const { places, agreement = 0 } = rankAnswers(ballots, ids);
        expect(places.map(({ sage }) => sage).toSorted()).toEqual(ids);
        expect(places.every(({ score }) => score >= 0 && score <= 1)).toBe(true);
        expect(Math.abs(agreement)).toBeLessThanOrEqual(1 + 1e-12);
        const scores = places.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((first, second) => second - first));
      }),
    );
  });

  test('of an author about its own answer move the score half as far as those of a stranger', () => {
    const two = ids.slice(0, 2);
    const count = fc.integer({ min: 0, max: 9 });
    fc.assert(
      fc.property(count, count, count, (own, strangers, against) => {
        fc.pre(own + strangers + against > 0);
        const ballots = [
          ...Array.from({ length: own }, () => ballot('a > b', 'a')),
          ...Array.from({ length: strangers }, () => ballot('a > b')),
          ...Array.from({ length: against }, () => ballot('b > a')),
        ];
        const won = own / 2 + strangers;
        const { places } = rankAnswers(ballots, two);
        expect(places.find(({ sage }) => sage === 'a')?.score).toBe(won / (won + against));
      }),
    );
  });
});

describe('simulated elections with a bias for what is shown first and for oneself', () => {
  // The standard error of tau is 0.37 / √trials: 0.003 here, small against the margins below.
  const trials = 20_000;
  const seed = 20261121;

  function measure(
    options: Parameters<typeof simulateElection>[1],
    score: (election: ReturnType<typeof simulateElection>) => ReadonlyMap<string, number>,
  ) {
    const random = seededRandom(seed);
    const rated = Array.from({ length: trials }, () => {
      const election = simulateElection(random, options);
      return rateScores(score(election), election.quality);
    });
    return {
      tau: rated.reduce((sum, { tau }) => sum + tau, 0) / trials,
      bestWins: rated.reduce((sum, { bestWins }) => sum + bestWins, 0) / trials,
    };
  }

  test('shuffling, abstaining and comparing by pairs finds the truth more often than the usual way', () => {
    const council = measure({ isShuffled: true, prose: 'abstains' }, (election) => {
      const { places } = rankAnswers(election.ballots, election.sages);
      return new Map(places.map(({ sage, score }) => [sage, score]));
    });
    const usual = measure({ isShuffled: false, prose: 'order_shown' }, meanPositionScores);

    expect(council.tau).toBeGreaterThanOrEqual(0.59);
    expect(council.bestWins).toBeGreaterThanOrEqual(0.64);
    expect(council.tau - usual.tau).toBeGreaterThan(0.1);
    expect(council.bestWins - usual.bestWins).toBeGreaterThan(0.08);
  });
});
