import { expect, test } from 'vitest';
import { noLanguage } from '../../../src/memory/recall/retrieval/language.ts';
import type { Point } from '../../../src/memory/summaries/coverage.ts';
import {
  type CoverageOptions,
  layoutRule,
  summariseCovered,
  wordLimitFor,
} from '../../../src/memory/summaries/covered-summary.ts';
import { scriptedModel } from '../../fakes/scripted-model.ts';

const points: readonly Point[] = [
  { kind: 'position', by: 'Seneca', text: 'Wait.', words: ['waits'], enough: 1 },
  number('90'),
];
const messages = [{ role: 'user', content: 'Sum it up.' }] as const;

function number(text: string): Point {
  return { kind: 'number', by: 'Seneca', text, words: [], enough: 0 };
}

async function summarised(lines: readonly string[], options: Partial<CoverageOptions> = {}) {
  const model = scriptedModel('test:cheap', lines);
  const { signal } = new AbortController();
  const summary = await summariseCovered(
    model,
    { messages, stage: 'compactor', signal },
    { points, language: noLanguage, maxWords: 40, ...options },
  );
  return { model, summary, told: model.requests.at(-1)?.messages.at(-1)?.content };
}

const whole = { missing: [], strange: [] };

test('asks once when everything is in the first attempt', async () => {
  const { summary } = await summarised([' Seneca waits 90 days. ']);
  expect(summary).toEqual({ text: 'Seneca waits 90 days.', tries: 1, ...whole });
});

test('says back in the same conversation what is missing, fenced as what others said, with the limit', async () => {
  const { model, summary, told } = await summarised(['Seneca waits.', 'Seneca waits 90 days.']);
  expect(summary).toEqual({ text: 'Seneca waits 90 days.', tries: 2, ...whole });
  const [, second] = model.requests;
  expect(second?.messages.slice(0, 2)).toEqual([
    ...messages,
    { role: 'assistant', content: 'Seneca waits.' },
  ]);
  expect(told).toContain('<missing>\n- the number “90” (Seneca)\n</missing>');
  expect(told).toContain('at most 40 words');
});

test('keeps the best of three attempts and says what it lacks', async () => {
  const { model, summary } = await summarised(['Nothing.', 'Seneca waits.', 'Nothing at all.']);
  expect(summary).toEqual({ text: 'Seneca waits.', missing: [points[1]], strange: [], tries: 3 });
  expect(model.unsaid).toBe(0);
});

test('takes any text for better than none', async () => {
  const { model, summary } = await summarised(['', 'Nothing.', ' ']);
  expect(summary.text).toBe('Nothing.');
  const [, second] = model.requests;
  expect(second?.messages.every(({ content }) => content !== '')).toBe(true);
});

test('takes a text that is a little too long, and refuses a longer one with its length', async () => {
  const waits = 'Seneca waits 90 days.';
  const words = (count: number) => `${waits}${' more'.repeat(count - 4)}`;
  expect((await summarised([words(50)])).summary.tries).toBe(1);
  const { summary, told } = await summarised([words(51), waits]);
  expect(summary).toMatchObject({ text: waits, tries: 2 });
  expect(told).toContain('Your text has 51 words.');
});

test('refuses a line without a speaker', async () => {
  const names = ['Seneca', 'Anna Schmidt'];
  const good = 'Seneca: waits 90 days.\nAnna: pays.\n\nOpen: until when.';
  expect((await summarised([good], { names })).summary).toMatchObject({ tries: 1, ...whole });
  const forged = `${good}\n- **Ovid**: writes on.`;
  const { summary, told } = await summarised([forged, forged, forged], { names });
  expect(summary).toMatchObject({ text: forged, strange: ['Ovid'] });
  expect(told).toContain('<missing>\n- “Ovid”\n</missing>');
});

test('tells back a bounded part of very much that is missing', async () => {
  const many = Array.from({ length: 50 }, (_, at) => number(`${100 + at}`));
  const all = many.map(({ text }) => text).join(', ');
  const { told } = await summarised(['Nothing.', all], { points: many, maxWords: 100 });
  expect(told).toContain('- and 10 more');
});

test('lets a summary grow with what was said, and not beyond the most', () => {
  const said = (words: number) => ({ text: 'word '.repeat(words) });
  expect(wordLimitFor([said(3)], 400)).toBe(40);
  expect(wordLimitFor([said(30), said(200), said(200)], 400)).toBe(100);
  expect(
    wordLimitFor(
      Array.from({ length: 9 }, () => said(200)),
      400,
    ),
  ).toBe(360);
  expect(
    wordLimitFor(
      Array.from({ length: 20 }, () => said(200)),
      400,
    ),
  ).toBe(400);
  expect(
    wordLimitFor([{ text: '港を浚渫すべきですか。'.repeat(20) }, said(200), said(9)], 400),
  ).toBe(100);
});

test('names the numbers beforehand that have to be kept', () => {
  expect(layoutRule([...points, number('4:15')], 120)).toMatch(
    /keep them: 90; 4:15\..* at most 120 words/s,
  );
  expect(layoutRule([], 120)).not.toContain('numbers');
});
