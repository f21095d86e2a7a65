/** Finds the dates that a question names: days, months and years, in its language. */

import { isSpaceless, type Language } from './language.ts';

/** The named parts of a date; at least one. */
export interface NamedDate {
  readonly year?: number;
  /** From 1. */
  readonly month?: number;
  readonly day?: number;
}

/** The score of a message from the named month but another day. */
const sameMonth = 0.5;

const maxQuestionChars = 2000;
const yearFirst = /(?<!\d)(\d{4})[-./](\d{1,2})(?:[-./](\d{1,2}))?(?!\d)/g;
const yearLast = /(?<!\d)(\d{1,2})[-./](\d{1,2})[-./](\d{4})(?!\d)/g;
const eastAsian = /(?:(\d{4})\s*年\s*)?(\d{1,2})\s*月(?:\s*(\d{1,2})\s*日)?/g;
const pieces = /\d+|[\p{L}\p{M}]+/gu;
const years = [1900, 2199] as const;
const days = [1, 31] as const;
/** How many words a day may precede its month, and a year follow it: `the 4th of May`, `4 de mayo de 2025`. */
const maxDistance = 3;

/** @param text - Read up to 2,000 characters. */
export function datesIn(text: string, language: Language): readonly NamedDate[] {
  const months = monthsOf(language);
  const dates: NamedDate[] = [];
  let left = text.slice(0, maxQuestionChars).normalize('NFKC');
  const take = (pattern: RegExp, read: (...parts: number[]) => NamedDate) => {
    left = left.replace(pattern, (_, ...[one, two, three]: readonly unknown[]) => {
      dates.push(read(Number(one), Number(two), Number(three)));
      return ' ';
    });
  };
  take(yearFirst, dateOf);
  take(yearLast, (one, two, year) =>
    months.isFirst && one <= 12 ? dateOf(year, one, two) : dateOf(year, two, one),
  );
  take(eastAsian, dateOf);
  const words = [...left.matchAll(pieces)].map(([word]) => word);
  const used = new Set<number>();
  const numberAmong = (indices: readonly number[], [least, most]: typeof years | typeof days) => {
    const isOne = (at: number) => {
      const value = Number(words[at]);
      return !used.has(at) && value >= least && value <= most;
    };
    const at = indices.find(isOne);
    if (at === undefined) return Number.NaN;
    used.add(at);
    return Number(words[at]);
  };
  const named = words.map((word, at) => months.of(word, at));
  for (const [at, month] of named.entries()) {
    if (month === undefined) continue;
    const next = named.findIndex((other, index) => index > at && other !== undefined);
    const before = Array.from({ length: maxDistance }, (_, away) => at - 1 - away);
    const after = Array.from({ length: maxDistance + 1 }, (_, away) => at + 1 + away);
    const day = numberAmong([...before, at + 1], days);
    const year = numberAmong(
      after.filter((index) => next < 0 || index < next),
      years,
    );
    dates.push(dateOf(year, month, day));
  }
  for (const [at, word] of words.entries()) {
    const year = word.length === 4 ? numberAmong([at], years) : Number.NaN;
    if (!Number.isNaN(year)) dates.push({ year });
  }
  return dates;
}

/** @returns How well a moment (milliseconds since 1970) fits a date, from 0 to 1; in UTC, as in prompts. */
export function fits({ year, month, day }: NamedDate, at: number): number {
  const date = new Date(at);
  if (year !== undefined && year !== date.getUTCFullYear()) return 0;
  if (month !== undefined && month !== date.getUTCMonth() + 1) return 0;
  return day === undefined || day === date.getUTCDate() ? 1 : sameMonth;
}

/** Leaves out parts that are not a number. */
function dateOf(year: number, month: number, day: number): NamedDate {
  return {
    ...(!Number.isNaN(year) && { year }),
    ...(!Number.isNaN(month) && { month }),
    ...(!Number.isNaN(day) && { day }),
  };
}

interface Months {
  /** Whether the language writes the month before the day. */
  readonly isFirst: boolean;
  /** From 1; `undefined` for a word that is not a month. */
  of(word: string, at: number): number | undefined;
}

const known = new Map<string, Months>();

function monthsOf(language: Language): Months {
  const months = known.get(language.name) ?? readMonths(language);
  known.set(language.name, months);
  return months;
}

/** Recognises months by their stems: many languages inflect them beside a day or after `in`. */
function readMonths({ locale, stem, stopWords }: Language): Months {
  const inDates = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
  const alone = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' });
  const byStem = new Map<string, number>();
  const spaceless: (readonly [name: string, month: number])[] = [];
  for (let month = 1; month <= 12; month += 1) {
    const moment = Date.UTC(2024, month - 1, 1);
    const beside = inDates.formatToParts(moment).find(({ type }) => type === 'month')?.value ?? '';
    for (const name of [beside, alone.format(moment)]) {
      if (isSpaceless(name)) spaceless.unshift([name, month]);
      else byStem.set(stem(name.toLowerCase()), month);
    }
  }
  const parts = inDates.formatToParts(0).map(({ type }) => type);
  return {
    isFirst: parts.indexOf('month') < parts.indexOf('day'),
    of: (word, at) => {
      if (isSpaceless(word)) return spaceless.find(([name]) => word.includes(name))?.[1];
      const plain = word.toLowerCase();
      // A stop word such as "may" is a month only if capitalised, and not as the first word.
      if (stopWords.has(plain) && (at === 0 || word === plain)) return undefined;
      return byStem.get(stem(plain));
    },
  };
}
