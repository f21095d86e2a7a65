/**
 * The kinds of values that a channel's settings can have. A value may come from a menu, a modal or
 * a line that somebody typed, so each kind takes words as well. The message of each schema says
 * what is expected.
 */

import { z } from 'zod';
import type { SettingChoice, SettingInput } from './setting-field.ts';

export interface SettingKind<Value> {
  /** Takes what is given or stored; its error says what is expected, after the word "Expected:". */
  readonly schema: z.ZodType<Value>;
  /** How a form asks for it. */
  input(value: Value): SettingInput;
  /** As people read it. */
  shown(value: Value): string;
}

/** Something to pick. */
export function choice<const Word extends string>(
  value: Word,
  label: string,
  description: string,
): SettingChoice & { readonly value: Word } {
  return { value, label, description };
}

/** What nothing at all stands for: an empty field of a form, a menu in which nothing is picked. */
function isNothing(given: unknown): boolean {
  return (
    (typeof given === 'string' && given.trim() === '') ||
    (Array.isArray(given) && given.length === 0)
  );
}

function said(given: unknown): unknown {
  return typeof given === 'string' ? given.trim().toLowerCase() : given;
}

/**
 * One of a few words.
 *
 * @param formerly - Words that were chosen before, and what they stand for now.
 */
export function oneOf<const Word extends string>(
  choices: readonly (SettingChoice & { readonly value: Word })[],
  formerly: Readonly<Record<string, NoInfer<Word>>> = {},
): SettingKind<Word> {
  const error = `one of ${choices.map(({ value }) => value).join(', ')}`;
  const words = choices.map(({ value }) => value);
  return {
    schema: z.preprocess(
      (given) => {
        const word = firstOf(given);
        return new Map<unknown, unknown>(Object.entries(formerly)).get(word) ?? word;
      },
      z.enum(words, { error }),
    ),
    input: (chosen) => ({ kind: 'choice', choices, chosen }),
    shown: (value) => value,
  };
}

/** Menus give lists, also where one thing is picked. */
function firstOf(given: unknown): unknown {
  const only = Array.isArray(given) && given.length === 1 ? given[0] : given;
  return typeof only === 'string' ? only.trim() : only;
}

/** Several of a few words, or `whenNone`. */
export function severalOf<const WhenNone extends string>(
  choices: readonly SettingChoice[],
  { most, whenNone }: { readonly most: number; readonly whenNone: WhenNone },
): SettingKind<WhenNone | readonly string[]> {
  const known = choices.map(({ value }) => value);
  const error = `${whenNone}, or at most ${most} of ${known.join(', ')}`;
  const keys = z
    .array(z.enum(known, { error }), { error })
    .min(1, { error })
    .max(most, { error })
    .refine((list) => new Set(list).size === list.length, {
      error: `${error}, each of them once`,
    })
    .readonly();
  return {
    schema: z.preprocess(
      (given) => listOf(given, whenNone),
      z.union([z.literal(whenNone), keys], { error }),
    ),
    input: (value) => ({
      kind: 'choices',
      choices,
      chosen: typeof value === 'string' ? [] : value,
      most,
      whenNone,
    }),
    shown: (value) => (typeof value === 'string' ? value : value.join(', ')),
  };
}

/** As {@link wordsOrNone}, in small letters, as keys are. */
function listOf(given: unknown, whenNone: string): unknown {
  return wordsOrNone(typeof given === 'string' ? given.toLowerCase() : given, whenNone);
}

/** `a, b` as `['a', 'b']`; nothing, or the word for it, as `whenNone`. */
function wordsOrNone(given: unknown, whenNone: string): unknown {
  if (isNothing(given) || said(given) === whenNone) return whenNone;
  if (typeof given !== 'string') return given;
  return given.split(/[\s,]+/).filter((word) => word !== '');
}

export interface NumberRange {
  /** Included. */
  readonly minimum: number;
  /** Included. */
  readonly maximum: number;
  readonly isWhole: boolean;
  readonly unit: string;
}

/** A number within bounds. */
export function numberFrom(range: NumberRange): SettingKind<number> {
  return {
    schema: z.preprocess(numberIn, numberSchema(range, expectedNumber(range))),
    input: (chosen) => ({ kind: 'number', ...range, chosen }),
    shown: (value) => `${value}`,
  };
}

/**
 * A number within bounds, or the word for no limit.
 *
 * @param isNoneAllowed - Whether that word may be chosen; a value that says so already is still shown.
 * @param why - Besides, for whoever is refused, e.g. who has set the bounds.
 */
