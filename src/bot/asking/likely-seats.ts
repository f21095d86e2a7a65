/** Guesses who would sit when there is no moderator, from the words that a question shares with the sages' files. */

import type { Council } from '../../council/council.ts';
import type { Sage, TurnRequest } from '../../domain/turn.ts';
import { inlineMarkdown, listed } from '../../domain/words.ts';
import { type Language, languageFor } from '../../memory/recall/retrieval/language.ts';

const minWordChars = 3;
const maxTextChars = 4000;
/** The one sentence of a description counts more than a sentence of the prompt. */
const weights = { described: 4, prompted: 1 };
/** A lower score is chance, e.g. a word that half of the sages use. */
const minScore = 0.75;
const maxWordsShown = 3;

/** The words of a text, by stem. */
type Words = ReadonlyMap<string, string>;

/**
 * @returns Plain text, because not every platform renders Markdown in refusals: the likely sages, each with
 *   the shared words. If no words are shared, e.g. because the languages differ, the fallback sage.
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
  const filesWith = (stem: string) => files.filter((file) => weightIn(file, stem) > 0).length;
  const fitting = files
    .map((file) => {
      const scored = asked
        .map(([stem, word]) => ({ word, score: weightIn(file, stem) / (filesWith(stem) || 1) }))
        .filter(({ score }) => score > 0)
        .toSorted((one, other) => other.score - one.score);
      const score = scored.reduce((sum, one) => sum + one.score, 0);
      const words = scored.slice(0, maxWordsShown).map(({ word }) => `“${word}”`);
      return { sage: file.sage, score, words };
    })
    .filter(({ score }) => score >= minScore)
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

/** The name with the description up to its semicolon: `Incentives and trade-offs; seat it for prices, …`. */
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

/** The words of a text without stop words. */
function wordsOf(text: string, { stopWords, stem }: Language): Words {
  const words =
    text
      .slice(0, maxTextChars)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  return new Map(
    words
      .filter((word) => word.length >= minWordChars && !stopWords.has(word))
      .map((word) => [stem(word), word]),
  );
}
