import { expect, test } from 'vitest';
import { noLanguage } from '../../../src/memory/recall/retrieval/language.ts';
import type { Point } from '../../../src/memory/summaries/coverage.ts';
import { summariseCovered } from '../../../src/memory/summaries/covered-summary.ts';
import { scriptedModel } from '../../fakes/scripted-model.ts';

const points: readonly Point[] = [
  { kind: 'sage', text: 'Seneca' },
  { kind: 'number', text: '90' },
];
const messages = [{ role: 'user', content: 'Sum it up.' }] as const;

async function summarised(lines: readonly string[], wanted = points) {
  const model = scriptedModel('test:cheap', lines);
  const { signal } = new AbortController();
  const summary = await summariseCovered(
    model,
    { messages, stage: 'compactor', signal },
    { points: wanted, language: noLanguage },
  );
  return { model, summary };
}

test('asks once when everything is in the first attempt', async () => {
  const { summary } = await summarised([' Seneca wants 90 days. ']);
  expect(summary).toEqual({ text: 'Seneca wants 90 days.', missing: [], tries: 1 });
});

test('says back in the same conversation what is missing, fenced as what others said', async () => {
  const { model, summary } = await summarised(['Seneca waits.', 'Seneca waits 90 days.']);
  expect(summary).toEqual({ text: 'Seneca waits 90 days.', missing: [], tries: 2 });
  const [, second] = model.requests;
  expect(second?.messages.slice(0, 2)).toEqual([
    ...messages,
    { role: 'assistant', content: 'Seneca waits.' },
  ]);
  expect(second?.messages[2]?.content).toContain('<missing>\n- the number “90”\n</missing>');
});

test('keeps the best of three attempts and says what it lacks', async () => {
  const { model, summary } = await summarised(['Nothing.', 'Seneca waits.', 'Nothing at all.']);
  expect(summary).toEqual({ text: 'Seneca waits.', missing: [points[1]], tries: 3 });
  expect(model.unsaid).toBe(0);
});

test('tells back a bounded part of very much that is missing', async () => {
  const many = Array.from(
    { length: 50 },
    (_, at): Point => ({ kind: 'number', text: `${100 + at}` }),
  );
  const all = many.map(({ text }) => text).join(' ');
  const { model } = await summarised(['Nothing.', all], many);
  expect(model.requests[1]?.messages.at(-1)?.content).toContain('- and 10 more');
});
