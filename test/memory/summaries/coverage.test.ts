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

const conversation: readonly Said[] = [
  {
    by: 'Anna Schmidt',
    kind: 'question',
    text: 'Should we move the 1,200 members to Mattermost by 2026-03-01? We use 14 channels. Bob has agreed to pay 40% of it.',
  },
  {
    by: 'Nassim Taleb',
    kind: 'answer',
    text: '## Start\n\n**Keep both for 90 days.** Why hurry?\n\n1. Export 3 times.\n2. Ask what breaks. Who owns the backups?',
  },
  {
    by: 'the chair',
    kind: 'verdict',
    text: '**In short**\n\nMigrate in two steps, exports first. More at length.',
    open: ['Which archive Bob can read'],
  },
];

const complete =
  'Anna asked whether the 1200 members should move to Mattermost by 2026-03-01; Bob agreed to pay 40 %. ' +
  'Taleb would keep both for 90 days. The chair: migrate in two steps, with the exports first.\n' +
  'Open: who owns the backups, and which archive Bob can read.';

/** What is missing from a text, in short. */
function missing(text: string, said = conversation, language = english): readonly string[] {
  return missingFrom(text, pointsOf(said, language), language).map(
    ({ kind, by, text }) => `${kind} of ${by}: ${text}`,
  );
}

test('finds who held what, what was decided, asked and left open, and the numbers of these', () => {
  expect(missing('')).toEqual([
    'decision of Anna Schmidt: Bob has agreed to pay 40% of it.',
    'question of Anna Schmidt: Should we move the 1,200 members to Mattermost by 2026-03-01?',
    'position of Nassim Taleb: Keep both for 90 days.',
    'open of Nassim Taleb: Who owns the backups?',
    'decision of the chair: Migrate in two steps, exports first.',
    'open of the chair: Which archive Bob can read',
    'number of Anna Schmidt: 1200',
    'number of Anna Schmidt: 2026-03-01',
    'number of Anna Schmidt: 40',
    'number of Nassim Taleb: 90',
  ]);
});

test('takes for a decision what a verdict puts in bold, or any of its opening, and no sympathy', () => {
  const verdict = (text: string): readonly Said[] => [{ by: 'the chair', kind: 'verdict', text }];
  const tired = 'You have gone months without rest.\n\n';
  const bold = verdict(`${tired}**What counts**\n\n**Don’t sign this lease in 2026.** Offer less.`);
  expect(missing('The chair: the rest of the months counts.', bold)).toEqual([
    'decision of the chair: Don’t sign this lease in 2026.',
    'number of the chair: 2026',
  ]);
  expect(missing('The chair: no lease is signed in 2026.', bold)).toEqual([]);
  const plain = verdict(`${tired}You need not choose between home and clinic. **Today:** call.`);
  expect(missing('The chair: no choice of home or clinic is needed; call today.', plain)).toEqual(
    [],
  );
  expect(missing('The chair: wait.', plain)).toHaveLength(1);
});

test.each([
  ['Our decision: the harbour stays.', 'decision'],
  ['Unsere Entscheidung ist der Hafen.', 'decision'],
  ['I feel guilty and put off any decision about it.', 'question'],
])('%s is a %s', (text, kind) => {
  const [point] = pointsOf([{ by: 'Ada', kind: 'question', text }], english);
  expect(point?.kind).toBe(kind);
});

test('quotes a long sentence up to a whole character, and shows that it goes on', () => {
  const text = `Wait ${'👩‍👩‍👧'.repeat(60)}.`;
  const [point] = pointsOf([{ by: 'Ben', kind: 'answer', text }], english);
  expect(point?.text).toMatch(/^Wait (?:👩‍👩‍👧)+…$/u);
});

test('misses nothing in a text that says it all in other words', () => {
  expect(missing(complete)).toEqual([]);
});

test.each([
  ['90', 'some', ['number of Nassim Taleb: 90']],
  ['Taleb', 'The Stoic', ['position of Nassim Taleb: Keep both for 90 days.']],
  [
    'keep both for 90 days',
    'speak',
    ['position of Nassim Taleb: Keep both for 90 days.', 'number of Nassim Taleb: 90'],
  ],
  ['who owns the backups, and ', '', ['open of Nassim Taleb: Who owns the backups?']],
  ['and which archive Bob can read', '', ['open of the chair: Which archive Bob can read']],
  [
    'two steps, with the exports first',
    'peace',
    ['decision of the chair: Migrate in two steps, exports first.'],
  ],
])('without “%s” misses that, and nothing else', (said, instead, lacks) => {
  expect(missing(complete.replace(said, instead))).toEqual(lacks);
});

test('looks for a position where its sage is named, and not anywhere', () => {
  const said: readonly Said[] = [
    { by: 'economist', kind: 'answer', text: 'Raise the price of bread.' },
    { by: 'negotiator', kind: 'answer', text: 'Talk to the mill.' },
  ];
  expect(
    missing('The Economist would raise prices, the Negotiator talk to the mill.', said),
  ).toEqual([]);
  expect(missing('Economist: talk to the mill.\nNegotiator: raise prices.', said)).toEqual([
    'position of economist: Raise the price of bread.',
    'position of negotiator: Talk to the mill.',
  ]);
});

