/**
 * Says who would probably sit for a question where no moderator can be asked: told from the words that the
 * question shares with the sages' own files.
 */

import type { Council } from '../../council/council.ts';
import type { Sage, TurnRequest } from '../../domain/turn.ts';
import { inlineMarkdown, listed } from '../../domain/words.ts';
import { type Language, languageFor } from '../../memory/recall/retrieval/language.ts';

const leastChars = 3;
const longestTextChars = 4000;
/** A sage is described by one sentence, which counts more than any of the many in its prompt. */
const weights = { described: 4, prompted: 1 };
/** Less is an accident: a word that half of the sages use. */
const leastScore = 0.75;
const mostWordsShown = 3;

/** Words of a text by their stems. */
type Words = ReadonlyMap<string, string>;

/**
 * @returns In plain words, because not every place of a refusal shows Markdown: those who would sit, each with the words of the question that its file shares; or,
 *   where nothing is shared, e.g. in another language than the files, the one who sits when no other fits.
 */
export async function whoWouldSit(
  { question, sages }: Pick<TurnRequest, 'question' | 'sages'>,
  {
    bench,
    seats,
    maxSages,
    fallbackSage,
  }: Pick<Council, 'bench' | 'seats' | 'maxSages' | 'fallbackSage'>,
): Promise<string> {
  const fixed = sages ?? (seats === 'moderated' ? undefined : seats);
  if (fixed) {
    const names = bench.filter(({ key }) => fixed.includes(key)).map(({ name }) => name);
    const why = sages ? 'you named them' : 'the settings of this channel say so';
    return `${inlineMarkdown(listed(names))} would sit: ${why}.`;
  }
  const language = await languageFor(bench.map(({ description }) => description).join(' '));
  const files = bench.map((sage) => fileOf(sage, language));
  const asked = [...wordsOf(question, language)];
  const sharers = (stem: string) => files.filter((file) => weightIn(file, stem) > 0).length;
  const fitting = files
    .map((file) => {
      const scored = asked
        .map(([stem, word]) => ({ word, score: weightIn(file, stem) / (sharers(stem) || 1) }))
        .filter(({ score }) => score > 0)
        .toSorted((one, other) => other.score - one.score);
      const score = scored.reduce((sum, one) => sum + one.score, 0);
      const words = scored.slice(0, mostWordsShown).map(({ word }) => `“${word}”`);
      return { sage: file.sage, score, words };
    })
    .filter(({ score }) => score >= leastScore)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, maxSages);
  if (fitting.length === 0) {
    const usual = bench.find(({ key }) => key === fallbackSage);
    const shown = usual ? `${introduced(usual)} would sit, or others: the` : 'The';
    return `${shown} moderator, a model, reads more in a question than its words.`;
  }
  return [
    'By their descriptions, these would probably sit:',
    ...fitting.map(({ sage, words }) => `- ${introduced(sage)}: you speak of ${listed(words)}`),
  ].join('\n');
}

/** The name with what stands before the semicolon of `Incentives and trade-offs; seat it for prices, pay, …`. */
function introduced({ name, description }: Sage): string {
  const [view = '', use] = description.split(';', 2);
  const shown = use === undefined ? '' : ` (${inlineMarkdown(view)})`;
  return `${inlineMarkdown(name)}${shown}`;
}

interface SageFile {
  readonly sage: Sage;
  readonly described: Words;
  readonly prompted: Words;
}

function fileOf(sage: Sage, language: Language): SageFile {
  return {
    sage,
    described: wordsOf(`${sage.name} ${sage.description}`, language),
    prompted: wordsOf(sage.prompt ?? '', language),
  };
}

function weightIn({ described, prompted }: SageFile, stem: string): number {
  if (described.has(stem)) return weights.described;
  return prompted.has(stem) ? weights.prompted : 0;
}

/** Those that carry meaning. */
function wordsOf(text: string, { stopWords, stem }: Language): Words {
  const words =
    text
      .slice(0, longestTextChars)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  return new Map(
    words
      .filter((word) => word.length >= leastChars && !stopWords.has(word))
      .map((word) => [stem(word), word]),
  );
}
