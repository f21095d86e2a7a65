/**
 * The kinds of values that a setting of `council.yaml` can have. Each error says what is expected, with an
 * example, and follows the words "is not".
 */

import { z } from 'zod';

/** A sage's key: the name of its file without `.md`. */
export const sageKey = pattern(
  /^[a-z0-9_]{1,64}$/,
  "a sage's key: lower-case letters, digits and _, at most 64 characters. Write e.g. marcus_aurelius",
);

/** `moderated`, or the keys of at least one sage. */
export function seatList() {
  const example = 'Write e.g. [marcus_aurelius, nassim_taleb]';
  const error = `a list with a sage in it. ${example}`;
  const keys = z.array(sageKey).min(1, { error }).readonly();
  return z.union([z.literal('moderated'), keys], {
    error: `moderated or a list of sage keys. ${example}`,
  });
}

/** `provider:model`, split at the first colon: `ollama:llama3.2:3b` is valid. */
export const modelName = pattern(
  /^[a-z][a-z0-9_-]*:[^\s:]\S*$/,
  'provider:model. Write e.g. openai:gpt-5',
);

/** The part of a `provider:model` before its first colon. */
export function providerOf(model: string): string {
  return model.slice(0, model.indexOf(':'));
}

/** Text that matches a pattern. `expected` follows the words "is not". */
export function pattern(expression: RegExp, expected: string) {
  return z.string({ error: expected }).regex(expression, { error: expected });
}

/** A whole number within inclusive bounds. */
export function wholeNumber(minimum: number, maximum: number, example: number) {
  const error = `a whole number from ${minimum} to ${maximum}. Write e.g. ${example}`;
  return z.int({ error }).min(minimum, { error }).max(maximum, { error });
}

/** A duration in milliseconds, up to one hour. The minimums catch values written in seconds by mistake. */
export function milliseconds(minimum: number, example: number) {
  const error = `a whole number of milliseconds from ${minimum} to 3600000. Write e.g. ${example}`;
  return z.int({ error }).min(minimum, { error }).max(3_600_000, { error });
}

/** An amount of money in US dollars above 0. */
export function dollars(example: number) {
  const error = `an amount in US dollars above 0. Write e.g. ${example}`;
  return z.number({ error }).positive({ error });
}

/** One of a few words. */
export function oneOf<const Word extends string>(words: readonly Word[]) {
  return z.enum(words, { error: `one of ${words.join(', ')}. Write e.g. ${words[0]}` });
}

/** One line of 1 to `maximumChars` characters without surrounding blanks. */
export function line(maximumChars: number, example: string) {
  const error = `one line of text of 1 to ${maximumChars} characters. Write e.g. ${example}`;
  return z
    .string({ error })
    .regex(/^\S(?:.*\S)?$/u, { error })
    .max(maximumChars, { error });
}

/** Whether the text is an IANA time zone, e.g. `Europe/Berlin` or `UTC`. Offsets are not. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The IANA name of a time zone. */
export function timeZone() {
  const error = 'the name of a time zone. Write e.g. Europe/Berlin';
  return z.string({ error }).refine(isTimeZone, { error });
}

/** Yes or no. */
export function yesOrNo() {
  return z.boolean({ error: 'true or false. Write e.g. true' });
}

/** The address of a web API, without user name, password, query and fragment, which can contain a key. */
export function baseUrl() {
  const error =
    'a plain http or https address; a key goes into the environment. Write e.g. https://api.openai.com/v1';
  return z.string({ error }).refine(isPlainWebAddress, { error });
}

/** Origins of web pages, in the form that browsers send. */
export function originList() {
  const origin = pattern(
    /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/,
    'the origin of a page: scheme, name in lower case and port, without a slash behind them. Write e.g. https://chat.example.org',
  );
  return z.array(origin, { error: 'a list of origins. Write e.g. [https://chat.example.org]' });
}

/** A group of settings. Unknown keys are errors. */
export function group<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: `a group of settings, one per line. Write e.g. ${Object.keys(shape)[0]}: …`,
  });
}

/** Whether the text is an http or https address without user name, password, query and fragment. */
export function isPlainWebAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url !== undefined &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    `${url.username}${url.password}${url.search}${url.hash}` === ''
  );
}

/** Whether data is a group of named values, not a list or a single value. */
export function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How old a message may be that a chat missed during an outage and still answers. */
export const answerMissedMinutes = (which: string) =>
  wholeNumber(1, 1440, 30)
    .default(30)
    .meta({
      description: `When the bot comes back after an outage, it answers ${which} that it missed, if they are at most this many minutes old.`,
    });
