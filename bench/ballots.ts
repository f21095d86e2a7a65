/** How long a review takes to be read, and whether hostile ones take longer than their length explains. */

import { readBallot } from '../src/council/ballot.ts';
import { printTable } from './table.ts';

const labels = ['A', 'B', 'C', 'D'];
const shortChars = 10_000;
const longChars = 100_000;
const rounds = 5;

const review = [
  '## Response A',
  'Names the right cause, but its second step does not follow from the first one.',
  '## Response B',
  'Complete and careful; it says where it is unsure, and its example is worked out.',
  'FINAL RANKING:',
  '1. **Response B** – the only one whose example holds, unlike Response A',
  '2. Response D (Strategist)',
  '3. Response A',
  '4. Response C',
  '',
].join('\n');

/** What is repeated up to the wanted length. */
const inputs: Readonly<Record<string, string>> = {
  'ordinary reviews': review,
  headings: 'FINAL RANKING: ',
  'headings in lines': 'FINAL RANKING:\n',
  'headings in brackets': 'ranking (a ranking) ',
  'open brackets': '(',
  'open JSON': '[{"ranking":',
  'closed JSON': '[["A"]]\n',
  'quotation marks': '"“',
  'code fences': '```\nFINAL RANKING: A > B\n```\n',
  'open fences': '```json\n',
  'quoted lines': '> FINAL RANKING: B > A\n',
  arrows: '>',
  'arrows between labels': 'A > B > ',
  'arrows in lines': 'A >\n',
  'commas between labels': 'A, B, ',
  'joined labels': 'A and (B) = ',
  'numbers in a line': '1. A 2. B ',
  'numbers in lines': '1. A\n2. X\n',
  'places in lines': '1st: X\n',
  'table rows': '| Rank | A |\n',
  stars: '*',
  spaces: ' ',
  'empty lines': '\n',
  'best to worst': 'best to worst ',
  'one word': 'a',
  entities: '&gt;&lt;',
  tags: '<ranking>',
};

function fill(pattern: string, chars: number, start: string): string {
  return (start + pattern.repeat(Math.ceil(chars / pattern.length))).slice(0, chars);
}

/** Microseconds of the fastest round, which is the one least disturbed by anything else. */
function measure(text: string): number {
  const times = Array.from({ length: rounds }, () => {
    const startedAt = performance.now();
    readBallot(text, labels);
    return (performance.now() - startedAt) * 1000;
  });
  return Math.min(...times);
}

/**
 * Prints microseconds per review at 10 000 and 100 000 characters and how they grow: about 10 is linear,
 * about 100 would be quadratic. Every input is read as it is and as what follows a heading.
 */
export function benchBallots(): void {
  const rows = Object.entries(inputs).flatMap(([name, pattern]) =>
    ['', 'FINAL RANKING:\n'].map((start) => {
      const short = measure(fill(pattern, shortChars, start));
      const long = measure(fill(pattern, longChars, start));
      return [
        start === '' ? name : `${name}, announced`,
        short.toFixed(0),
        long.toFixed(0),
        (long / short).toFixed(1),
      ];
    }),
  );
  printTable('Reading ballots', ['input', 'µs at 10 k', 'µs at 100 k', 'growth'], rows);
}
