/** Bold beside punctuation where no spaces stand between words, as in `**はい。**次に`: by CommonMark, it isn't bold. */

/** Scripts that put no spaces between words, or none before particles, and their punctuation, for a pattern’s class. */
export const spacelessSigns = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\uff01-\uff65`;
const spaceless = new RegExp(`[${spacelessSigns}]`, 'u');
const bold = String.raw`\*\*(?=[^\s*])((?:[^*\n\x60]|\x60[^\x60\n]*\x60){1,500}?)(?<=\S)\*\*(?!\*)(?=(.?))`;
const boldAtStart = new RegExp(`^${bold}`, 'su');
const boldAnywhere = new RegExp(`(?<=(.?))${bold}`, 'gsu');
const beginsWithMark = /^[\p{P}\p{S}]/u;
const endsWithMark = /[\p{P}\p{S}]$/u;
const letter = /[\p{L}\p{M}\p{N}]/u;

/** A tokenizer of `marked` that finds such bold too. */
export function emStrong<Token>(
  this: { readonly lexer: { inlineTokens(text: string): Token[] } },
  source: string,
) {
  const [, text = '', after = ''] = boldAtStart.exec(source) ?? [];
  const isBesideMark = beginsWithMark.test(text) || endsWithMark.test(text);
  if (!isBesideMark || !spaceless.test(text + after)) return false;
  const tokens = this.lexer.inlineTokens(text);
  return { type: 'strong' as const, raw: `**${text}**`, text, tokens };
}

/** Sets such bold apart by spaces, for a platform that reads Markdown itself. @param prose - Without code. */
export function spacedBold(prose: string): string {
  return prose.replace(boldAnywhere, (raw, before: string, text: string, after: string) => {
    if (!spaceless.test(before + text + after)) return raw;
    const left = beginsWithMark.test(text) && letter.test(before) ? ' ' : '';
    return left + raw + (endsWithMark.test(text) && letter.test(after) ? ' ' : '');
  });
}
