/** The questions of the set-up, on the streams of the process. */

import type { Readable, Writable } from 'node:stream';
import * as clack from '@clack/prompts';
import { unpainted, wrap } from '../../platforms/terminal/wrap.ts';

/** Ctrl-C or Escape at a question. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

/** A terminal. */
export interface Streams {
  readonly input: Readable;
  readonly output: Writable & { readonly columns?: number };
}

/** Asks people. Every question throws {@link Cancelled} when it is left. */
export interface Prompts {
  begin(title: string): void;
  /** @param isChanged - Something was written. */
  end(text: string, isChanged: boolean): void;
  say(kind: 'info' | 'step' | 'success' | 'warn' | 'error', text: string): void;
  /** Steps to take elsewhere. */
  explain(title: string, lines: readonly string[]): void;
  choose<Value extends string>(
    message: string,
    choices: readonly Choice<Value>[],
    initial?: Value,
  ): Promise<Value>;
  chooseSeveral<Value extends string>(
    message: string,
    choices: readonly Choice<Value>[],
    initial: readonly Value[],
  ): Promise<readonly Value[]>;
  confirm(message: string): Promise<boolean>;
  /** @param complain - Says what is wrong with what was typed; `undefined`: nothing. */
  text(message: string, example: string, complain: Complain): Promise<string>;
  /** What is typed is never shown. Blanks around it, which come with pasting, are cut off. */
  secret(message: string, complain: Complain): Promise<string>;
}

type Complain = (typed: string) => string | undefined;

export function createPrompts({ input, output }: Streams): Prompts {
  const on = { input, output };
  const validated = (complain: Complain) => (typed: string | undefined) =>
    complain((typed ?? '').trim());
  return {
    begin: (title) => clack.intro(title, on),
    end: (text, isChanged) => {
      const shown = fitting(text, output.columns);
      if (isChanged) clack.outro(shown, on);
      else clack.cancel(shown, on);
    },
    say: (kind, text) => clack.log[kind](fitting(text, output.columns), on),
    explain: (title, lines) => clack.note(lines.join('\n'), title, on),
    choose: async (message, choices, initialValue) => {
      const initial = initialValue === undefined ? {} : { initialValue };
      const options = choices.map(optionOf);
      const picked = kept(await clack.select<string>({ ...on, ...initial, message, options }));
      return chosenOf(choices, [picked])[0] ?? refuse(message);
    },
    chooseSeveral: async (message, choices, initial) => {
      const options = choices.map(optionOf);
      const all = { ...on, message, options, initialValues: initial, required: false };
      return chosenOf(choices, kept(await clack.multiselect<string>(all)));
    },
    confirm: async (message) => kept(await clack.confirm({ ...on, message })),
    text: async (message, placeholder, complain) => {
      const validate = validated(complain);
      return kept(await clack.text({ ...on, message, placeholder, validate })).trim();
    },
    secret: async (message, complain) =>
      kept(await clack.password({ ...on, message, validate: validated(complain) })).trim(),
  };
}

/** Broken at spaces beside the rail on the left; a line with a long address stays whole, so that it can be copied. */
function fitting(text: string, columns = 80): string {
  const width = columns - 4;
  const lines = text.split('\n').flatMap((line) => {
    const isWhole = line.split(' ').some(({ length }) => length > width);
    return isWhole
      ? [line]
      : wrap([{ text: line, paint: unpainted }], { width, first: '', next: '' });
  });
  return lines.join('\n');
}

function kept<Value>(answer: Value | typeof clack.CANCEL_SYMBOL): Value {
  if (clack.isCancel(answer)) throw new Cancelled('The set-up was cancelled.');
  return answer;
}

function optionOf({ value, label, hint }: Choice<string>) {
  return { value, label, ...(hint === undefined ? {} : { hint }) };
}

function chosenOf<Value extends string>(
  choices: readonly Choice<Value>[],
  picked: readonly string[],
): readonly Value[] {
  return choices.flatMap(({ value }) => (picked.includes(value) ? [value] : []));
}

function refuse(message: string): never {
  throw new Error(`“${message}” got an answer that was not offered.`);
}
