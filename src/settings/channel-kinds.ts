/**
 * The kinds of values that a channel's setting can have. Values come from menus, modals and typed lines,
 * so every kind also accepts text. Each schema's error says what is expected.
 */

import { z } from 'zod';
import { keysIn } from '../domain/asking.ts';
import type { Sage } from '../domain/turn.ts';
import { sageNamed } from '../domain/words.ts';
import type { NumberRange, SettingChoice, SettingInput } from './setting-field.ts';

export interface SettingKind<Value> {
  /** Parses submitted and stored values. Its error follows the word "Expected:". */
  readonly schema: z.ZodType<Value>;
  /** The form field. */
  input(value: Value): SettingInput;
}

/** Formats a value for people. @param nameOf - Names the entries of a list. Default: as they are. */
export function valueInWords(
  value: string | number | boolean | readonly string[],
  nameOf = (entry: string) => entry,
): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? value.map(nameOf).join(', ') : `${value}`;
}

/** An option of a menu. */
export function choice<const Word extends string>(
  value: Word,
  label: string,
  description: string,
): SettingChoice & { readonly value: Word } {
  return { value, label, description };
}

/** One of a few words. */
export function oneOf<const Word extends string>(
  choices: readonly (SettingChoice & { readonly value: Word })[],
): SettingKind<Word> {
  const words = choices.map(({ value }) => value);
  return {
    schema: z.preprocess(single, z.enum(words, { error: `one of ${words.join(', ')}` })),
    input: (chosen) => ({ kind: 'choice', choices, chosen }),
  };
}

/** A list of sages, or `whenNone`. Text may have their keys or names. */
export function severalOf<const WhenNone extends string>(
  choices: readonly SettingChoice[],
  { most, whenNone }: { readonly most: number; readonly whenNone: WhenNone },
): SettingKind<WhenNone | readonly string[]> {
  const known = choices.map(({ value }) => value);
  const names = choices.map(({ label }) => label).join(', ');
  const error = `${whenNone}, or at most ${most} of ${names}`;
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
      orNone(whenNone, (given) => (typeof given === 'string' ? keysNamed(given, choices) : given)),
      z.union([z.literal(whenNone), keys], { error }),
    ),
    input: (value) => ({
      kind: 'choices',
      choices,
      chosen: typeof value === 'string' ? [] : value,
      most,
      whenNone,
    }),
  };
}

/** A number within bounds. */
export function numberFrom(range: NumberRange): SettingKind<number> {
  return {
    schema: numberSchema(range, expectedNumber(range)),
    input: (chosen) => ({ kind: 'number', ...range, chosen }),
  };
}

function expectedNumber({ minimum, maximum, isWhole, unit }: NumberRange): string {
  return `a ${isWhole ? 'whole ' : ''}number from ${minimum} to ${maximum} (${unit})`;
}

/** Also accepts text: `$2.50` and `2.5` are 2.5. */
function numberSchema({ minimum, maximum, isWhole }: NumberRange, error: string) {
  const number = isWhole ? z.int({ error }) : z.number({ error });
  return z.preprocess(
    (given) => {
      const text = typeof given === 'string' ? given.trim().replace(/^\$\s*/, '') : '';
      return /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : given;
    },
    number.min(minimum, { error }).max(maximum, { error }),
  );
}

/** One line of valid text, or `whenNone`. */
export function wordsOf<const WhenNone extends string>(
  fits: (words: string) => boolean,
  {
    maxChars,
    whenNone,
    expected,
  }: { readonly maxChars: number; readonly whenNone: WhenNone; readonly expected: string },
): SettingKind<string> {
  const error = `${expected}, or ${whenNone}`;
  return {
    schema: z.preprocess(
      orNone(whenNone, single),
      z.string({ error }).max(maxChars, { error }).refine(fits, { error }),
    ),
    input: (value) => ({
      kind: 'text',
      maxChars,
      chosen: value === whenNone ? '' : value,
      whenNone,
    }),
  };
}

/** A person's id, plain or as chat platforms write mentions, e.g. `<@U024BE7LH|ann>`. Names are none. */
export const personId =
  /^(?:<@!?)?([UW][A-Z]{8,39}|(?=\w*\d)[A-Za-z]?[A-Z0-9]{1,39})(?:\|[^>]*)?>?$/;

