/** What rules tell of what people write: never wrongly, and the rest is the moderator's to tell. */

import { describe, expect, test } from 'vitest';
import { judgeByRules, judgeByText } from '../../../src/bot/asking/overheard.ts';
import type { Remark } from '../../../src/platforms/platform.ts';
import { bench as scripted } from '../../council/scripted-council.ts';
import { amongPeople, busy } from '../remarks/busy.ts';
import { casual } from '../remarks/casual.ts';
import { conversations } from '../remarks/conversations.ts';
import { type Kind, remarks } from '../remarks/table.ts';

/** With names of one word, e.g. Ben, and one with a given name. */
const bench = [
  ...scripted.map((sage) => ({ ...sage, name: sage.name.split(' ')[0] ?? '' })),
  ...scripted.slice(0, 1).map((sage) => ({ ...sage, key: 'marcus_a', name: 'Marcus Aurelius' })),
];

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

const sayings: readonly Said[] = Object.entries(remarks).flatMap(([language, said]) =>
  kindNames.flatMap((kind) => (said[kind] ?? []).map((text) => ({ language, kind, text }))),
);
const conversed: readonly Said[] = Object.entries(conversations).flatMap(([language, said]) => {
  const of = (kind: Kind, lines: readonly (string | { readonly text: string })[]) =>
    lines.map((line) => ({ language, kind, text: typeof line === 'string' ? line : line.text }));
  return [...of('task', said.council), ...of('thanks', said.nobody), ...of('talk', said.people)];
});
const table = [...sayings, ...conversed];

/** What people write in chats every day. */
const everyday = [busy, casual].flatMap((table) => Object.values(table));

const inThread: Omit<Remark, 'text'> = { where: 'thread', namesCouncil: false, isForOthers: false };

function remark(text: string, changes: Partial<Remark> = {}): Remark {
  // As the platforms tell: mentions of people, groups and everybody.
  return { ...inThread, isForOthers: /<@|<!/.test(text), text, ...changes };
}

type Mode = 'asked' | 'mention' | 'everything';

/** `undefined`: the moderator has to tell. */
function convenes(said: Remark, mode: Mode = 'asked'): boolean | undefined {
  const alone = judgeByText(said) ?? judgeByRules(said, { mode, bench });
  return alone === 'greeting' ? false : alone;
}

const meant = table.filter(({ kind }) => kinds[kind]);
const others = table.filter(({ kind }) => !kinds[kind]);

test('the tables have over 400 remarks in more than eight languages, and about half are meant', () => {
  expect(table.length).toBeGreaterThan(400);
  expect(conversed.length).toBeGreaterThan(200);
  expect(Object.keys(conversations).length).toBe(8);
  for (const some of [sayings, conversed]) {
    const share = some.filter(({ kind }) => kinds[kind]).length / some.length;
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
  }
});

describe('in a thread of the council', () => {
  test('nothing convenes a council by rules that is not meant for it', () => {
    expect(others.filter(({ text }) => convenes(remark(text)))).toEqual([]);
  });

  test('nothing that is meant for the council is unheard by rules', () => {
    expect(meant.filter(({ text }) => convenes(remark(text)) === false)).toEqual([]);
  });

  test('chatter costs no call: nearly all of it is told by rules', () => {
    const kinds = ['thanks', 'greeting', 'laughter', 'emoji', 'link'];
    const chatter = others.filter(({ kind }) => kinds.includes(kind));
    const asked = chatter.filter(({ text }) => convenes(remark(text)) === undefined);
    expect(asked.length / chatter.length).toBeLessThan(0.02);
  });

  test('courtesies of several words are chatter, also with others; what goes on from them is not', () => {
    for (const text of [
      ...['good point', 'fair enough, thanks', 'oh i see. makes sense!', 'sounds good to me 👍'],
      ...[
        'kein problem',
        'pas de souci, à demain',
        'buen punto',
        'faz sentido, valeu',
        'не за что',
      ],
    ]) {
      expect([text, convenes(remark(text))]).toEqual([text, false]);
    }
    for (const text of [
      'good point, but who pays',
      'good idea?',
      'i see three options',
      'sounds good for us',
    ]) {
      expect([text, convenes(remark(text))]).toEqual([text, undefined]);
    }
  });

  test('a bare yes or no may answer what the council asked, and is left open there alone', () => {
    for (const text of ['yes', 'No.', 'ja', 'はい']) {
      expect([text, convenes(remark(text))]).toEqual([text, undefined]);
      expect([text, convenes(remark(text, { where: 'direct message' }))]).toEqual([text, false]);
      expect([text, convenes(remark(text, { namesCouncil: true }))]).toEqual([text, false]);
    }
    expect(convenes(remark('yes, thanks'))).toBe(false);
    for (const text of [
      'да, пожалуйста',
      'yes to all',
      'heel graag',
      'oui volontiers',
      '아뇨',
      'ううん',
    ])
      expect([text, convenes(remark(text))]).toEqual([text, undefined]);
  });

  test('a word or two that ask for something are no thanks', () => {
    for (const text of [
      ...['Ausführliche Antwort bitte', 'advies graag', 'совет, пожалуйста', 'пораду, будь ласка'],
      ...['odpowiedź proszę', 'help me 🙏', 'consejos 🙏', 'アドバイスよろしくお願いします'],
      ...['大佬解答', '智者帮助', 'me muero', 'sto morendo'],
    ]) {
      expect([text, convenes(remark(text))]).toEqual([text, undefined]);
      expect([text, convenes(remark(text, { where: 'direct message' }))]).toEqual([text, true]);
    }
    for (const text of ['bitte sehr', 'for you all 🙏', 'me muero jajaja', 'danke für die Antwort'])
      expect([text, convenes(remark(text))]).toEqual([text, false]);
  });
});

