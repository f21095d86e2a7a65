/** Counts the tokens of a text before a model does. */

/** Counts the tokens of a text. */
export interface TokenCounter {
  /** Name of the tokenizer, e.g. `o200k_base`, or `approximation`. */
  readonly name: string;
  count(text: string): number;
}

const letters = { latin: 4, other: 2 } as const;
const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
const beyondLatin = /[\u0250-\u{10ffff}]/gu;

/**
 * For models whose tokenizer is unknown: a token for 4 Latin letters, for 2 of other alphabets, and
 * for each sign of Chinese, Japanese and Thai. Off by up to a third, and more often too high.
 */
export const approximateCounter: TokenCounter = {
  name: 'approximation',
  count: (text) => {
    const signs = text.match(spaceless)?.length ?? 0;
    const others = (text.match(beyondLatin)?.length ?? 0) - signs;
    const latin = text.length - signs - others;
    return Math.ceil(signs + others / letters.other + latin / letters.latin);
  },
};

/** A tokenizer takes the square of the length of what has no spaces in it; in pieces, each takes milliseconds. */
const pieces = /.{1,1000}(?=\s)|.{1,1000}/gsu;
/** What looks like a tokenizer's own mark is text like any other. */
const asText = { disallowedSpecial: new Set<string>() };

/**
 * The tokenizer of a model of OpenAI, also where OpenRouter offers it; {@link approximateCounter} for
 * every other. Of a text with a thousand characters and no space it may count a token too many for each
 * thousand.
 *
 * @param model - `provider:model`. The first one that is loaded takes about 0.4 s of CPU.
 */
export async function loadTokenCounter(model: string): Promise<TokenCounter> {
  const name = /^(?:openai:|openrouter:openai\/)(.+)$/.exec(model)?.[1];
  if (name === undefined) return approximateCounter;
  // GPT-4 and 3.5 are older than the present encoding; 4o, 4.1 and all after share it.
  const isOlder = /^gpt-(?:3\.5|4(?:-|$))/.test(name);
  const { countTokens } = isOlder
    ? await import('gpt-tokenizer/encoding/cl100k_base')
    : await import('gpt-tokenizer/encoding/o200k_base');
  return {
    name: isOlder ? 'cl100k_base' : 'o200k_base',
    count: (text) =>
      (text.match(pieces) ?? []).reduce((sum, piece) => sum + countTokens(piece, asText), 0),
  };
}