/** A list of people's ids, or `nobody`. */
export function peopleUpTo(most: number): SettingKind<'nobody' | readonly string[]> {
  const whenNone = 'nobody';
  const error = `${whenNone}, or the ids of at most ${most} people. A name is no id: type @ and pick each person from the list`;
  const ids = z
    .array(z.string({ error }).regex(personId, { error }), { error })
    .transform((list) => [...new Set(list.map((id) => id.replace(personId, '$1')))])
    .pipe(z.array(z.string()).min(1, { error }).max(most, { error }))
    .readonly();
  return {
    schema: z.preprocess(orNone(whenNone, wordsIn), z.union([z.literal(whenNone), ids], { error })),
    input: (value) => ({
      kind: 'people',
      chosen: typeof value === 'string' ? [] : value,
      most,
      whenNone,
    }),
  };
}

/** Whole numbers with inclusive bounds. */
export function wholeFrom(minimum: number, maximum: number, unit: string): NumberRange {
  return { minimum, maximum, isWhole: true, unit };
}

/**
 * A number within bounds, or `unlimited`. The operator's limit can be lowered but not raised.
 *
 * @param limit - The operator's.
 * @param why - Why it can't be raised, for people.
 */
export function limitedBy(
  limit: number | 'unlimited',
  range: NumberRange,
  why?: string,
): SettingKind<number | 'unlimited'> {
  const isUnlimited = limit === 'unlimited';
  const bounds = isUnlimited
    ? range
    : { ...range, minimum: Math.min(range.minimum, limit), maximum: limit };
  const orWord = isUnlimited ? ', or unlimited' : '';
  const error = `${expectedNumber(bounds)}${orWord}${why === undefined || isUnlimited ? '' : `. ${why}`}`;
  const number = numberSchema(bounds, error);
  return {
    schema: isUnlimited
      ? z.preprocess(
          orNone('unlimited', (given) => given),
          z.union([z.literal('unlimited'), number], { error }),
        )
      : number,
    // A stored `unlimited` is shown as an empty field even where it can't be chosen.
    input: (value) => ({
      kind: 'number',
      ...bounds,
      ...(isUnlimited ? { whenNone: 'unlimited' } : {}),
      ...(typeof value === 'number' ? { chosen: value } : {}),
    }),
  };
}

const yesOrNoWords: ReadonlyMap<unknown, boolean> = new Map([
  ...['yes', 'true', 'on'].map((word) => [word, true] as const),
  ...['no', 'false', 'off'].map((word) => [word, false] as const),
]);

/** @param whyNeverYes - Why only `no` is accepted, for people. Absent: both are. */
export function yesOrNo(whyNeverYes?: string): SettingKind<boolean> {
  const error = whyNeverYes ? `no. ${whyNeverYes}` : 'yes or no';
  return {
    schema: z.preprocess(
      (given) => yesOrNoWords.get(normalized(single(given))) ?? given,
      whyNeverYes ? z.literal(false, { error }) : z.boolean({ error }),
    ),
    input: (chosen) => ({ kind: 'yes_or_no', chosen }),
  };
}

export function sageChoice(sage: Pick<Sage, 'key' | 'name' | 'description'>) {
  return choice(sage.key, sage.name, sage.description);
}

/** @param model - `provider:model`. */
export function modelChoice(model: string) {
  return { value: model, label: model };
}

/** Reads an empty field or menu as `whenNone`. */
function orNone(whenNone: string, read: (given: unknown) => unknown) {
  return (given: unknown): unknown => {
    const isEmpty = normalized(given) === '' || (Array.isArray(given) && given.length === 0);
    return isEmpty || normalized(given) === whenNone ? whenNone : read(given);
  };
}

function normalized(given: unknown): unknown {
  return typeof given === 'string' ? given.trim().toLowerCase() : given;
}

/** Unwraps a list of one, which menus return even for a single choice. */
function single(given: unknown): unknown {
  const only = Array.isArray(given) && given.length === 1 ? given[0] : given;
  return typeof only === 'string' ? only.trim() : only;
}

/** The keys in a list of keys and names. Commas or spaces separate keys; commas, names. */
function keysNamed(list: string, choices: readonly SettingChoice[]): readonly string[] {
  const sages = choices.map(({ value, label }) => ({ key: value, name: label }));
  const keyOf = (named: string) => sageNamed(named, sages)?.key;
  return keysIn(list).flatMap(
    (part) => keyOf(part) ?? part.split(/\s+/).map((word) => keyOf(word) ?? word),
  );
}

/** Splits `a, b` into `['a', 'b']`. */
function wordsIn(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  return given.split(/[\s,]+/).filter((word) => word !== '');
}
