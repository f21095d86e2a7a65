import { describe, expect, test } from 'vitest';
import { effectiveVoices, leaderboardOf, type ScoredTurn } from '../../src/council/leaderboard.ts';
import { ScoreKeeper } from '../../src/council/score.ts';
import type { Score } from '../../src/domain/stored-turn.ts';
import { run, scriptedModels, wholeScript } from './scripted-council.ts';

/** A turn whose answers won these shares, under `sage model`. */
function turn(
  won: Readonly<Record<string, number>>,
  changes: Partial<Score> = {},
  feedback: ScoredTurn['feedback'] = [],
): ScoredTurn {
  const best = Math.max(...Object.values(won));
  const firsts = Object.values(won).filter((share) => share === best).length;
  const sages = Object.entries(won).map(([named, share]) => {
    const [sage = '', model = 'test:one'] = named.split(' ');
    const first = share === best ? 1 / firsts : 0;
    return { sage, name: sage.toUpperCase(), model, won: share, first, costUsd: 0.5 };
  });
  return { score: { sages, ...changes }, feedback };
}

function times(count: number, one: ScoredTurn): readonly ScoredTurn[] {
  return Array.from({ length: count }, () => one);
}

describe('a leaderboard', () => {
  test('ranks by the share of comparisons won, with Wilson’s interval over the turns', () => {
    const board = leaderboardOf(
      [
        ...times(12, turn({ ada: 1, ben: 0.5, cleo: 0 }, {}, ['good'])),
        ...times(8, turn({ ada: 0, ben: 0.5, cleo: 1 }, {}, ['bad', 'bad'])),
      ],
      'sage',
    );
    expect(board.turns).toBe(20);
    expect(board.ranked.map(({ id }) => id)).toEqual(['ada', 'ben', 'cleo']);
    const [ada] = board.ranked;
    expect(ada).toMatchObject({ name: 'ADA', turns: 20, costUsd: 10 });
    expect(ada?.feedback).toEqual({ good: 12, bad: 16 });
    // 12 of 20, as the tables have it.
    expect(ada?.won.share).toBeCloseTo(0.6);
    expect(ada?.won.from).toBeCloseTo(0.387, 3);
    expect(ada?.won.to).toBeCloseTo(0.781, 3);
  });

  test('ranks nothing below ten turns, and says how many there are', () => {
    const nine = leaderboardOf(times(9, turn({ ada: 1, ben: 0 })), 'sage');
    expect(nine.ranked).toEqual([]);
    expect(nine.unranked).toEqual([
      { id: 'ada', name: 'ADA', turns: 9 },
      { id: 'ben', name: 'BEN', turns: 9 },
    ]);
    const ten = leaderboardOf(times(10, turn({ ada: 1, ben: 0 })), 'sage');
    expect(ten.ranked.map(({ id }) => id)).toEqual(['ada', 'ben']);
  });

  test('divides a first place that is shared', () => {
    const board = leaderboardOf(times(10, turn({ ada: 0.75, ben: 0.75, cleo: 0 })), 'sage');
    expect(board.ranked.map(({ first }) => first.share)).toEqual([0.5, 0.5, 0]);
  });

  test('compares a model with others alone, and leaves out turns in which one spoke for all', () => {
    const mixed = turn({
      'ada test:a': 1,
      'ben test:a': 2 / 3,
      'cleo test:b': 1 / 3,
      'dan test:b': 0,
    });
    const alone = turn({ 'ada test:a': 1, 'ben test:a': 0 });
    const board = leaderboardOf([...times(10, mixed), ...times(30, alone)], 'model');
    expect(board.turns).toBe(10);
    expect(board.ranked).toMatchObject([
      { id: 'test:a', turns: 10, won: { share: 1 }, first: { share: 1 } },
      { id: 'test:b', turns: 10, won: { share: 0 }, first: { share: 0 } },
    ]);
  });

  test('averages how a sage ranks itself, and counts the ballots that could not be read', () => {
    const reviewed = (ballot: 'ranked' | 'abstained', ownPlaces?: number) => {
      const { score, feedback } = turn({ ada: 1, ben: 0 });
      const sages = score.sages.map((one) =>
        one.sage === 'ada'
          ? { ...one, ballot, ...(ownPlaces === undefined ? {} : { ownPlaces }) }
          : one,
      );
      return { score: { ...score, sages }, feedback };
    };
    const turns = [...times(8, reviewed('ranked', 1)), ...times(4, reviewed('abstained'))];
    const [ada, ben] = leaderboardOf(turns, 'sage').ranked;
    expect(ada).toMatchObject({ reviews: 12, abstained: 4, ownPlaces: 1 });
    expect(ben).toMatchObject({ reviews: 0, abstained: 0 });
    expect(ben).not.toHaveProperty('ownPlaces');
  });
});

