import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadLanguage, noLanguage } from '../../../src/memory/recall/retrieval/language.ts';
import {
  missingFrom,
  pointsOf,
  restsOn,
  type Said,
} from '../../../src/memory/summaries/coverage.ts';

const english = await loadLanguage('english');
const german = await loadLanguage('german');

const conversation: readonly Said[] = [
  {
    by: 'Anna Schmidt',
    kind: 'question',
    text: 'Should we move the 1,200 members to Mattermost by 2026-03-01? Bob has agreed to pay 40% of it.',
  },
  {
    by: 'Nassim Taleb',
    kind: 'answer',
    text: 'Keep both for 90 days.\n1. Export first.\n2. Ask what breaks. Who owns the backups?',
  },
  {
    by: 'the chair',
    kind: 'verdict',
    text: 'Migrate in two steps, exports first. More at length.',
  },
];

const complete =
  'Anna asked whether the 1200 members should move to Mattermost by 2026-03-01; Bob agreed to pay 40 %. ' +
  'Taleb would keep both for 90 days and asks what breaks. The chair: migrate in two steps, with the exports first. ' +
  'Open: who owns the backups.';

/** What is missing from a text, in short. */
function missing(text: string, said = conversation, language = english): readonly string[] {
  return missingFrom(text, pointsOf(said, language), language).map(
    ({ kind, text }) => `${kind} ${text}`,
  );
}

test('finds who spoke, what was decided, questions, names and numbers, each once', () => {
  expect(missing('')).toEqual([
    'person Anna Schmidt',
    'decision Bob has agreed to pay 40% of it.',
    'question Should we move the 1,200 members to Mattermost by 2026-03-01?',
    'sage Nassim Taleb',
    'question Who owns the backups?',
    'decision Migrate in two steps, exports first.',
    'name Mattermost',
    'number 1200',
    'number 2026-03-01',
    'number 40',
    'number 90',
  ]);
});

test('misses nothing in a text that says it all in other words', () => {
  expect(missing(complete)).toEqual([]);
});

test('misses what was left out, and nothing else', () => {
  expect(missing(complete.replace('90', 'some'))).toEqual(['number 90']);
  expect(missing(complete.replace('Taleb', 'Somebody'))).toEqual(['sage Nassim Taleb']);
  expect(missing(complete.replace('Mattermost', 'the new place'))).toEqual(['name Mattermost']);
  expect(missing(complete.replace(/Open:.*$/, ''))).toEqual(['question Who owns the backups?']);
  expect(missing(complete.replace('two steps, with the exports first', 'peace'))).toEqual([
    'decision Migrate in two steps, exports first.',
  ]);
});

test('does not take a common word for the sage that is called like it', () => {
  const said: readonly Said[] = [{ by: 'Strategy Expert', kind: 'answer', text: 'wait' }];
  expect(missing('Ask an expert for a strategy.', said)).toEqual(['sage Strategy Expert']);
  expect(missing('The strategy expert would wait.', said)).toEqual([]);
});

test('takes German nouns for what they are, and names for names', () => {
  const text =
    'Der Hafen braucht einen Bagger von der Firma Karl Meier. Die Kosten trägt die EnBW.';
  const said: readonly Said[] = [{ by: 'Seneca', kind: 'answer', text }];
  expect(missing('Seneca', said, german)).toEqual(['name Firma Karl Meier', 'name EnBW']);
});

test('reads a conversation without spaces between words', () => {
  const said: readonly Said[] = [
    { by: '田中', kind: 'question', text: '港を浚渫すべきですか？' },
    { by: 'Seneca', kind: 'answer', text: '三月に延期を決定した。' },
  ];
  expect(
    missing('田中は港の浚渫を聞いた。Senecaは三月に延期を決定と言う。', said, noLanguage),
  ).toEqual([]);
  expect(missing('田中は聞いた。Senecaは言う。', said, noLanguage)).toEqual([
    'question 港を浚渫すべきですか?',
    'decision 三月に延期を決定した。',
  ]);
});

test('tells what a claim rests on', () => {
  const [, , verdict] = conversation;
  expect(restsOn('Migrate in two steps.', verdict?.text ?? '', english)).toBe(true);
  expect(restsOn('Transfer the treasury to Mallory.', verdict?.text ?? '', english)).toBe(false);
  expect(restsOn('', 'anything', english)).toBe(false);
});

test('misses nothing of a conversation in that very conversation, whatever was said', () => {
  const wild = fc.array(
    fc.record({
      by: fc.string({ unit: 'grapheme' }),
      kind: fc.constantFrom('question', 'answer', 'verdict'),
      text: fc.string({ unit: 'grapheme', maxLength: 300 }),
    }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(wild, (said) => {
      const whole = said.map(({ by, text }) => `${by}\n${text}`).join('\n');
      expect(missing(whole, said)).toEqual([]);
    }),
    // A sign that comes apart leaves a mark with no letter before it.
    { examples: [[[{ by: '', kind: 'question', text: '\u{1d15e}\ua73c' }]]] },
  );
});

test('reads a text of many empty lines as any other', () => {
  const text = `Bob has decided.${'\n'.repeat(200_000)}Who pays?\n  1. Anna pays 7.`;
  expect(missing('', [{ by: 'Ada', kind: 'answer', text }])).toEqual([
    ...['sage Ada', 'decision Bob has decided.', 'question Who pays?', 'number 7'],
  ]);
});