test('takes a question that several sages take up a number of for one that rests on it', () => {
  const asked: Said = {
    by: 'Ada',
    kind: 'question',
    text: 'The roof costs 7,400. And 12 windows. So?',
  };
  const answers = ['Pay 7400.', 'Not 7400!'].map(
    (text): Said => ({ by: 'economist', kind: 'answer', text: `Think.\n\n${text} Thanks.` }),
  );
  const numbers = pointsOf([asked, ...answers], english).filter(({ kind }) => kind === 'number');
  expect(numbers.map(({ text }) => text)).toEqual(['7400']);
});

test('takes no heading, no rhetorical question and no sage’s “decided” for a point', () => {
  const text = '## Why now?\n\nWait. Who would not? It is decided by the weather. Look up.';
  expect(missing('', [{ by: 'Seneca', kind: 'answer', text }])).toEqual([
    'position of Seneca: Wait.',
  ]);
});

test('goes by the opening of an answer without a gist', () => {
  const text = 'Great question!\n\n1. Ask 20 people first. Then buy the boat.';
  for (const gist of [undefined, text.replaceAll('\n', ' ')]) {
    const said: readonly Said[] = [{ by: 'Ada', kind: 'answer', text, ...(gist && { gist }) }];
    expect(missing('Ada would ask some people.', said)).toEqual([]);
    expect(missing('Ada spoke.', said)).toEqual(['position of Ada: Great question!']);
  }
});

test('tells a position in words that later questions have, too', () => {
  const said: readonly Said[] = [
    { by: 'Ada', kind: 'answer', text: 'Begin with a free month.' },
    { by: 'Uma', kind: 'question', text: 'A free month it is. When do we begin?' },
  ];
  expect(missing('Ada: begin with a free month. Uma: when to begin that month.', said)).toEqual([]);
});

test('reads digits that are grouped by spaces as one number', () => {
  const said: readonly Said[] = [{ by: 'Ada', kind: 'answer', text: 'Pay 12\u202f500 € now.' }];
  for (const written of ['12 500', '12.500', '12500'])
    expect(missing(`Ada: pay ${written} now.`, said)).toEqual([]);
  expect(missing('Ada: pay 12 or 500 now.', said)).toEqual(['number of Ada: 12500']);
});

test('ends a question at its mark, also in hasty writing', () => {
  const text = 'hey, should we move the shop? rent here is 7000 a month';
  const points = pointsOf([{ by: 'dana', kind: 'question', text }], english);
  expect(points.map((point) => point.text)).toEqual(['hey, should we move the shop?']);
});

test('does not take a common word for the sage that is called like it', () => {
  const said: readonly Said[] = [{ by: 'Strategy Expert', kind: 'answer', text: 'wait' }];
  expect(missing('Ask an expert for a strategy to wait.', said)).toHaveLength(1);
  expect(missing('The strategy expert would wait.', said)).toEqual([]);
});

test('knows a sage by its key, however its name is written', () => {
  const said: readonly Said[] = [{ by: 'devils_advocate', kind: 'answer', text: 'Sell it.' }];
  for (const name of [
    'devils_advocate',
    "Devil's Advocate",
    'the Devil’s Advocate',
    'The Advocate',
  ])
    expect(missing(`${name} would sell.`, said)).toEqual([]);
  expect(missing('An advocate would sell.', said)).toHaveLength(1);
});

test('does not take a word for the member who is called like it', () => {
  const said: readonly Said[] = [{ by: 'Will', kind: 'question', text: 'Buy a boat?' }];
  expect(missing('He will buy a boat.', said)).toHaveLength(1);
  expect(missing('Will asked about buying a boat.', said)).toEqual([]);
});

test('asks no more than the name of a sage whose answer is not known', () => {
  const said: readonly Said[] = [{ by: 'seneca', kind: 'answer', text: '' }];
  expect(missing('Seneca spoke.', said)).toEqual([]);
  expect(missing('Nothing.', said)).toEqual(['position of seneca: ']);
});

test('reads a conversation without spaces between words', () => {
  const said: readonly Said[] = [
    { by: '田中', kind: 'question', text: '港を浚渫すべきですか？' },
    { by: 'Seneca', kind: 'answer', text: '三月に延期すべきだ。' },
    { by: '田中', kind: 'question', text: '三月に延期を決定した。' },
  ];
  expect(
    missing(
      '田中は港の浚渫を聞いた。Senecaは延期と言う。田中は三月に延期を決定。',
      said,
      noLanguage,
    ),
  ).toEqual([]);
  expect(missing('田中は聞いた。Senecaは言う。', said, noLanguage)).toEqual([
    'question of 田中: 港を浚渫すべきですか?',
    'position of Seneca: 三月に延期すべきだ。',
    'decision of 田中: 三月に延期を決定した。',
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
      by: fc.constantFrom('Zenobia Quill', 'marcus_aurelius', '田中角栄'),
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
    { examples: [[[{ by: 'Zenobia Quill', kind: 'question', text: '\u{1d15e}\ua73c' }]]] },
  );
});

test('reads a text of many empty lines as any other', () => {
  const text = `Bob has decided.${'\n'.repeat(200_000)}Who pays?\n  1. Anna pays 7.`;
  expect(missing('', [{ by: 'Ada', kind: 'question', text }])).toEqual([
    ...['decision of Ada: Bob has decided.', 'question of Ada: Who pays?'],
  ]);
});
