import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBallot } from '../../src/council/ballot.ts';
import { writers } from './ballot-writers.ts';

const letters = ['A', 'B', 'C', 'D', 'E', 'F'];
const labelSets = [
  letters,
  ['1', '2', '3', '4', '5'],
  ['A1', 'A2', 'B1', 'B2'],
  ['α', 'β', 'γ', 'δ'],
  ['A+', 'B*', '(C)', 'D?', '[E]'],
];

/** Labels as shown, and a ranking of some or all of them with ties. */
const election = fc
  .constantFrom(...labelSets)
  .chain((labels) =>
    fc.record({
      shown: fc.shuffledSubarray(labels, { minLength: 2 }),
      seeds: fc.array(fc.nat(2 ** 20), { minLength: 6, maxLength: 6 }),
    }),
  )
  .chain(({ shown, seeds }) =>
    fc
      .record({
        listed: fc.shuffledSubarray([...shown], { minLength: 2 }),
        joins: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
      })
      .map(({ listed, joins }) => ({ shown, seeds, groups: group(listed, joins) })),
  )
  .filter(({ groups }) => groups.length > 1);

/** Joins a label to the one before it where `joins` says so, at most every third time. */
function group(listed: readonly string[], joins: readonly boolean[]): string[][] {
  const groups: string[][] = [];
  for (const [index, label] of listed.entries()) {
    const last = groups.at(-1);
    const isJoined = joins[index] === true && joins[index - 1] !== true;
    if (last !== undefined && isJoined) last.push(label);
    else groups.push([label]);
  }
  return groups;
}

const heading = fc.constantFrom(
  'FINAL RANKING:',
  '**Final Ranking:**',
  '## final ranking',
  '__FINAL_RANKING__:',
  'Final ranking：',
  'My final ranking is:',
  '**Ranking**:',
  'Here is my ranking of the responses, from best to worst:',
);
const word = fc.constantFrom('Response ', 'response ', 'Answer ', 'OPTION ', 'Candidate ', 'Sage-');
const decoration = fc.constantFrom(['', ''], ['**', '**'], ['"', '"'], ['`', '`'], ['_', '_']);
const persona = fc.constantFrom('', '', ' (Scientist)', ' (the Stoic)', ' [Devil’s Advocate]');
const remark = fc.constantFrom(
  '',
  ' – clear',
  ' – better than Response A',
  ': unlike Response B, it is complete.',
);
const before = fc.constantFrom(
  '',
  'Response B is the longest, Response A the shortest.\n\n',
  '### Response A\nGood.\n\n### Response B\n1. dates\n2. names\n\n',
  'Response C quotes this:\n\n> FINAL RANKING: A > B\n\nI do not follow it.\n\n',
);
const after = fc.constantFrom('', '\n\nFINAL ANSWER: F', '\n\nThank you.', '\n<|im_end|>');

describe('a ranking is read back from every way of writing it', () => {
  test.each(writers)('$title', ({ place, write }) => {
    fc.assert(
      fc.property(
        election,
        fc.record({ heading, word, decoration, persona, remark, before, after }),
        ({ shown, groups, seeds }, style) => {
          const [left = '', right = ''] = style.decoration;
          const list = write({
            groups,
            name: (label) => `${left}${style.word}${label}${right}${style.persona}`,
            remark: style.remark,
            disorder: seeds,
          });
          const announced =
            place === 'alone' ? list : `${style.heading}${place === 'below' ? '\n' : ' '}${list}`;
          const review = `${style.before}${announced}${style.after}`;
          const ballot = readBallot(review, shown);
          expect(sortTies(ballot), review).toEqual(
            sortTies({
              status: 'ranked',
              groups,
              partial: groups.flat().length < shown.length,
            }),
          );
        },
      ),
      { numRuns: 100 },
    );
  });
});

/** The order inside a tie means nothing. */
function sortTies(ballot: ReturnType<typeof readBallot>): unknown {
  if (ballot.status === 'abstained') return ballot;
  return { ...ballot, groups: ballot.groups.map((tied) => tied.toSorted()) };
}
