/** Answers far longer than a message: they arrive whole, in order, and readable in every piece. */

import { expect, test } from 'vitest';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { ask, startCouncil } from '../../platforms/discord/discord-world.ts';
import { expectNobodyPinged, finishedThread, saidBySages } from './hostile-world.ts';

/** Numbered words, so that what is missing, doubled or out of order shows. */
function words(from: number, count: number): string {
  return Array.from({ length: count }, (_, index) => `word${from + index}`).join(' ');
}

/** The numbers of all words, in the order in which they arrived. */
function numbersIn(text: string): readonly number[] {
  return [...text.matchAll(/word(\d+)/g)].map(([, number]) => Number(number));
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function lines(from: number, count: number, begin: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => begin(index) + words(from + index, 1)).join(
    '\n',
  );
}

const kinds: readonly (readonly [string, string, number])[] = [
  ['prose without a line break', words(0, 3400), 3400],
  [
    'one code block',
    `\`\`\`ts\n${lines(0, 1500, (index) => `  const x${index} = 1; // `)}\n\`\`\``,
    1500,
  ],
  [
    'code fenced by tildes inside a quote',
    `> ~~~js\n${lines(0, 1500, () => '>     step(); // ')}\n> ~~~`,
    1500,
  ],
  [
    'a table',
    `| a | b |\n|---|---|\n${lines(0, 1500, (index) => `| ${index} | `).replace(/$/gm, ' |')}`,
    1500,
  ],
  ['nested lists', lines(0, 1500, (index) => `${'  '.repeat(index % 5)}- item `), 1500],
  [
    'many small code blocks',
    Array.from(
      { length: 900 },
      (_, index) => `\`\`\`py\ncall_of_${words(index, 1)}()\n\`\`\``,
    ).join('\n\n'),
    900,
  ],
  [
    'code that is never closed',
    `Look:\n\`\`\`\n${lines(0, 1500, () => 'still = open; // ')}`,
    1500,
  ],
];

test.each(kinds)(
  '%s of about 30,000 characters arrives whole and in order',
  async (_, text, count) => {
    await using council = await startCouncil(scriptedModels({ sages: { ben: [answer(text)] } }), {
      limits: { calls: [], editGapMs: 20 },
    });
    const { discord, channel } = council;
    expect(text.length).toBeGreaterThan(20_000);
    ask(council, 'Ben: all of it, please?');
    const thread = await finishedThread(council, channel);
    const pieces = saidBySages(discord, thread.id).map(({ wire }) => wire.content);
    expect(numbersIn(pieces.join('\n'))).toEqual(upTo(count));
    for (const piece of pieces) {
      expect(piece.length).toBeLessThanOrEqual(2000);
      const fences = piece.match(/^[\s>]*(?:```|~~~)/gm) ?? [];
      expect(fences.length % 2).toBe(0);
    }
    expectNobodyPinged(discord);
  },
);
