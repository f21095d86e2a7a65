import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBallot } from '../../src/council/ballot.ts';
import { reviewMessages } from '../../src/council/prompts/review-prompt.ts';
import { readMissedByAll, readObjections } from '../../src/council/review.ts';
import { bench, council } from './scripted-council.ts';

const labels = [
  { label: 'A', sage: 'ada' },
  { label: 'B', sage: 'ben' },
  { label: 'C', sage: 'cleo' },
];
const read = (text: string) => readObjections({ text, labels }, (sage) => `${sage} sage`);
const aboutBen = (text: string) => [{ sage: 'ben', text }];

describe('the gravest error of an answer', () => {
  test.each([
    'GRAVEST ERROR: Response B: It adds 12 and 13 to 26.',
    '**GRAVEST ERROR:** Response B: It adds 12 and 13 to 26.',
    '**GRAVEST ERROR: Response B:** It adds 12 and 13 to 26.',
    '- Gravest error (Response B): It adds 12 and 13 to 26.',
    '2. Gravest error in Response B – It adds 12 and 13 to 26.',
    'GRAVEST ERROR: B: It adds 12 and 13 to 26.',
    '### Gravest Error: **Response B** — It adds 12 and 13 to 26.',
    'GRAVEST ERROR - response b - It adds 12 and 13 to 26.\r',
    '   GRAVEST ERROR:   Response "B":   It adds 12 and 13 to 26.   ',
    'GRAVEST ERROR: **Response B:** **It adds 12 and 13 to 26.**',
    'GRAVEST ERROR: Antwort B: It adds 12 and 13 to 26.',
    '### Réponse B\nGRAVEST ERROR : It adds 12 and 13 to 26.',
    'GRAVEST ERROR：回答B：It adds 12 and 13 to 26.',
  ])('is read from %j', (line) => {
    expect(read(`Sound as a whole.\n${line}\n\nFINAL RANKING:\n1. Response A`)).toEqual(
      aboutBen('It adds 12 and 13 to 26.'),
    );
  });

  test.each([
    'GRAVEST ERROR: Response B: none',
    'GRAVEST ERROR: Response B: **None.**',
    'GRAVEST ERROR: Response B:',
    'GRAVEST ERROR: Response B: …',
    'GRAVEST ERROR: Response B: nothing',
    'GRAVEST ERROR: Response B: no grave error.',
    'GRAVEST ERROR: Response D: It was never shown.',
    'GRAVEST ERROR: It adds 12 and 13 to 26.',
    'GRAVEST ERROR: A plan without a date.',
    '> GRAVEST ERROR: Response B: The answer itself says so.',
    'The gravest error of Response B: that it adds wrongly.',
    'GRAVEST ERROR',
    '',
  ])('is absent from %j', (line) => {
    expect(read(line)).toEqual([]);
  });

  test('belongs to the answer under whose heading it stands, where it names none', () => {
    const review = [
      '### Response B',
      'Response A is better than this.',
      '**GRAVEST ERROR:** It adds 12 and 13 to 26.',
      '**Response C: sound.**',
      'GRAVEST ERROR: Response A: It stops early.',
    ].join('\n');
    const toAda = { sage: 'ada', text: 'It stops early.' };
    expect(read(review)).toEqual([...aboutBen('It adds 12 and 13 to 26.'), toAda]);
  });

  test('of an answer that was not shown is no one else’s', () => {
    expect(read('Response B:\nGRAVEST ERROR: Response D: It was never shown.')).toEqual([]);
  });

  test('is the first one where a reviewer names several of one answer', () => {
    const line = (text: string) => `GRAVEST ERROR: Response B: ${text}`;
    expect(read(`${line('First.')}\n${line('Second.')}`)).toEqual(aboutBen('First.'));
  });

  test('calls other answers by their sages, because labels differ from review to review', () => {
    expect(
      read('GRAVEST ERROR: Response B: It says what Response A says, and Response Z.'),
    ).toEqual(aboutBen('It says what ada sage says, and Response Z.'));
    expect(read('GRAVEST ERROR: Response B: Unlike Responses A and C, it has a sum.')).toEqual(
      aboutBen('Unlike ada sage and cleo sage, it has a sum.'),
    );
    expect(read('GRAVEST ERROR: Response B: Like Response A, a sum is missing.')).toEqual(
      aboutBen('Like ada sage, a sum is missing.'),
    );
    expect(read('GRAVEST ERROR: Respuesta B: Como las respuestas A y C, no suma.')).toEqual(
      aboutBen('Como las ada sage y cleo sage, no suma.'),
    );
  });

  test('is kept short, in whole sentences', () => {
    const [found] = read(`GRAVEST ERROR: Response B: ${'It goes on. '.repeat(200)}`);
    expect(found?.text.length).toBeLessThanOrEqual(400);
    expect(found?.text).toMatch(/It goes on\.$/);
  });

  test('never belongs to an answer that was not shown, whatever the review holds', () => {
    const piece = fc.constantFrom(
      ...['GRAVEST ERROR', ':', ' ', '\n', 'Response', 'A', 'B', 'Q', '**', '- ', '(', ')', 'none'],
    );
    const wild = fc.array(fc.oneof(piece, fc.string()), { maxLength: 60 });
    fc.assert(
      fc.property(wild, (parts) => {
        const found = read(parts.join(''));
        expect(new Set(found.map(({ sage }) => sage)).size).toBe(found.length);
        for (const { sage, text } of found) {
          expect(['ada', 'ben', 'cleo']).toContain(sage);
          expect(text).not.toBe('');
        }
      }),
    );
  });
});