describe('effective voices', () => {
  const voted = (agreement: number) => {
    const { score, feedback } = turn({ ada: 1, ben: 0.7, cleo: 0.5, dan: 0.3, eve: 0 });
    const sages = score.sages.map((one) => ({ ...one, ballot: 'ranked' as const }));
    return { score: { ...score, sages, agreement }, feedback };
  };

  test.each([
    [1, 1],
    [0, 5],
    [-0.2, 5],
    [0.5, 5 / 3],
  ])('of five ballots a turn that correlate by %d are %d', (agreement, voices) => {
    const found = effectiveVoices(times(10, voted(agreement)));
    expect(found?.voices).toBeCloseTo(voices);
    expect(found).toMatchObject({ ballots: 5, turns: 10 });
  });

  test('are not counted on fewer than ten turns', () => {
    expect(effectiveVoices(times(9, voted(1)))).toBeUndefined();
    expect(effectiveVoices(times(20, turn({ ada: 1, ben: 0 })))).toBeUndefined();
  });
});

describe('the score of a turn', () => {
  test('tells how each sage fared, what it cost and how it ranked itself, and no words', async () => {
    const keeper = new ScoreKeeper({ isPrivate: false });
    for (const event of await run(scriptedModels(wholeScript))) keeper.record(event);
    const paid = [0.25, 0.5].map((costUsd) => ({ sageName: 'ada', costUsd }));
    const score = keeper.score([...paid, { costUsd: 9 }]);
    expect(score).toMatchObject({ isPrivate: false, agreement: 1 });
    expect(score?.sages.map(({ sage, first }) => [sage, first])).toEqual([
      ['ada', 1],
      ['dan', 0],
      ['cleo', 0],
      ['ben', 0],
    ]);
    expect(score?.sages[0]).toEqual({
      sage: 'ada',
      name: 'Ada Sage',
      model: 'test:sage-ada',
      won: 1,
      first: 1,
      ballot: 'ranked',
      ownPlaces: 0,
      costUsd: 0.75,
    });
    expect(JSON.stringify(score)).not.toContain('says');
  });

  test('leaves out the sage that argued on request, and the comparisons with it', async () => {
    const keeper = new ScoreKeeper({});
    for (const event of await run(scriptedModels(wholeScript)))
      keeper.record(
        event.type === 'seated'
          ? { ...event, seated: { ...event.seated, onRequest: 'dan' } }
          : event,
      );
    const score = keeper.score([]);
    if (!score) throw new Error('nothing was scored');
    const alike = times(10, { score, feedback: [] });
    const board = leaderboardOf(alike, 'sage').ranked;
    expect(board.map(({ id, won, first }) => [id, won.share, first.share])).toEqual([
      ['ada', 1, 1],
      ['cleo', 0.5, 0],
      ['ben', 0, 0],
    ]);
    // Its ballot is one of the voices.
    expect(effectiveVoices(alike)?.ballots).toBe(4);
    const [first] = score.sages;
    const others = score.sages.filter(({ isOnRequest }) => isOnRequest);
    if (!first) throw new Error('nothing was compared');
    const ofOne = { ...score, sages: [first, ...others] };
    expect(leaderboardOf(times(10, { score: ofOne, feedback: [] }), 'sage').turns).toBe(0);
  });

  test('is none where nothing was ranked', async () => {
    const keeper = new ScoreKeeper({});
    const script = { ...wholeScript, reviews: {} };
    const events = await run(scriptedModels(script), { council: { depth: 'quick' } });
    for (const event of events) keeper.record(event);
    expect(keeper.score([])).toBeUndefined();
  });
});
