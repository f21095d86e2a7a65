import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLeadingThought } from '../../../src/models/openai/leading-thought.ts';

function sort(pieces: readonly string[]) {
  const thought = createLeadingThought();
  const sorted = [...pieces.map((piece) => thought.take(piece)), thought.end()];
  return {
    text: sorted.map(({ text }) => text).join(''),
    reasoning: sorted.map(({ reasoning }) => reasoning).join(''),
  };
}

/** Cuts a text at the given places. */
function cut(text: string, places: readonly number[]): string[] {
  const inside = places.map((place) => place % (text.length + 1)).sort((a, b) => a - b);
  return [...inside, text.length].map((end, index) => text.slice(inside[index - 1] ?? 0, end));
}

describe('reasoning at the start of a text', () => {
  it.each([
    ['<think>Hm.</think>\n\nYes.', { text: 'Yes.', reasoning: 'Hm.' }],
    ['\n<think>Hm.</think>Yes.', { text: 'Yes.', reasoning: 'Hm.' }],
    [
      '[THINK]Hm. </think> is a tag.[/THINK]Yes.',
      { text: 'Yes.', reasoning: 'Hm. </think> is a tag.' },
    ],
    ['<thought>Hm.</thought>Yes.', { text: 'Yes.', reasoning: 'Hm.' }],
    ['<|channel>thought\nHm.<channel|>Yes.', { text: 'Yes.', reasoning: '\nHm.' }],
    [
      '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.',
      { text: 'Yes.', reasoning: 'Hm.' },
    ],
    ['<|channel|>final<|message|>Yes.<|return|>', { text: 'Yes.', reasoning: '' }],
    ['<|channel|>commentary <|constrain|>json<|message|>{}<|call|>', { text: '{}', reasoning: '' }],
    [
      '<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final <|constrain|>JSON<|message|>{}',
      { text: '{}', reasoning: 'Hm.' },
    ],
    ['<|message|>A < b <|mess', { text: 'A < b <|mess', reasoning: '' }],
    ['<|channel|>final {"a":1}', { text: 'final {"a":1}', reasoning: '' }],
    ['<|channel|>analysis<|message|>Hm', { text: '', reasoning: 'Hm' }],
    ['[THINK]if a [/TH b', { text: '', reasoning: 'if a [/TH b' }],
    ['[THIS] is it.', { text: '[THIS] is it.', reasoning: '' }],
    ['<think></think>Yes.', { text: 'Yes.', reasoning: '' }],
    ['<think>if a </th b', { text: '', reasoning: 'if a </th b' }],
    ['<thin', { text: '<thin', reasoning: '' }],
    ['<thinking>Hm.', { text: '<thinking>Hm.', reasoning: '' }],
    ['Yes. <think>Hm.</think>', { text: 'Yes. <think>Hm.</think>', reasoning: '' }],
    ['  Yes. ', { text: '  Yes. ', reasoning: '' }],
    ['', { text: '', reasoning: '' }],
  ])('is told apart in %j', (text, expected) => {
    expect(sort([text])).toEqual(expected);
    expect(sort([...text])).toEqual(expected);
  });

  it.each([
    ['blanks', ' ', { text: ' '.repeat(1_000_000), reasoning: '' }],
    ['a thought without an end', '<think>', { text: '', reasoning: '<think>'.repeat(142_856) }],
  ])(
    'is told apart in a million characters of %s, one piece after another',
    (_of, piece, expected) => {
      const count = Math.floor(1_000_000 / piece.length);
      expect(sort(Array.from({ length: count }, () => piece))).toEqual(expected);
    },
  );

  it('is told apart wherever the text is cut', () => {
    const words = fc.array(
      fc.constantFrom(
        '<',
        '/',
        '<think>',
        '</think>',
        '[THINK]',
        '[/THINK]',
        '<|channel|>',
        'analysis',
        '<|message|>',
        '<|end|>',
        'th',
        '\n',
        'Yes ',
        '>',
      ),
    );
    fc.assert(
      fc.property(words, fc.array(fc.nat()), (parts, places) => {
        const text = parts.join('');
        expect(sort(cut(text, places))).toEqual(sort([text]));
      }),
    );
  });
});
