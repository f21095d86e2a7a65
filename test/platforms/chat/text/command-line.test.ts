import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseCommandLine } from '../../../../src/platforms/chat/text/command-line.ts';

const commands = [
  {
    name: 'ask',
    description: 'Put a question',
    options: z.object({
      depth: z.enum(['quick', 'standard']).optional(),
      question: z.string(),
      count: z.number().optional(),
      aloud: z.boolean().optional(),
      tags: z.array(z.string()).optional(),
    }),
  },
  {
    name: 'receipt',
    description: 'What was done',
    options: z.object({ turn: z.string().optional() }),
  },
  { name: 'sages', description: 'Who may sit', options: z.object({}) },
  {
    name: 'reviews',
    description: 'What was said of each other',
    options: z.object({
      show: z.enum(['reviews', 'ballots']).optional(),
      turn: z.string().optional(),
    }),
  },
  {
    name: 'feedback',
    description: 'What one thinks',
    options: z.object({ rating: z.enum(['good', 'bad']), turn: z.string().optional() }),
  },
];

function read(text: string) {
  return parseCommandLine(text, commands);
}

describe('a command line', () => {
  it.each([
    '/council ask why not? --depth quick',
    '/ask why not? --depth=quick',
    'ask why not? depth:quick',
    '/COUNCIL ASK depth=quick why not?',
    '/council ask "why not?" --depth "quick"',
    'ask --depth quick “why not?”',
    '/ask —depth quick why not?',
  ])('may be written as %s', (text) => {
    expect(read(text)).toEqual({
      status: 'read',
      command: 'ask',
      options: { question: 'why not?', depth: 'quick' },
    });
  });

  it('gives the words that follow to the first required option of text, else to the first', () => {
    expect(read('/receipt abc')).toMatchObject({ options: { turn: 'abc' } });
    expect(read('/receipt')).toMatchObject({ options: {} });
  });

  it.each([
    ['reviews ballots', { show: 'ballots' }],
    ['reviews Ballots abc', { show: 'ballots', turn: 'abc' }],
    ['reviews abc', { turn: 'abc' }],
    ['reviews show:ballots abc', { show: 'ballots', turn: 'abc' }],
    ['feedback good "a b"', { rating: 'good', turn: 'a b' }],
    ['feedback dreadful', { rating: 'dreadful' }],
  ])('gives of “%s” one word to what is chosen, and the rest to what follows', (text, options) => {
    expect(read(text)).toEqual({ status: 'read', command: expect.any(String), options });
  });

  it('leaves words, quotes and colons of a question as they were typed', () => {
    const question = `Is "free will" real at 10:30, see https://x.example?a=b, and  isn't it?`;
    expect(read(`/ask ${question}`)).toMatchObject({ options: { question } });
  });

  it('gives numbers, yes and no, and lists as such', () => {
    expect(read('/ask why --count 3 --aloud --tags "a, b"')).toMatchObject({
      options: { question: 'why', count: 3, aloud: true, tags: ['a', 'b'] },
    });
    expect(read('/ask —aloud why')).toMatchObject({ options: { question: 'why', aloud: true } });
    expect(read('/ask why aloud:no')).toMatchObject({ options: { aloud: false } });
  });

  it('leaves a number that is none to the schema of the command', () => {
    expect(read('/ask why --count many')).toMatchObject({ options: { count: 'many' } });
  });

  it.each([
    [
      '/ask why --dpth quick',
      'There is no option --dpth. /council ask takes --depth …, --question …',
    ],
    ['/ask why --depth', 'The option --depth needs a value'],
    ['/ask why —depth', 'The option --depth needs a value'],
    ['/ask why --depth quick depth:quick', 'The option depth is given twice.'],
    ['/reviews ballots abc --turn x', 'Unexpected "ballots abc".'],
    ['/sages all', 'Unexpected "all". /council sages takes no options.'],
    [
      '/recipt',
      'There is no command "recipt". Did you mean receipt? Available: ask, receipt, sages, reviews, feedback.',
    ],
    ['/council', 'Which command? Available: ask, receipt, sages, reviews, feedback.'],
  ])('says of %s what is wrong and what is known', (text, message) => {
    const line = read(text);
    expect(line).toMatchObject({ status: 'mistaken' });
    expect(line.status === 'mistaken' && line.message).toContain(message);
  });

  it('never fails, whatever is typed', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '--depth',
        '--',
        '=',
        ':',
        'depth:',
        '"',
        "'",
        '“',
        ' ',
        'quick',
        '--aloud=',
        '—',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        expect(['read', 'mistaken']).toContain(read(`/ask ${parts.join('')}`).status);
      }),
      { numRuns: 1000 },
    );
  });
});
