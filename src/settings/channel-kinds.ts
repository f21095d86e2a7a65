/**
 * The kinds of values a channel's setting can have. A value may come from a menu, a modal or a typed
 * line, so every kind also reads words. The error of each schema says what is expected.
 */

import { z } from 'zod';
import type { SettingChoice, SettingInput } from './setting-field.ts';

export interface SettingKind<Value> {
  /** Reads what was given or stored; its error follows the word "Expected:". */
  readonly schema: z.ZodType<Value>;
  /** How a form asks for it. */
  input(value: Value): SettingInput;
}

/** A value as people read it. */
export function valueInWords(value: string | number | boolean | readonly string[]): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? value.join(', ') : `${value}`;
}

/** Something to pick. */
export function choice<const Word extends string>(
  value: Word,
  label: string,
  description: string,
): SettingChoice & { readonly value: Word } {
  return { value, label, description };
}

/**
 * One of a few words.
 *
 * @param formerly - Words of earlier versions, and what they mean now.
 */
export function oneOf<const Word extends string>(
  choices: readonly (SettingChoice & { readonly value: Word })[],
  formerly: Readonly<Record<string, NoInfer<Word>>> = {},
): SettingKind<Word> {
  const words = choices.map(({ value }) => value);
  const known = new Map<unknown, unknown>(Object.entries(formerly));
  return {
    schema: z.preprocess(
      (given) => known.get(firstOf(given)) ?? firstOf(given),
      z.enum(words, { error: `one of ${words.join(', ')}` }),
    ),
    input: (chosen) => ({ kind: 'choice', choices, chosen }),
  };
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
      // In small letters, as keys are.
      orNone(whenNone, (given) => wordsIn(typeof given === 'string' ? given.toLowerCase() : given)),
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
    schema: numberSchema(range, expectedNumber(range)),
    input: (chosen) => ({ kind: 'number', ...range, chosen }),
  };
}

/**
 * A number within bounds, or the word for no limit.
 *
 * @param isNoneAllowed - Whether that word can be chosen; a stored one is shown in any case.
 * @param why - Added to the error, e.g. who set the bounds.
 */
export function limitFrom<const WhenNone extends string>(
  range: NumberRange,
  whenNone: WhenNone,
  isNoneAllowed: boolean,
  why?: string,
): SettingKind<number | WhenNone> {
  const orWord = isNoneAllowed ? `, or ${whenNone}` : '';
  const error = `${expectedNumber(range)}${orWord}${why === undefined ? '' : `. ${why}`}`;
  const number = numberSchema(range, error);
  return {
    schema: isNoneAllowed
      ? z.preprocess(
          orNone(whenNone, (given) => given),
          z.union([z.literal(whenNone), number], { error }),
        )
      : number,
    input: (value) => ({
      kind: 'number',
      ...range,
      ...(isNoneAllowed ? { whenNone } : {}),
      ...(typeof value === 'number' ? { chosen: value } : {}),
    }),
  };
}

function expectedNumber({ minimum, maximum, isWhole, unit }: NumberRange): string {
  return `a ${isWhole ? 'whole ' : ''}number from ${minimum} to ${maximum} (${unit})`;
}

/** Takes `$2.50` and `2.5` for 2.5. */
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

/** Some words on one line that fit, or the word for none. */
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
      orNone(whenNone, firstOf),
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

/** How chat platforms write a person's id, as a mention or alone, e.g. `<@U024BE7LH|ann>`. */
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
    schema: z.preprocess(orNone(whenNone, wordsIn), z.union([z.literal(whenNone), ids], { error })),
    input: (value) => ({
      kind: 'people',
      chosen: typeof value === 'string' ? [] : value,
      most,
      whenNone,
    }),
  };
}

/** Whole numbers, both bounds included. */
export function wholeFrom(minimum: number, maximum: number, unit: string): NumberRange {
  return { minimum, maximum, isWhole: true, unit };
}

/**
 * An operator's limit can be lowered, not raised.
 *
 * @param why - Why not, for people.
 */
export function limitedBy(
  fallback: number | 'unlimited',
  range: NumberRange,
  why?: string,
): SettingKind<number | 'unlimited'> {
  if (fallback === 'unlimited') return limitFrom(range, 'unlimited', true);
  const minimum = Math.min(range.minimum, fallback);
  return limitFrom({ ...range, minimum, maximum: fallback }, 'unlimited', false, why);
}

const yesOrNoWords: ReadonlyMap<unknown, boolean> = new Map([
  ...['yes', 'true', 'on'].map((word) => [word, true] as const),
  ...['no', 'false', 'off'].map((word) => [word, false] as const),
]);

/** @param whyNeverYes - With it only `no` is accepted, and this says why. */
export function yesOrNo(whyNeverYes?: string): SettingKind<boolean> {
  const error = whyNeverYes ? `no. ${whyNeverYes}` : 'yes or no';
  return {
    schema: z.preprocess(
      (given) => yesOrNoWords.get(said(firstOf(given))) ?? given,
      whyNeverYes ? z.literal(false, { error }) : z.boolean({ error }),
    ),
    input: (chosen) => ({ kind: 'yes_or_no', chosen }),
  };
}

export function sageChoice(sage: { readonly [Part in 'key' | 'name' | 'description']: string }) {
  return choice(sage.key, sage.name, sage.description);
}

/** @param model - `provider:model`. */
export function modelChoice(model: string) {
  return { value: model, label: model };
}

/** Whose links are followed. */
export const linkReaders = [
  choice('members', 'Members', 'Not those of people of other workspaces'),
  choice('everyone', 'Everyone', 'Also those of guests from other workspaces'),
  choice('nobody', 'Nobody', 'No link is followed'),
];

/** An empty field or menu means the word for none, like the word itself. */
function orNone(whenNone: string, read: (given: unknown) => unknown) {
  return (given: unknown): unknown => {
    const isNothing = said(given) === '' || (Array.isArray(given) && given.length === 0);
    return isNothing || said(given) === whenNone ? whenNone : read(given);
  };
}

function said(given: unknown): unknown {
  return typeof given === 'string' ? given.trim().toLowerCase() : given;
}

/** Menus return lists, even of one thing. */
function firstOf(given: unknown): unknown {
  const only = Array.isArray(given) && given.length === 1 ? given[0] : given;
  return typeof only === 'string' ? only.trim() : only;
}

/** `a, b` as `['a', 'b']`. */
function wordsIn(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  return given.split(/[\s,]+/).filter((word) => word !== '');
}
