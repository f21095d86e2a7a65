import fc from 'fast-check';
import { expect, test } from 'vitest';
import { threadTitle } from '../../../src/platforms/discord/presenter/open-turn.ts';

test('a thread is named after its question, on one line', () => {
  expect(threadTitle('Should we\nrewrite\u200b the engine?')).toBe('Should we rewrite the engine?');
});

test('a long question is cut between words', () => {
  const title = threadTitle('word '.repeat(60));
  expect(title).toMatch(/ word…$/);
  expect(title.length).toBeLessThanOrEqual(100);
});

test('a thread’s name, in which Discord hides nothing, has no spoilers', () => {
  expect(threadTitle('Is it right that ||he|\ndies|| and ||she lives||?')).toBe(
    'Is it right that … and …?',
  );
  expect(threadTitle('Is `a || b || c` the same?')).toBe('Is `a || b || c` the same?');
});

test('a thread’s name, in which nothing can be pressed, has no addresses of links', () => {
  const message = 'https://discord.com/channels/1/2/3';
  expect(threadTitle(`Is that wise?\n\nAbout what Bob wrote (${message}).`)).toBe(
    'Is that wise? About what Bob wrote.',
  );
  expect(threadTitle('Is [this plan](https://a.example/plan) any good?')).toBe(
    'Is [this plan] any good?',
  );
  expect(threadTitle('What is https://a.example for?')).toBe('What is https://a.example for?');
});

test('a thread’s name, in which Discord draws no code, has no blocks of it', () => {
  const code = '```ts\nconst a = 1;\n```';
  expect(threadTitle(`Why does this fail?\n${code}\nIt worked.`)).toBe(
    'Why does this fail? … It worked.',
  );
  expect(threadTitle(`Why does this fail?\n${code.slice(0, -3)}`)).toBe('Why does this fail? …');
  expect(threadTitle(code)).toBe('A question');
});

test('a single word that is too long is cut as well', () => {
  expect(threadTitle('a'.repeat(150))).toBe(`${'a'.repeat(99)}…`);
});

test('whatever is asked, Discord takes the name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (question) => {
      const { length } = Array.from(threadTitle(question));
      expect(length).toBeGreaterThanOrEqual(1);
      expect(length).toBeLessThanOrEqual(100);
    }),
  );
});
