/** Estimates the tokens of a text before a model counts them. */

const letters = { latin: 4, other: 2 } as const;
const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
const beyondLatin = /[\u0250-\u{10ffff}]/gu;

/**
 * About the tokens that a text is to a model: one for 4 Latin letters, for 2 of other alphabets, and for
 * each sign of Chinese, Japanese and Thai.
 *
 * Of what councils say in English and German it tells 0 to 13 % more than OpenAI's `o200k_base` counts,
 * in Spanish 4 % less, in Japanese 22 % more. The tokenizer itself would take 30 MB on the disk and 75 MB
 * of memory, and is one vendor's.
 */
export function estimateTokens(text: string): number {
  const signs = text.match(spaceless)?.length ?? 0;
  const others = (text.match(beyondLatin)?.length ?? 0) - signs;
  const latin = text.length - signs - others;
  return Math.ceil(signs + others / letters.other + latin / letters.latin);
}
