/**
 * Windows of conversations as they really are, each with the summary that a good model would write of it:
 * councils with headings, lists, bold words and tables, in six languages, and the recorded councils.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { recordingSchema } from '../../../src/council/recording.ts';
import { firstSentences } from '../../../src/domain/words.ts';
import type { ShardSource } from '../../../src/memory/shards/windows.ts';

const folder = new URL('../../fixtures/summaries/', import.meta.url);
const recordings = new URL('../../../recordings/', import.meta.url);

export interface RealWindow {
  readonly name: string;
  readonly sources: readonly ShardSource[];
  readonly good: string;
  /** What is wrong with it, the text, and what it lacks, e.g. `position of economist`. */
  readonly bad: readonly (readonly [string, string, readonly string[]])[];
}

const windowSchema = z.strictObject({
  said: z.array(
    z.union([
      z.strictObject({ from: z.string(), text: z.string() }),
      // Without a summary, its first sentences stand for it, as where a model gives none.
      z.strictObject({ sage: z.string(), text: z.string(), summary: z.string().optional() }),
    ]),
  ),
  good: z.string(),
  bad: z.record(
    z.string(),
    z.strictObject({
      /** The beginning of the lines that are left out. */
      drop: z.string().optional(),
      replace: z.tuple([z.string(), z.string()]).optional(),
      lacks: z.array(z.string()),
    }),
  ),
});
type Written = z.infer<typeof windowSchema>;

export const realWindows: readonly RealWindow[] = readdirSync(folder)
  .toSorted()
  .flatMap((file): readonly RealWindow[] => {
    const written: unknown = parse(readFileSync(new URL(file, folder), 'utf8'));
    if (file !== 'recorded.yaml') return [windowOf(file, windowSchema.parse(written))];
    return Object.entries(z.record(z.string(), z.string()).parse(written)).map(recordedWindow);
  });

function windowOf(file: string, { said, good, bad }: Written): RealWindow {
  return {
    name: file.replace('.yaml', ''),
    sources: said.map((one, at) =>
      'from' in one
        ? source(at, 'human', one.from, one.text, one.text)
        : source(at, 'ai', one.sage, one.text, one.summary ?? firstSentences(one.text, 400)),
    ),
    good,
    bad: Object.entries(bad).map(([what, edit]) => [what, edited(good, edit), edit.lacks]),
  };
}

function recordedWindow([name, good]: readonly [string, string]): RealWindow {
  const { question, seats } = recordingSchema.parse(
    parse(readFileSync(new URL(`${name}.yaml`, recordings), 'utf8')),
  );
  const answers = seats.map(({ sage, answer, summary }, at) =>
    source(at + 1, 'ai', sage, answer, summary),
  );
  return {
    name,
    sources: [source(0, 'human', 'Anna', question, question), ...answers],
    good,
    bad: [],
  };
}

function source(
  at: number,
  role: 'human' | 'ai',
  by: string,
  text: string,
  shown: string,
): ShardSource {
  return { id: `m${at}`, role, by, text, shown, createdAt: at, agesFrom: at, isPrivate: false };
}

function edited(good: string, { drop, replace }: Written['bad'][string]): string {
  const kept = good.split('\n').filter((line) => drop === undefined || !line.startsWith(drop));
  const text = kept.join('\n');
  if (!replace) return text;
  const [said, instead] = replace;
  if (!text.includes(said)) throw new Error(`The good summary does not hold “${said}”.`);
  return text.replace(said, instead);
}
