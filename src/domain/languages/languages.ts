/** Which language the council's own words in the posts of a turn are in. */

import { listed, plainLetters, wordsIn } from '../words.ts';
import { arabic } from './arabic.ts';
import { chinese } from './chinese.ts';
import { dutch } from './dutch.ts';
import { english, type TurnWords } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { hindi } from './hindi.ts';
import { italian } from './italian.ts';
import { japanese } from './japanese.ts';
import { korean } from './korean.ts';
import { polish } from './polish.ts';
import { portuguese } from './portuguese.ts';
import { russian } from './russian.ts';
import { spanish } from './spanish.ts';
import { turkish } from './turkish.ts';
import { ukrainian } from './ukrainian.ts';

export const languages: readonly TurnWords[] = [
  ...[english, german, french, spanish, portuguese, italian, dutch, polish, turkish],
  ...[russian, ukrainian, arabic, hindi, japanese, korean, chinese],
];

/** Writes a number with a fixed number of decimals. */
export function decimal(value: number, decimals: number, { locale }: TurnWords): string {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return value.toLocaleString(locale, { ...digits, numberingSystem: 'latn' });
}

/** Lists names, at most `most`; English with “and”, other languages without a word that would need its own grammar. */
export function listedIn(words: TurnWords, names: readonly string[], most: number): string {
  if (words === english) return listed(names, most);
  const rest = names.length - most;
  return rest > 0 ? `${names.slice(0, most).join(', ')} +${rest}` : names.join(', ');
}

const byLocale = new Map(languages.map((words) => [words.locale, words]));
const frequent = languages.map(({ frequent: all }) => new Set(all.split(' ')));

/** The words of a turn's posts. @param language - As the turn's request has it. */
export function turnWordsIn(language: string | undefined): TurnWords {
  return byLocale.get(language ?? '') ?? english;
}

/** More of a question says nothing new about its language. */
const sampleChars = 500;
/** A single word may be a name, or quoted. */
const leastSigns = 2;

/**
 * The language for the words around a turn's answers, as a BCP 47 tag; English for any that has no words here.
 *
 * @param setting - Of the channel, e.g. `German`; `auto`: the question's language, or English if that is uncertain.
 */
export function languageOf(setting: string, question: string): string {
  if (setting !== 'auto') {
    const set = setting.toLowerCase();
    return languages.find(({ names }) => names.some((name) => set.includes(name)))?.locale ?? 'en';
  }
  const sample = plainLetters(question.slice(0, sampleChars));
  const said = wordsIn(sample).flatMap((word) => word.split(/['’]/));
  const signs = languages.map(({ locale, letters }, index) => {
    const words = said.filter((word) => frequent[index]?.has(word)).length;
    return { locale, count: words + (letters ? (sample.match(letters)?.length ?? 0) : 0) };
  });
  const [first, second] = signs.toSorted((one, other) => other.count - one.count);
  const isCertain = first && second && first.count >= leastSigns && first.count > second.count;
  return isCertain ? first.locale : 'en';
}