describe('in a busy channel', () => {
  const named: Partial<Remark> = { namesCouncil: true };
  const direct: Partial<Remark> = { where: 'direct message' };

  test('thanks, greetings, laughter and signs seat no council and cost no call, wherever they are said', () => {
    const nobody = everyday.flatMap((said) => said.nobody);
    const convening = nobody.filter((text) =>
      [{}, named, direct].some((changes) => convenes(remark(text, changes)) !== false),
    );
    expect(convening).toEqual([]);
  });

  test('nothing that asks, objects or answers is taken for them', () => {
    const council = everyday.flatMap((said) => said.council);
    expect(council.filter((text) => convenes(remark(text)) === false)).toEqual([]);
    const unheard = council.filter((text) =>
      [named, direct].some((changes) => convenes(remark(text, changes)) !== true),
    );
    expect(unheard).toEqual([]);
  });

  test('no rule takes what people say to one another for the council’s', () => {
    expect(amongPeople.filter((text) => convenes(remark(text)))).toEqual([]);
  });

  test('who thanks or greets a person or a sage by name asks nothing', () => {
    for (const text of [
      ...['thanks Tom!', 'Danke Jonas', 'haha Priya 😂', 'hi Ana Lima', '田中さん、ありがとう'],
      ...['Ben, thanks!', 'Ben: lol', '@ben thanks', 'thanks Ben!', 'Hi Ben'],
      ...['hey council, how are you?', 'hi all, how’s it going?'],
    ])
      expect([text, convenes(remark(text))]).toEqual([text, false]);
    for (const text of [
      'thanks Tom, and taxes',
      'Munich, thanks',
      'ok Munich',
      'hi Tom, two offers',
    ])
      expect([text, convenes(remark(text))]).toEqual([text, undefined]);
    for (const text of [
      '@ben',
      'Ben, yes',
      'Ben: thanks, but why',
      '@ben and @cleo: who is wrong?',
    ])
      expect([text, convenes(remark(text))]).toEqual([text, true]);
  });
});

