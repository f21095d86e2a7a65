/** Formulas in TeX, which models write among Markdown. */

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
