/** Prompts for the set-up. */

import type { Readable, Writable } from 'node:stream';
import * as clack from '@clack/prompts';
import { unpainted, wrap } from '../../platforms/terminal/terminal-text.ts';
import { pasted } from '../../settings/environment.ts';

/** Ctrl-C or Escape at a question. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

/** The streams of a terminal. */
export interface Streams {
  readonly input: Readable;
  readonly output: Writable & { readonly columns?: number };
}

export type Prompts = ReturnType<typeof createPrompts>;

/** Describes what is wrong with the input; `undefined` if nothing is. */
type Validate = (typed: string) => string | undefined;

/** Every prompt throws {@link Cancelled} if the person cancels it. */
export function createPrompts({ input, output }: Streams) {
  const on = { input, output };
  return {
    begin: (title: string) => clack.intro(title, on),
    /** @param isChanged - Whether files were written. */
    end: (text: string, isChanged: boolean) => {
      const shown = fitting(text, output.columns);
      if (isChanged) clack.outro(shown, on);
      else clack.cancel(shown, on);
    },
    say: (kind: 'info' | 'step' | 'success' | 'warn' | 'error', text: string) =>
      clack.log[kind](fitting(text, output.columns), on),
    /** Shows instructions in a box. */
    explain: (title: string, lines: readonly string[]) => clack.note(lines.join('\n'), title, on),
    choose: async <Value extends string>(message: string, choices: readonly Choice<Value>[]) => {
      const options = [...choices];
      const picked = answered(await clack.select<string>({ ...on, message, options }));
      const choice = choices.find(({ value }) => value === picked);
      if (!choice) throw new Error(`“${message}” got an answer that was not offered.`);
      return choice.value;
    },
    chooseSeveral: async <Value extends string>(
      message: string,
      choices: readonly Choice<Value>[],
    ) => {
      const all = { ...on, message, options: [...choices], required: false };
      const picked = answered(await clack.multiselect<string>(all));
      return choices.map(({ value }) => value).filter((value) => picked.includes(value));
    },
    confirm: async (message: string) => answered(await clack.confirm({ ...on, message })),
    text: async (message: string, placeholder: string, validate: Validate) => {
      const check = (typed = '') => validate(typed.trim());
      return answered(await clack.text({ ...on, message, placeholder, validate: check })).trim();
    },
    /** Hides the input, and reads it as {@link pasted}. */
    secret: async (message: string, validate: Validate) => {
      const check = (typed = '') => validate(pasted(typed));
      return pasted(answered(await clack.password({ ...on, message, validate: check })));
    },
  };
}

/** Wraps text to fit right of clack's rail. A line with a longer word, e.g. an address, stays whole to be copied. */
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

function answered<Value>(answer: Value | typeof clack.CANCEL_SYMBOL): Value {
  if (clack.isCancel(answer)) throw new Cancelled('The set-up was cancelled.');
  return answer;
}