describe('what all answers miss', () => {
  const missed = (text: string) => readMissedByAll({ text, labels }, (sage) => `${sage} sage`);

  test.each([
    'MISSED BY ALL: The lease ends in May.',
    '**MISSED BY ALL:** The lease ends in May.',
    '- Missed by all – The lease ends in May.\r',
    '### Missed by all: **The lease ends in May.**',
  ])('is read from %j', (line) => {
    const review = `GRAVEST ERROR: Response B: none\n\n${line}\n\nFINAL RANKING:\n1. Response A`;
    expect(missed(review)).toBe('The lease ends in May.');
    expect(read(review)).toEqual([]);
  });

  test.each([
    'MISSED BY ALL: none',
    'MISSED BY ALL: none - all is covered',
    'MISSED BY ALL: None that would change anything.',
    'MISSED BY ALL: Keine.',
    'MISSED BY ALL: нет',
    'MISSED BY ALL: 特になし。',
    '**MISSED BY ALL: None.**',
    'MISSED BY ALL:',
    '> MISSED BY ALL: an answer says so itself',
    'The lease was missed by all: that is odd.',
    '',
  ])('is nothing in %j', (line) => {
    expect(missed(line)).toBeUndefined();
  });

  test('names sages and not labels, and is kept short', () => {
    expect(missed('MISSED BY ALL: What Responses A and C count has no date.')).toBe(
      'What ada sage and cleo sage count has no date.',
    );
    const long = missed(`MISSED BY ALL: ${'It goes on. '.repeat(200)}`);
    expect(long?.length).toBeLessThanOrEqual(400);
  });
});

describe('a review in the form that the prompt asks for', () => {
  const [reviewer] = bench;
  if (!reviewer) throw new Error('the bench is empty');
  const shown = labels.map(({ label }) => ({ label, answer: `Answer ${label}.` }));
  const none = { forSages: [], forChair: [], forReviewers: [] };
  const [system] = reviewMessages(reviewer, 'Why?', shown, council, none, 'seed');
  const form = /\n(GRAVEST ERROR: Response )[ABC](: )…\n/.exec(system?.content ?? '');
  const [, before = '', after = ''] = form ?? [];
  const judged = ['C', 'A', 'B'].map(
    (label) => `**Response ${label}** holds.\n${before}${label}${after}It forgets rent.`,
  );

  test('gives both its objections and its ballot', () => {
    const text = `${judged.join('\n\n')}\n\nFINAL RANKING:\n1. Response B\n2. Response C\n3. Response A`;
    expect(read(text)).toEqual(
      ['cleo', 'ada', 'ben'].map((sage) => ({ sage, text: 'It forgets rent.' })),
    );
    expect(readBallot(text, ['A', 'B', 'C'])).toEqual({
      status: 'ranked',
      partial: false,
      groups: [['B'], ['C'], ['A']],
    });
  });

  test('abstains where the ranking is missing: the order of objections is none', () => {
    expect(readBallot(judged.join('\n\n'), ['A', 'B', 'C']).status).toBe('abstained');
  });
});
