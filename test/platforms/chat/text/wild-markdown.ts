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

export interface ReadLine {
  readonly text: string;
  readonly isCode: boolean;
}

/**
 * Reads a message as CommonMark does, apart from quotes and how far a fence is indented: its lines
 * without those that open and close fences, and whether it ends inside a fence. As in Discord, a quoted
 * line of marks closes a fence, too.
 */
export function readMessage(message: string): {
  readonly lines: readonly ReadLine[];
  readonly hasOpenFence: boolean;
} {
  const lines: ReadLine[] = [];
  let open: string | undefined;
  for (const written of message.split('\n')) {
    const line = open === undefined ? written : written.replace(/^(?: {0,3}>[ \t]?)+(?=[`~])/, '');
    const [, marks = '', rest = ''] = /^(?:\s*\d\.)?\s*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    const isOpening =
      open === undefined && marks !== '' && !(marks.startsWith('`') && rest.includes('`'));
    const isClosing =
      open !== undefined && marks.startsWith(open) && rest.trim() === '' && line.trim() === marks;
    if (isOpening) open = marks;
    else if (isClosing) open = undefined;
    else lines.push({ text: line.trim(), isCode: open !== undefined });
  }
  return { lines, hasOpenFence: open !== undefined };
}

export function hasOpenFence(message: string): boolean {
  return readMessage(message).hasOpenFence;
}
