/** Families of hostile text. Each gives any wanted number of characters; what found something once stays here. */

const esc = '\u001b';

/** What is repeated up to the wanted length, by the family's name. */
const repeated: Readonly<Record<string, string>> = {
  blanks: ' ',
  tabs: '\t',
  'line feeds': '\n',
  'carriage returns': '\r',
  'line separators': '\u2028',
  quotes: '"',
  'curly quotes': '“',
  'backslash quotes': '\\"',
  backslashes: '\\',
  'square brackets': '[',
  'closing brackets': ']',
  parentheses: '(',
  braces: '{',
  'closing braces': '}',
  'angle brackets': '<',
  'closing angles': '>',
  stars: '*',
  'star and space': '* ',
  underscores: '_',
  tildes: '~',
  backticks: '`',
  'backticks of two lengths': '``a`',
  pipes: '|',
  'table cells': '| a ',
  'table rows': '|a|b|\n',
  quotations: '> ',
  'quotation lines': '>\n',
  'dotted digits': '1.',
  'dotted letters': 'a.',
  dashes: '-',
  'at signs': '@',
  colons: ':',
  emojis: '😀',
  'emoji names': ':a:',
  joiners: '\u200d',
  'joined emojis': '👩\u200d',
  'combining marks': '\u0301',
  escapes: esc,
  'escape sequences': `${esc}[`,
  'right-to-left marks': '\u202e',
  'high surrogates': '\ud83d',
  'low surrogates': '\ude00',
  nulls: '\u0000',
  'one word': 'a',
  'short words': 'a ',
  'short lines': 'a\n',
  'every second line empty': 'a\n\n',
  'lines of blanks': '   \n',
  'words far apart': `a${' '.repeat(400)}b`,
  'nested lists': '- - - ',
  'list lines': '- a\n',
  'deep lists': '- a\n  ',
  'numbered lines': '1. a\n',
  'open fences': '```\n',
  'long fences': `${'`'.repeat(400)}\n`,
  'tilde fences': '~~~a\n',
  'open links': '[a](',
  'link ends': '](',
  'links in brackets': '[[a]',
  pictures: '![a](b',
  'angle links': '<http://a',
  'Slack tokens, open': '<@U',
  'Slack tokens': '<@U1|a>',
  'Slack links': '<https://a.b|',
  'web addresses': 'https://a.b/',
  'schemes only': 'https://',
  'credentials in addresses': 'redis://a:b',
  'reference definitions': '[a]: b\n',
  'open comments': '<!--',
  tags: '<a>',
  'open tags': '<a b="',
  entities: '&amp;',
  'open entities': '&',
  footnotes: '[^1]',
  headings: '# a\n',
  'setext headings': 'a\n=\n',
  rules: '---\n',
  'thought tags': '<think>',
  'closing thought tags': '</think>',
  'open objects': '{"a":',
  'open lists': '["a",',
  'open strings': '{"answer":"',
  'backslash quotes in a string': '"\\\\"\\"',
  'closed objects': '{"a":1}',
  'unicode escapes': '\\u0041',
  'final rankings': 'FINAL RANKING:\n',
  arrows: 'A > ',
  'labels in lines': '1. Response A\n',
  'fence tags': '</answer>',
  'fence tags with a joiner': '<\u200d/ans\u00adwer>',
  'event lines': 'data: a\n',
  'empty events': 'data:\n\n',
  'comment lines': ': a\n',
  dots: '.',
  'ends of sentences': 'a. ',
  'question marks': '?',
  commas: ',',
  'names and colons': 'a: ',
  'e-mail addresses': 'a@b.c ',
  'key-like words': 'sk-a',
  'bearer words': 'Bearer a ',
  dates: '2026-01-01 ',
  'wide letters': '漢',
  'Thai letters': 'ก',
  'Arabic letters': 'م',
};

/** What comes once, before the repeated part, so that a reader gets past its first look. */
const beginnings: Readonly<Record<string, string>> = {
  '': '',
  'after a sentence, ': 'What should we do about it? ',
  'in a string, ': '{"answer":"',
  'in a link, ': '[a](',
  'in code, ': '```js\n',
  'after a ranking, ': 'FINAL RANKING:\n1. Response A\n',
};

export interface Family {
  readonly name: string;
  /** Text of just this many UTF-16 code units. */
  text(chars: number): string;
}

function familyOf(name: string, start: string, pattern: string): Family {
  return {
    name,
    text: (chars) => (start + pattern.repeat(Math.ceil(chars / pattern.length))).slice(0, chars),
  };
}

/** Opens as many brackets as it closes. */
const nested: readonly Family[] = [
  ['nested lists in JSON', '[', ']'],
  ['nested objects', '{"a":', '}'],
  ['nested parentheses', '(', ')'],
  ['nested tags', '<a>', '</a>'],
  ['nested stars', '*a', '*'],
].map(([name = '', open = '', close = '']) => ({
  name,
  text: (chars) => {
    const depth = Math.floor(chars / (open.length + close.length));
    return open.repeat(depth) + close.repeat(depth);
  },
}));

/** Two runs, so that the end of each beginning is looked for in the whole of the second. */
const halves: readonly Family[] = [
  ['blanks between words', 'a', ' ', 'b'],
  ['openings, then text', '', '[', 'a'],
  ['Slack openings, then text', '', '<', 'a'],
  ['backticks, then text', '', '`', 'a'],
  ['stars, then text', '', '*', 'a'],
  ['blanks, then a line', '', ' ', '\n'],
].map(([name = '', first = '', run = '', second = '']) => ({
  name,
  text: (chars) => {
    const half = Math.max(1, Math.floor((chars - first.length) / 2));
    return first + run.repeat(half) + second.repeat(half);
  },
}));

/** Every family: about 600. */
export const families: readonly Family[] = [
  ...Object.entries(beginnings).flatMap(([before, start]) =>
    Object.entries(repeated).map(([name, pattern]) => familyOf(before + name, start, pattern)),
  ),
  ...nested,
  ...halves,
];
