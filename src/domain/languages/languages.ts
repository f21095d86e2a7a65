/** Which language the council's own words in the posts of a turn are in. */

import { listed, plainLetters, wordsIn } from '../words.ts';
import arabic from './arabic.json' with { type: 'json' };
import chinese from './chinese.json' with { type: 'json' };
import dutch from './dutch.json' with { type: 'json' };
import { english, type TurnWords } from './english.ts';
import french from './french.json' with { type: 'json' };
import german from './german.json' with { type: 'json' };
import hindi from './hindi.json' with { type: 'json' };
import italian from './italian.json' with { type: 'json' };
import japanese from './japanese.json' with { type: 'json' };
import korean from './korean.json' with { type: 'json' };
import polish from './polish.json' with { type: 'json' };
import portuguese from './portuguese.json' with { type: 'json' };
import russian from './russian.json' with { type: 'json' };
import spanish from './spanish.json' with { type: 'json' };
import turkish from './turkish.json' with { type: 'json' };
import ukrainian from './ukrainian.json' with { type: 'json' };

/** The words of a language as its file has them: `{0}`, `{1}` … stand where `english` has parameters. */
type Table<Words = TurnWords> = {
  readonly [Key in keyof Words]: Words[Key] extends (...given: never) => string
    ? string
    : Words[Key] extends string | readonly string[]
      ? Words[Key]
      : Table<Words[Key]>;
};

const tables: readonly Table[] = [
  ...[german, french, spanish, portuguese, italian, dutch, polish, turkish],
  ...[russian, ukrainian, arabic, hindi, japanese, korean, chinese],
];

export const languages: readonly TurnWords[] = [english, ...tables.map(wordsOf)];

function wordsOf(table: Table): TurnWords {
  const sentences = Object.entries(table).flatMap(([key, said]) => {
    const isSentence = typeof english[key as keyof TurnWords] === 'function';
    return isSentence ? [[key, (...given: unknown[]) => filled(String(said), given)]] : [];
  });
  return { ...table, ...Object.fromEntries(sentences) };
}

function filled(sentence: string, given: readonly unknown[]): string {
  return sentence.replace(/\{(\d)\}/g, (_mark, at) => String(given[Number(at)]));
}

/** Writes a number with a fixed number of decimals. */
export function decimal(value: number, decimals: number, { locale }: TurnWords): string {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return value.toLocaleString(locale, { ...digits, numberingSystem: 'latn' });
}

/** Lists names, at most `most`; English with “and”, other languages without a word that would need its own grammar. */
export function listedIn(words: TurnWords, names: readonly string[], most: number): string {
  if (words === english) return listed(names, most);
  const rest = names.length - most;
  const [, joint] = new Intl.ListFormat(words.locale).formatToParts(['1', '2', '3']);
  const shown = names.slice(0, most).join(joint?.value);
  return rest > 0 ? `${shown} +${rest}` : shown;
}

const byLocale = new Map(languages.map((words) => [words.locale, words]));
/** By what a question is known to be in each language. */
const signs = languages.map(({ locale, frequent, sure = '', letters }) => ({
  locale,
  // A sure word counts twice, and three times if it is frequent, too.
  lists: [frequent, sure, sure].map((words) => new Set(words.split(' '))),
  letters: letters === undefined ? undefined : new RegExp(letters, 'gu'),
}));

/** The words of a turn's posts. @param language - As the turn's request has it. */
export function turnWordsIn(language: string | undefined): TurnWords {
  return byLocale.get(language ?? '') ?? english;
}

/** More of a question says nothing new about its language. */
const sampleChars = 500;
/** A single word, however often it is repeated, may be a name, or quoted. */
const leastSigns = 2;

/**
 * The language for the words around a turn's answers, as a BCP 47 tag; English for any that has no words here.
 *
 * @param setting - Of the channel, e.g. `German`; `auto`: the question's language.
 * @returns `undefined` if the question's language is uncertain, such as a short one's.
 */
export function languageOf(setting: string, question: string): string | undefined {
  if (setting !== 'auto') {
    const set = setting.toLowerCase();
    const isSet = ({ names, locale }: TurnWords) =>
      names.some((name) => set.includes(name)) || set.split('-')[0] === locale.split('-')[0];
    return languages.find(isSet)?.locale ?? 'en';
  }
  const sample = plainLetters(question.slice(0, sampleChars));
  const said = [...new Set(wordsIn(sample).flatMap((word) => word.split(/['’]/)))];
  const found = signs.map(({ locale, lists, letters }) => {
    const words = lists.flatMap((list) => said.filter((word) => list.has(word))).length;
    return { locale, count: words + (letters ? new Set(sample.match(letters)).size : 0) };
  });
  const [first, second] = found.toSorted((one, other) => other.count - one.count);
  const isCertain = first && second && first.count >= leastSigns && first.count > second.count;
  return isCertain ? first.locale : undefined;
}
