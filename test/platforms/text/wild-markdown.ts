/** Markdown of every kind, well formed or not, for properties that hold for any text. */

import fc from 'fast-check';

const words = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'sage',
        'verdict.',
        'No?',
        '漢字の文。',
        '👩‍🚀',
        'e\u0301',
        'a_b_c',
        '2*3',
        '"so"',
      ),
      fc.constantFrom(
        '**bold text**',
        '_slanted_',
        '`code`',
        '``a`b``',
        '[a](https://x.example/y)',
        '[',
        '](',
        '**',
      ),
      fc.string({ minLength: 1, maxLength: 12 }).map((text) => text.replace(/[`~]/g, '')),
      fc.nat(90).map((length) => 'x'.repeat(length)),
    ),
    { minLength: 1, maxLength: 25 },
  )
  .map((parts) => parts.join(' '));

const marker = fc.constantFrom('```', '````', '~~~', '~~~~~');
const codeLines = fc.array(
  fc.oneof(
    fc.constantFrom(
      '',
      'x = 1;',
      '  nested();',
      '# no heading',
      '> no quote',
      '| a |',
      '```',
      '~~~',
    ),
    words,
  ),
  { maxLength: 20 },
);
const fenced = fc
  .tuple(
    marker,
    fc.constantFrom('', 'ts', 'js title="a b"', `text ${'long '.repeat(12)}`),
    codeLines,
    fc.boolean(),
  )
  .map(([marks, info, lines, isClosed]) =>
    [`${marks}${info}`, ...lines, ...(isClosed ? [marks] : [])].join('\n'),
  );
const indented = (text: string) => text.replaceAll('\n', '\n   ');

const block = fc.oneof(
  words,
  words.map((text) => `## ${text}`),
  fc.array(words, { minLength: 1, maxLength: 5 }).map((lines) => lines.join('\n')),
  fc
    .array(words, { minLength: 1, maxLength: 6 })
    .map((items) => items.map((item, index) => `${index + 1}. ${item}`).join('\n')),
  fc.array(words, { minLength: 1, maxLength: 6 }).map((items) => `- ${items.join('\n  - ')}`),
  fc.array(words, { minLength: 1, maxLength: 4 }).map((lines) => `> ${lines.join('\n> ')}`),
  fc
    .array(fc.tuple(words, words), { minLength: 1, maxLength: 6 })
    .map((rows) => `| a | b |\n|---|:--|\n${rows.map(([a, b]) => `| ${a} | ${b} |`).join('\n')}`),
  fenced,
  fenced.map((text) => `1. item\n   ${indented(text)}`),
  fc.constantFrom('---', '', '\r', '> ', '-', '#'),
);

/** Blocks of Markdown in any order, with any gaps. */
export const markdown = fc
  .array(fc.tuple(block, fc.constantFrom('\n', '\n\n', '\n\n\n', '\n \n')), { maxLength: 12 })
  .map((blocks) => blocks.flat().join(''));

/** Whether a message ends inside a code fence, read as CommonMark does, apart from quotes and how far it is indented. */
export function hasOpenFence(message: string): boolean {
  let open: string | undefined;
  for (const line of message.split('\n')) {
    const [, marks, rest = ''] = /^\s*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (marks === undefined) continue;
    if (open === undefined) {
      if (marks.startsWith('~') || !rest.includes('`')) open = marks;
    } else if (
      marks.charAt(0) === open.charAt(0) &&
      marks.length >= open.length &&
      rest.trim() === ''
    ) {
      open = undefined;
    }
  }
  return open !== undefined;
}
