/** What convenes a council of what people write: no thanks, no talk, nothing that is meant for somebody else. */

import { describe, expect, test } from 'vitest';
import { judgedAlone, judgedIn } from '../../../src/bot/asking/remarks.ts';
import type { Remark } from '../../../src/platforms/platform.ts';
import { bench } from '../../council/scripted-council.ts';
import { type Kind, remarks } from '../remarks/table.ts';

interface Said {
  readonly language: string;
  readonly kind: Kind;
  readonly text: string;
}

/** Whether it is meant for the council. */
const kinds = {
  question: true,
  task: true,
  unmarked: true,
  thanks: false,
  greeting: false,
  laughter: false,
  emoji: false,
  link: false,
  'somebody else': false,
  talk: false,
} as const satisfies Record<Kind, boolean>;

const kindNames: readonly Kind[] = [
  ...(['question', 'task', 'unmarked', 'thanks', 'greeting', 'laughter'] as const),
  ...(['emoji', 'link', 'somebody else', 'talk'] as const),
];

const table: readonly Said[] = Object.entries(remarks).flatMap(([language, said]) =>
  kindNames.flatMap((kind) => (said[kind] ?? []).map((text) => ({ language, kind, text }))),
);

const inThread: Omit<Remark, 'text'> = { where: 'thread', namesCouncil: false, isForOthers: false };

function remark(text: string, changes: Partial<Remark> = {}): Remark {
  // As the platforms tell: mentions of people, groups and everybody.
  return { ...inThread, isForOthers: /<@|<!/.test(text), text, ...changes };
}

function convenes(said: Remark, mode: 'asked' | 'mention' | 'everything' = 'asked'): boolean {
  return judgedAlone(said) ?? judgedIn(said, { mode, bench });
}

const meant = table.filter(({ kind }) => kinds[kind]);
const others = table.filter(({ kind }) => !kinds[kind]);

test('the table has over 200 remarks in more than eight languages, and about half are meant', () => {
  expect(table.length).toBeGreaterThan(200);
  expect(Object.keys(remarks).length).toBeGreaterThan(8);
  expect(meant.length / table.length).toBeGreaterThan(0.4);
});

describe('in a thread of the council', () => {
  test.each(others)('$language $kind: $text convenes nobody', ({ text }) => {
    expect(convenes(remark(text))).toBe(false);
  });

  test('every question is heard', () => {
    const questions = meant.filter(({ kind }) => kind === 'question');
    const unheard = questions.filter(({ text }) => !convenes(remark(text)));
    expect(unheard).toEqual([]);
  });

  test('what is meant and does not end as a question is left to a mention', () => {
    const tasks = meant.filter(({ kind }) => kind !== 'question');
    expect(tasks.filter(({ text }) => convenes(remark(text)))).toEqual([]);
    expect(tasks.every(({ text }) => convenes(remark(text, { namesCouncil: true })))).toBe(true);
  });
});

describe('whatever it says', () => {
  test('a message that names the council is for it, unless it only closes a conversation', () => {
    const named = (text: string) => convenes(remark(text, { namesCouncil: true }), 'mention');
    for (const text of ['Compare them.', 'hi', 'https://example.org', '<@U2> is this right', '']) {
      expect([text, named(text)]).toEqual([text, true]);
    }
    for (const text of ['thanks!', '👍', 'lol', 'thank you all so much']) {
      expect([text, named(text)]).toEqual([text, false]);
    }
  });

  test('a direct message is for the council, unless it is chatter', () => {
    const direct = (text: string) => convenes(remark(text, { where: 'direct message' }));
    for (const { text, kind } of meant)
      expect([kind, text, direct(text)]).toEqual([kind, text, true]);
    for (const { text, kind } of table) {
      const isChatter = ['thanks', 'greeting', 'laughter', 'emoji', 'link'].includes(kind);
      if (isChatter) expect([kind, text, direct(text)]).toEqual([kind, text, false]);
    }
  });

  test('what replies to or mentions somebody else is theirs, even as a question', () => {
    expect(convenes(remark('Why not both?', { isForOthers: true }))).toBe(false);
    expect(convenes(remark('Why not both?', { isForOthers: true, namesCouncil: true }))).toBe(true);
  });

  test('a sage that is addressed by name is asked without a question mark', () => {
    expect(convenes(remark('Ben: go on'))).toBe(true);
    expect(convenes(remark('Ben, and you?'))).toBe(true);
    expect(convenes(remark('Bert: go on'))).toBe(false);
  });

  test('a channel may have it otherwise', () => {
    expect(convenes(remark('Why not both?'), 'mention')).toBe(false);
    expect(convenes(remark('Compare them.'), 'everything')).toBe(true);
    expect(convenes(remark('thanks!'), 'everything')).toBe(false);
  });

  test('outside the council’s threads nothing is for it that does not name it', () => {
    expect(convenes(remark('Why not both?', { where: 'elsewhere' }), 'everything')).toBe(false);
  });
});

/** The texts of opponents, each a unit that is repeated. */
const families = [
  ...[
    ' ',
    '\t',
    '\n',
    '\r',
    '\u2028',
    '"',
    '[',
    '(',
    '{',
    '<',
    '*',
    '_',
    '~',
    '`',
    '|',
    '>',
    '@',
    ':',
  ],
  ...[
    '1.',
    'a.a',
    '-',
    '?',
    '!',
    ';',
    '\u200d',
    '\u0301',
    '\u202e',
    '\ud800',
    '\0',
    'thanks ',
    'ha',
    'ok. ',
  ],
  ...['(a', 'a)', '<@', ':a', 'https://', '?(', '👍', 'か', '니까', 'so much ', 'Bob, ', '@a '],
];

test('no text takes long to be judged', () => {
  let steps = 0;
  for (const unit of families) {
    for (const begin of ['', 'why?', '<@U1']) {
      for (const end of ['', 'a', '?']) {
        const text = begin + unit.repeat(Math.ceil(100_000 / unit.length)) + end;
        expect(typeof convenes(remark(text))).toBe('boolean');
        steps += 1;
      }
    }
  }
  expect(steps).toBe(families.length * 9);
});
