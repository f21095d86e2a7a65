/** What `marked` lacks for models’ Markdown: formulas in TeX, bold in scripts without spaces, and lines that still grow. */

import { spacelessSigns } from './words.ts';

/**
 * A formula at the start of a text: `\(…\)`, `\[ … \]`, `$$…$$`, or `$…$` with a backslash in it, which no amounts of
 * money have. Bounded, because a text may begin many that never end.
 */
const formula =
  /^(?:\\\([^\n]{1,500}?\\\)|\\\[\s[\s\S]{1,2000}?\\\]|\$\$[^$]{1,2000}\$\$|\$(?=[^\s$])[^\n$]{0,500}\\[^\n$]{0,500}(?<![\s\\])\$(?!\d))/;

/** An extension of `marked` that leaves formulas as they were written: Markdown would drop their backslashes. */
export const formulasAsWritten = {
  name: 'formula',
  level: 'inline' as const,
  start: (text: string) => text.indexOf('$'),
  tokenizer(text: string) {
    const [raw] = formula.exec(text) ?? [];
    return raw === undefined ? undefined : { type: 'text', raw, text: raw, escaped: false };
  },
};

const spaceless = new RegExp(`[${spacelessSigns}]`, 'u');
const bold = String.raw`\*\*(?=[^\s*])((?:[^*\n\x60]|\x60[^\x60\n]*\x60){1,500}?)(?<=\S)\*\*(?!\*)(?=(.?))`;
const boldAtStart = new RegExp(`^${bold}`, 'su');
const boldAnywhere = new RegExp(`(?<=(.?))${bold}`, 'gsu');
const besideMark = /^[\p{P}\p{S}]|[\p{P}\p{S}]$/u;

/** Finds bold beside punctuation where no spaces stand between words, as in `**はい。**次に`: by CommonMark, it isn't bold. */
export function emStrong<Token>(
  this: { readonly lexer: { inlineTokens(text: string): Token[] } },
  source: string,
) {
  const [, text = '', after = ''] = boldAtStart.exec(source) ?? [];
  if (!besideMark.test(text) || !spaceless.test(text + after)) return false;
  const tokens = this.lexer.inlineTokens(text);
  return { type: 'strong' as const, raw: `**${text}**`, text, tokens };
}

/** Sets such bold apart by spaces, for a platform that reads Markdown itself. @param prose - Without code. */
export function spacedBold(prose: string): string {
  return prose.replace(boldAnywhere, (raw, before: string, text: string, after: string) => {
    if (!spaceless.test(before + text + after)) return raw;
    const left = /^[\p{L}\p{M}\p{N}]\*\*[\p{P}\p{S}]/u.test(before + raw) ? ' ' : '';
    const right = /[\p{P}\p{S}]\*\*[\p{L}\p{M}\p{N}]$/u.test(raw + after) ? ' ' : '';
    return left + raw + right;
  });
}

const closedMarks = /(`+|\*\*|(?<!\*)\*(?!\*)|__|(?<!_)_(?!_))(?=\S).*?\1/g;
const openMark = /(?<![\w\\*])\*\*(?=\S)|(?<![\p{L}\p{N}\\*])(?:`+$|(?:\*|__?)(?=\S))/gu;

/** The marks that close the bold, emphasis and code that a line leaves open. @param line - Up to 2,000 characters. */
export function missingMarks(line: string): string {
  const unclosed = line.replace(closedMarks, '').replace(/(`+).*/, '$1');
  return (unclosed.match(openMark) ?? []).toReversed().join('');
}