describe('whatever it says', () => {
  test('a message that names the council is for it, unless it only closes a conversation', () => {
    const named = (text: string) => convenes(remark(text, { namesCouncil: true }), 'mention');
    for (const text of [
      'Compare them.',
      'hi, who is right?',
      'https://example.org',
      '<@U2> is this right',
      '…',
      '',
    ]) {
      expect([text, named(text)]).toEqual([text, true]);
    }
    for (const text of ['thanks!', '👍', 'lol', 'thank you all so much', 'hi', 'good night']) {
      expect([text, named(text)]).toEqual([text, false]);
    }
    for (const text of ['thanks <3', 'Thank you :-D', 'haha :P', '<3 <3', ':D', 'merci </3!']) {
      expect([text, named(text)]).toEqual([text, false]);
    }
    for (const text of ['3 :D', 'Is 2 <3?', 'Ben :P?', ':draw']) {
      expect([text, named(text)]).toEqual([text, true]);
    }
  });

  test('a mention within a sentence that asks nothing, or in a quote, is left to the moderator', () => {
    const named = (before: string, text: string, changes: Partial<Remark> = {}) =>
      judgeByText(remark(text, { namesCouncil: true, where: 'elsewhere', before, ...changes }));
    expect(named('I asked', 'I asked   about this yesterday.')).toBe(undefined);
    expect(named('You can now ask', 'You can now ask   in this channel!')).toBe(undefined);
    expect(named('>', '>   should we?\nWe did.')).toBe(undefined);
    expect(named('Should we,', 'Should we,  ?')).toBe(true);
    expect(named('Hey', 'Hey   compare both.')).toBe(true);
    expect(named('', 'Compare both.')).toBe(true);
    expect(named('Ask', 'Ask   anything.', { where: 'direct message' })).toBe(true);
    expect(named('Thanks', 'Thanks  !')).toBe(false);
    const aside = remark('I asked   about it.', { namesCouncil: true, before: 'I asked' });
    for (const mode of ['asked', 'mention', 'everything'] as const)
      expect(convenes(aside, mode)).toBe(mode === 'everything' ? true : undefined);
  });

  test('a mere greeting of the council is told from a question, a farewell and a sign', () => {
    for (const text of [
      'hi',
      'Hello!',
      'good morning all',
      'hey 👋',
      'Hallo',
      'こんにちは',
      "what's up?",
    ]) {
      expect([text, judgeByText(remark(text, { namesCouncil: true }))]).toEqual([text, 'greeting']);
      const direct = remark(text, { where: 'direct message' });
      expect([text, judgeByText(direct)]).toEqual([text, 'greeting']);
      expect([text, judgeByText(remark(text))]).toEqual([text, false]);
    }
    for (const text of ['bye', 'good night everyone', 'Tschüss', '再见'])
      expect([text, judgeByText(remark(text, { namesCouncil: true }))]).toEqual([text, false]);
  });

  test('a direct message is for the council, unless it is chatter', () => {
    const direct = (text: string) => convenes(remark(text, { where: 'direct message' }));
    for (const { text, kind } of meant)
      expect([kind, text, direct(text)]).toEqual([kind, text, true]);
    for (const { text, kind } of table) {
      const isChatter = ['thanks', 'greeting', 'laughter', 'emoji', 'link'].includes(kind);
      if (isChatter && !/<@|@\p{L}/u.test(text))
        expect([kind, text, direct(text)]).toEqual([kind, text, false]);
    }
  });

  test('what replies to or mentions someone else is theirs, even as a question', () => {
    expect(convenes(remark('Why not both?', { isForOthers: true }))).toBe(false);
    expect(convenes(remark('Why not both?', { isForOthers: true, namesCouncil: true }))).toBe(true);
  });

  test('a sage that is addressed by name is asked without a question mark', () => {
    expect(convenes(remark('Ben: go on'))).toBe(true);
    expect(convenes(remark('Ben, and you?'))).toBe(true);
    expect(convenes(remark('@ben go on'))).toBe(true);
    expect(convenes(remark('what would @ben do'))).toBe(true);
    expect(convenes(remark('Bert: go on'))).toBeUndefined();
    expect(convenes(remark('@bert go on'))).toBe(false);
    expect(convenes(remark('@bert what did @ben mean?'))).toBe(false);
  });

  test('a given name may be a member’s, unless an @ or the whole name says that it is the sage’s', () => {
    for (const text of ['Marcus, can you send the invoice?', 'hey Marcus: lunch?'])
      expect([text, convenes(remark(text))]).toEqual([text, undefined]);
    for (const text of ['Aurelius, and you?', 'Marcus Aurelius: go on', '@marcus go on'])
      expect([text, convenes(remark(text))]).toEqual([text, true]);
  });

  test('the council that is addressed in words is asked', () => {
    for (const text of ['Council, go on', 'hey council: and now?', '@council go on', 'Sages, why'])
      expect([text, convenes(remark(text))]).toEqual([text, true]);
    expect(convenes(remark('our city council, for one, would object'))).toBeUndefined();
  });

  test('a channel may have it otherwise', () => {
    expect(convenes(remark('Why not both?'), 'mention')).toBe(false);
    expect(convenes(remark('Compare them.'), 'everything')).toBe(true);
    expect(convenes(remark('thanks!'), 'everything')).toBe(false);
    expect(convenes(remark('Compare them.', { isForOthers: true }), 'everything')).toBe(false);
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
        expect([true, false, undefined]).toContain(convenes(remark(text)));
        steps += 1;
      }
    }
  }
  expect(steps).toBe(families.length * 9);
});
