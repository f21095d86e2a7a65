import { describe, expect, test } from 'vitest';
import { commands } from '../../../../commands/index.ts';
import { languages } from '../../../../src/domain/languages/languages.ts';
import {
  bareWord,
  isCommand,
  readSpokenLine,
} from '../../../../src/platforms/chat/text/spoken-line.ts';

const read = (line: string) => readSpokenLine(line, commands);

describe('a sentence that begins with a command’s name', () => {
  test.each([
    'help me choose a bank account',
    'stop doing meetings on friday?',
    'stop doing meetings on friday',
    'receipt for the printer is lost, what now',
    'sages disagree on this, what do we do',
    'minutes of the meeting: who writes them?',
    'memory of the last meeting matters more than notes',
    'export our product to brazil or not',
    'feedback from customers is bad what now',
    'dismiss the idea of remote work entirely',
    'summon the courage to fire him',
    'config is too complicated for new users what should we do',
    'reviews of our app are bad?',
    '/council stop the presses?',
  ])('is a question: %s', (line) => {
    const question = line.replace('/council ', '');
    expect(read(line)).toEqual({ status: 'read', command: 'ask', options: { question } });
  });

  test.each([
    ['receipt abc', 'receipt', { turn: 'abc' }],
    ['memory search what did we say about it?', 'memory', { do: 'search' }],
    ['config set language Old English please now', 'config', {}],
    ['config mine set notify yes please now', 'config', {}],
    ['config server', 'config', {}],
    ['dismiss The Gardener', 'dismiss', { sage: 'The Gardener' }],
    ['summon name:"A" description:"Is it so? It is."', 'summon', { name: 'A' }],
    ['export json', 'export', { format: 'json' }],
    ['stop it now please', 'stop', {}],
    ['help me', 'help', {}],
    ['Receipt.', 'receipt', {}],
    ['/council go deeper', 'deeper', {}],
    ['ask why?', 'ask', { question: 'why?' }],
  ])('is that command as it is used: %s', (line, command, options) => {
    expect(read(line)).toMatchObject({ status: 'read', command, options });
  });
});

describe('a line without a command’s name', () => {
  test.each(['what should we do', 'why though?', '@ben hi', 'Ben: hi', 'どうすればいい'])(
    'is a question: %s',
    (question) => {
      expect(read(question)).toEqual({ status: 'read', command: 'ask', options: { question } });
    },
  );

  test('of one word or two is taken for a slip', () => {
    expect(read('recepit')).toMatchObject({ status: 'mistaken' });
    expect(read('shwo sages')).toMatchObject({ status: 'mistaken' });
  });
});

describe('without a slash', () => {
  test.each([
    'receipt',
    'go deeper',
    'feedback good',
    'receipt --show reasoning',
    'memory search the rent',
    'preset save hiring description:"For people"',
    'ask Why? --depth quick',
  ])('is a command: %s', (line) => expect(isCommand(line, commands)).toBe(true));

  test.each([
    'memory loss in old age',
    'stop asking me for money',
    'stop smoking',
    'share prices fell: why',
    'should we stop?',
  ])('is no command: %s', (line) => expect(isCommand(line, commands)).toBe(false));
});

test.each([
  ['help', 'help'],
  ['?', 'help'],
  ['Help!', 'help'],
  ['/council help', 'help'],
  ['exit', 'leave'],
  ['/quit', 'leave'],
  ['stop.', 'stop'],
  ['stop that', undefined],
  ['please stop!', 'stop'],
  ['Stopp, bitte', 'stop'],
  ['Arrête stp', 'stop'],
  ['¡Para!', 'stop'],
  ['стоп', 'stop'],
  ['Стоп!!!', 'stop'],
  ['please, stop', 'stop'],
  ['Пожалуйста, остановитесь!', 'stop'],
  ['停止。', 'stop'],
  ['إيقاف', 'stop'],
  ['रोकें', 'stop'],
  ['parar de fumar', undefined],
  ['Hilfe', 'help'],
  ['pomoc', 'help'],
  ['/council ヘルプ', 'help'],
  ['مساعدة', 'help'],
  ['помощь!', 'help'],
  ['helpful', undefined],
  ['', undefined],
])('%j alone does what it says', (line, does) => {
  expect(bareWord(line)).toBe(does);
});

test.each([
  ['config', 'help'],
  ['Receipt!', 'help'],
  ['/council memory', 'help'],
  ['stop', 'stop'],
  ['memory?', undefined],
  ['memory loss', undefined],
])('%j alone, said where commands can’t be given, does what it can', (line, does) => {
  expect(bareWord(line, commands)).toBe(does);
});

test.each(languages.map(({ locale, stop }) => [stop, locale]))(
  '“%s”, as the button says in %s, stops by word, too',
  (word) => {
    expect(bareWord(word)).toBe('stop');
    expect(read(word)).toMatchObject({ status: 'read', command: 'stop' });
  },
);

test('no line takes long to be read', () => {
  for (const unit of [' ', 'a ', 'a:', '--a ', 'stop ', '?', '"', '“', 'now ', '\n']) {
    for (const begin of ['', 'stop ', 'memory ', 'help me ']) {
      expect(read(begin + unit.repeat(10_000)).status).toMatch(/read|mistaken/);
    }
  }
});
