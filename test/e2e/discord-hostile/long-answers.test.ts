/** Answers far longer than a message: they arrive whole, in order, and readable in every piece. */

import { expect, test } from 'vitest';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import {
  ask,
  type CouncilInDiscord,
  filesOf,
  startCouncil,
} from '../../platforms/discord/discord-world.ts';
import {
  expectNobodyPinged,
  finishedThread,
  type StoredMessage,
  saidBySages,
} from './hostile-world.ts';

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

/** By how many words it holds. */
const kinds: readonly (readonly [string, number, (count: number) => string])[] = [
  ['prose without a line break', 3400, (count) => words(0, count)],
  [
    'one code block',
    1500,
    (count) => `\`\`\`ts\n${lines(0, count, (index) => `  const x${index} = 1; // `)}\n\`\`\``,
  ],
  [
    'code fenced by tildes inside a quote',
    1500,
    (count) => `> ~~~js\n${lines(0, count, () => '>     step(); // ')}\n> ~~~`,
  ],
  [
    'a table',
    1500,
    (count) =>
      `| a | b |\n|---|---|\n${lines(0, count, (index) => `| ${index} | `).replace(/$/gm, ' |')}`,
  ],
  ['nested lists', 1500, (count) => lines(0, count, (index) => `${'  '.repeat(index % 5)}- item `)],
  [
    'many small code blocks',
    900,
    (count) =>
      Array.from(
        { length: count },
        (_, index) => `\`\`\`py\ncall_of_${words(index, 1)}()\n\`\`\``,
      ).join('\n\n'),
  ],
  [
    'code that is never closed',
    1500,
    (count) => `Look:\n\`\`\`\n${lines(0, count, () => 'still = open; // ')}`,
  ],
];

/** What Ben said, when he alone was asked. */
async function saidByBen(council: CouncilInDiscord): Promise<readonly StoredMessage[]> {
  ask(council, 'Ben: all of it, please?');
  const thread = await finishedThread(council, council.channel);
  return saidBySages(council.discord, thread.id);
}

function expectReadable(pieces: readonly string[]): void {
  for (const piece of pieces) {
    expect(piece.length).toBeLessThanOrEqual(2000);
    const fences = piece.match(/^[\s>]*(?:```|~~~)/gm) ?? [];
    expect(fences.length % 2).toBe(0);
  }
}

const pace = { limits: { calls: [], editGapMs: 20 } } as const;

test.each(kinds)('%s of about 9,000 characters arrives whole and in order', async (_, most, of) => {
  const count = Math.floor(most / 3.5);
  const text = of(count);
  await using council = await startCouncil(
    scriptedModels({ sages: { ben: [answer(text)] } }),
    pace,
  );
  const pieces = (await saidByBen(council)).map(({ wire }) => wire.content);
  expect(pieces.length).toBeGreaterThan(2);
  expect(numbersIn(pieces.join('\n'))).toEqual(upTo(count));
  expectReadable(pieces);
  expectNobodyPinged(council.discord);
});

test.each(kinds)(
  'of %s of about 30,000 characters the beginning is shown, and a file holds all of it',
  async (_, count, of) => {
    const text = of(count);
    await using council = await startCouncil(
      scriptedModels({ sages: { ben: [answer(text)] } }),
      pace,
    );
    const { discord } = council;
    expect(text.length).toBeGreaterThan(20_000);
    const [message, ...more] = await saidByBen(council);
    expect(more).toEqual([]);
    const content = message?.wire.content ?? '';
    const shown = numbersIn(content);
    expect(shown.length).toBeGreaterThan(10);
    expect(shown).toEqual(upTo(shown.length));
    expect(content).toMatch(/\n-# Only the beginning; the file has all of it\.$/);
    expectReadable([content]);
    expect(message && filesOf(discord, message)).toEqual([{ name: 'Ben-Sage.md', text }]);
    expectNobodyPinged(discord);
  },
);
