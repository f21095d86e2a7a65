/** Words of a text, cut to stems that tell whether two texts speak of the same thing. English. */

/** A word that carries meaning. */
export interface Word {
  /** As it stands in the text, in lower case. */
  readonly text: string;
  readonly stem: string;
}

const longestWordChars = 32;

const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all also am among an and any anybody anyone anything are as at away
  back be became because been before being below best better between both but by came can cannot come could
  did do does doing done down each either else enough especially etc even ever every everybody everyone
  everything far few find first for from further gave get gets getting give given gives go goes going gone
  good got had has have having he her here hers him his how however i if in instead into is it its just keep
  kind know known last least less let like likely look looks lot made make makes making many may maybe me
  mean means might mine more most much must my myself need never new next no nobody none nor not nothing now
  of off often on once one only or other others our ours out over own part people perhaps please put question
  quite rather really right said same say says see seem seen shall she should since so some somebody someone
  something still such sure take taken than that the their them then there these they thing things think this
  those though three through thus to together told too took toward two under until up upon us use used useful
  very want wants was way we well went were what whatever when where whether which while who whoever whole whom
  whose why will with within without would write wrote yes yet you your yours yourself`.split(
    /\s+/,
  ),
);

const endings = ['ments', 'ment', 'ings', 'ing', 'ies', 'ied', 'ed', 'es', 'ly', 's', 'e', 'y'];

/** Cuts the commonest English endings off; what is left has at least three characters. */
export function stem(word: string): string {
  for (const ending of endings) {
    if (word.endsWith(ending) && word.length - ending.length >= 3)
      return word.slice(0, -ending.length);
  }
  return word;
}

/**
 * The words that carry meaning, each stem once, in the order of the text. Linear in the text.
 *
 * @param limit - Stops after so many.
 */
export function contentWords(text: string, limit = Number.POSITIVE_INFINITY): Word[] {
  const words = new Map<string, Word>();
  for (const [match] of text.matchAll(/[\p{L}\p{N}]+(?:[-'’]\p{L}+)*/gu)) {
    if (/n['’]t$/i.test(match)) continue;
    const word = match
      .toLowerCase()
      .replace(/['’]\p{L}+$/u, '')
      .slice(0, longestWordChars);
    if (word.length < 3 || stopWords.has(word)) continue;
    const stemmed = stem(word);
    if (!words.has(stemmed)) words.set(stemmed, { text: word, stem: stemmed });
    if (words.size >= limit) break;
  }
  return [...words.values()];
}

/** The stems of {@link contentWords}, for membership. */
export function contentStems(text: string): Set<string> {
  return new Set(contentWords(text).map((word) => word.stem));
}

/** “a”, “b” and “c”, in quotation marks. */
export function quoted(texts: readonly string[]): string {
  return listed(texts.map((text) => `“${text}”`));
}

/** a, b and c. */
export function listed(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} and ${last}`;
}

/** Sentences of a text, headings and list items counted as such, without Markdown marks. Linear. */
export function sentences(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*+>#]+|\d{1,2}[.)])\s+/, '').replaceAll(/[*_`]/g, ''))
    .join('\n')
    .split(/(?<=[.!?…][”"’)]?)\s+|\n\s*\n/)
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '');
}
