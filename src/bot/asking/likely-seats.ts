/** Guesses who would sit when there is no moderator, from the words that a question shares with the sages' files. */

import type { Council } from '../../council/council.ts';
import type { Sage, TurnRequest } from '../../domain/turn.ts';
import { inlineMarkdown, listed } from '../../domain/words.ts';
import { type Language, languageFor } from '../../memory/recall/retrieval/language.ts';

const minWordChars = 3;
const maxTextChars = 4000;
const maxWordsShown = 3;

/**
 * @returns Plain text, because not every platform renders Markdown in refusals: the likely sages, each with
 *   the shared words. If no words are shared, e.g. because the languages differ, the fallback sage.
 */
export async function whoWouldSit(
  { question, sages }: Pick<TurnRequest, 'question' | 'sages'>,
  council: Pick<Council, 'bench' | 'seats' | 'maxSages' | 'fallbackSage'>,
): Promise<string> {
  const { bench, seats, maxSages, fallbackSage } = council;
  const fixed = sages ?? (seats === 'moderated' ? undefined : seats);
  if (fixed) {
    const names = bench.filter(({ key }) => fixed.includes(key)).map(({ name }) => name);
    const why = sages ? 'you named them' : 'the settings of this channel say so';
    return `${inlineMarkdown(listed(names))} would sit: ${why}.`;
  }
  const language = await languageFor(bench.map(({ description }) => description).join(' '));
  const asked = [...wordsOf(question, language)];
  const fitting = bench
    .map((sage) => {
      const known = wordsOf(`${sage.name} ${sage.description}`, language);
      return { sage, words: asked.flatMap(([stem, word]) => (known.has(stem) ? word : [])) };
    })
    .filter(({ words }) => words.length > 0)
    .toSorted((one, other) => other.words.length - one.words.length)
    .slice(0, maxSages);
  if (fitting.length === 0) {
    const usual = bench.find(({ key }) => key === fallbackSage);
    const shown = usual ? `${introduced(usual)} would probably sit. ` : '';
    return `${shown}The moderator, a model, sees more in a question than its words, and may seat others.`;
  }
  const lines = fitting.map(({ sage, words }) => {
    const shared = words.slice(0, maxWordsShown).map((word) => `“${word}”`);
    return `- ${introduced(sage)}: you speak of ${listed(shared)}`;
  });
  return ['By their descriptions, these would probably sit:', ...lines].join('\n');
}

/** The name with the description up to its semicolon: `Incentives and trade-offs; for prices, …`. */
function introduced({ name, description }: Sage): string {
  const [view = '', use] = description.split(';', 2);
  const shown = use === undefined ? '' : ` (${inlineMarkdown(view)})`;
  return `${inlineMarkdown(name)}${shown}`;
}

/** The words of a text by stem, without stop words. */
function wordsOf(text: string, { stopWords, stem }: Language): ReadonlyMap<string, string> {
  const words =
    text
      .slice(0, maxTextChars)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  const telling = words.filter((word) => word.length >= minWordChars && !stopWords.has(word));
  return new Map(telling.map((word) => [stem(word), word]));
}
