/** Whether every reader of text from outside takes time in proportion to its length, whatever the text is. */

import { type Family, families } from './hostile-families.ts';
import { type Reader, readers } from './hostile-readers.ts';
import { printTable } from './table.ts';

/** Twice the length may take at most this many times the CPU. */
const mostGrowth = 2.6;
/** UTF-16 code units: what a text is measured at, and at half of it. */
const chars = 100_000;
/** What looks too steep there, in a short time, is looked at again up to this. */
const longest = 4 * chars;
/** Of each reader's families: those that take longest at half the length, where what is steep shows. */
const compared = 20;
/** What ends sooner at full length is not compared: a quadratic reader takes far longer by then. */
const negligibleMs = 10;
/** What takes longer at a fraction of the length is not run at the full one. */
const patienceMs = 250;
/** Rounds of the two lengths in turn; all of them only where the first ones look too steep. */
const rounds = { first: 2, all: 6 } as const;

/** Of this thread's CPU: neither other processes nor the collector's own threads count. */
function millisecondsOf(read: Reader, text: string): number {
  const before = process.threadCpuUsage();
  read(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The families whose growth is worth measuring. Each is read once, and not further where its beginning takes long. */
function slowestFor(read: Reader): readonly Family[] {
  const taking = families.map((family) => {
    const beginning = 8 * millisecondsOf(read, family.text(chars / 16));
    const ms = beginning > patienceMs ? beginning : millisecondsOf(read, family.text(chars / 2));
    return { family, ms };
  });
  const slowest = taking.toSorted((left, right) => right.ms - left.ms).slice(0, compared);
  return slowest.map(({ family }) => family);
}

interface Growth {
  readonly chars: number;
  /** Of the fastest round, which is the one least disturbed by anything else. */
  readonly ms: number;
  /** How many times what half the length takes; 0 where it is not worth comparing. */
  readonly times: number;
}

function growthOf(read: Reader, text: (chars: number) => string): Growth {
  let most = chars / 16;
  while (most < chars && millisecondsOf(read, text(most)) < patienceMs) most *= 2;
  let growth = growthAt(read, text, most);
  // So short a time is mostly that of collection and caches: what is too steep stays so for longer texts.
  while (growth.times > mostGrowth && growth.ms < patienceMs / 2 && growth.chars < longest) {
    growth = growthAt(read, text, 2 * growth.chars);
  }
  return growth;
}

function growthAt(read: Reader, text: (chars: number) => string, at: number): Growth {
  const whole = text(at);
  const half = text(at / 2);
  let ms = millisecondsOf(read, whole);
  if (ms < negligibleMs) return { chars: at, ms, times: 0 };
  let halfMs = millisecondsOf(read, half);
  for (let round = 0; round < rounds.all; round += 1) {
    if (round >= rounds.first && ms <= mostGrowth * halfMs) break;
    ms = Math.min(ms, millisecondsOf(read, whole));
    halfMs = Math.min(halfMs, millisecondsOf(read, half));
  }
  return { chars: at, ms, times: ms < negligibleMs ? 0 : ms / halfMs };
}

/**
 * Prints for each reader its slowest family and its steepest. Ends the process with 1 where a reader
 * grows by more than 2.6 from half the length to the whole.
 *
 * @param wanted - Only readers whose name contains it.
 */
export function benchHostile(wanted = ''): void {
  const chosen = Object.entries(readers).filter(([name]) => name.includes(wanted));
  const tooSteep: string[] = [];
  const rows = chosen.map(([name, read]) => {
    let slowest = { family: '', ms: 0 };
    let steepest = { family: 'none takes long enough', times: 0, chars };
    for (const { name: family, text } of slowestFor(read)) {
      const { ms, times, chars: at } = growthOf(read, text);
      if (ms > slowest.ms) slowest = { family, ms };
      if (times > steepest.times) steepest = { family, times, chars: at };
      if (times > mostGrowth) {
        tooSteep.push(`${name}: ${family} (${times.toFixed(1)} at ${at}, ${ms.toFixed(0)} ms)`);
        process.stderr.write(`${tooSteep.at(-1)}\n`);
      }
    }
    const growth = steepest.times === 0 ? '-' : steepest.times.toFixed(2);
    return [name, slowest.ms.toFixed(1), slowest.family, growth, steepest.family];
  });
  printTable(
    `Hostile text: the slowest ${compared} of ${families.length} families of ${chars} characters`,
    ['reader', 'slowest, ms', 'family', 'steepest', 'family '],
    rows,
  );
  if (tooSteep.length === 0) return;
  process.stdout.write(`\nGrow by more than ${mostGrowth}:\n${tooSteep.join('\n')}\n`);
  process.exitCode = 1;
}