export function limitFrom<const WhenNone extends string>(
  range: NumberRange,
  whenNone: WhenNone,
  isNoneAllowed: boolean,
  why?: string,
): SettingKind<number | WhenNone> {
  const orNone = isNoneAllowed ? `, or ${whenNone}` : '';
  const error = `${expectedNumber(range)}${orNone}${why === undefined ? '' : `. ${why}`}`;
  const number = z.preprocess(numberIn, numberSchema(range, error));
  return {
    schema: isNoneAllowed
      ? z.union([z.preprocess((given) => noneIn(given, whenNone), z.literal(whenNone)), number], {
          error,
        })
      : number,
    input: (value) => ({
      kind: 'number',
      ...range,
      ...(isNoneAllowed ? { whenNone } : {}),
      ...(typeof value === 'number' ? { chosen: value } : {}),
    }),
    shown: (value) => `${value}`,
  };
}

/** Nothing at all is the word for none. */
function noneIn(given: unknown, whenNone: string): unknown {
  return isNothing(given) ? whenNone : said(given);
}

function expectedNumber({ minimum, maximum, isWhole, unit }: NumberRange): string {
  return `a ${isWhole ? 'whole ' : ''}number from ${minimum} to ${maximum} (${unit})`;
}

function numberSchema({ minimum, maximum, isWhole }: NumberRange, error: string) {
  const number = isWhole ? z.int({ error }) : z.number({ error });
  return number.min(minimum, { error }).max(maximum, { error });
}

/** `$2.50` and `2.5` as 2.5; whatever is no number stays as it is, to be refused. */
function numberIn(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  const [digits] = /^\d{1,9}(?:\.\d{1,6})?$/.exec(given.trim().replace(/^\$\s*/, '')) ?? [];
  return digits === undefined ? given : Number(digits);
}

/** Some words on one line that fit a pattern, or the word for none. */
export function wordsOf<const WhenNone extends string>(
  pattern: RegExp,
  {
    maxChars,
    whenNone,
    expected,
  }: { readonly maxChars: number; readonly whenNone: WhenNone; readonly expected: string },
): SettingKind<string> {
  const error = `${expected}, or ${whenNone}`;
  return {
    schema: z.preprocess(
      (given) => (isNothing(given) || said(given) === whenNone ? whenNone : firstOf(given)),
      z.string({ error }).max(maxChars, { error }).regex(pattern, { error }),
    ),
    input: (chosen) => ({
      kind: 'text',
      maxChars,
      chosen: chosen === whenNone ? '' : chosen,
      whenNone,
    }),
    shown: (value) => value,
  };
}

/** How chat platforms write somebody's id, as a mention or alone, e.g. `<@U024BE7LH|ann>`. */
const personId = /^(?:<@!?)?([A-Za-z0-9]{1,40})(?:\|[^>]*)?>?$/;

/** Some people by their ids, or the word for none. */
export function peopleUpTo<const WhenNone extends string>(
  most: number,
  whenNone: WhenNone,
): SettingKind<WhenNone | readonly string[]> {
  const error = `${whenNone}, or the ids of at most ${most} people, as the platform writes them, e.g. U024BE7LH`;
  const ids = z
    .array(z.string({ error }).regex(personId, { error }), { error })
    .transform((list) => [...new Set(list.map((id) => id.replace(personId, '$1')))])
    .pipe(z.array(z.string()).min(1, { error }).max(most, { error }))
    .readonly();
  return {
    schema: z.preprocess(
      (given) => wordsOrNone(given, whenNone),
      z.union([z.literal(whenNone), ids], { error }),
    ),
    input: (value) => ({
      kind: 'people',
      chosen: typeof value === 'string' ? [] : value,
      most,
      whenNone,
    }),
    shown: (value) => (typeof value === 'string' ? value : value.join(', ')),
  };
}

const yesWords: ReadonlySet<unknown> = new Set(['yes', 'true', 'on']);
const noWords: ReadonlySet<unknown> = new Set(['no', 'false', 'off']);

/** @param whyNeverYes - Given, only `no` is taken, and this says why. */
export function yesOrNo(whyNeverYes?: string): SettingKind<boolean> {
  const error = whyNeverYes ? `no. ${whyNeverYes}` : 'yes or no';
  const value = whyNeverYes ? z.literal(false, { error }) : z.boolean({ error });
  return {
    schema: z.preprocess((given) => {
      const word = said(firstOf(given));
      if (yesWords.has(word)) return true;
      return noWords.has(word) ? false : given;
    }, value),
    input: (chosen) => ({ kind: 'yes_or_no', chosen }),
    shown: (chosen) => (chosen ? 'yes' : 'no'),
  };
}
