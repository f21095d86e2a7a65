/** The questions of the set-up, on the streams of the process. */

import type { Readable, Writable } from 'node:stream';
import * as clack from '@clack/prompts';
import { unpainted, wrap } from '../../platforms/terminal/terminal-text.ts';

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

export type Prompts = ReturnType<typeof createPrompts>;

/** Says what is wrong with what was typed; `undefined`: nothing. */
type Complain = (typed: string) => string | undefined;

/** Asks people. Every question throws {@link Cancelled} when it is left. */
export function createPrompts({ input, output }: Streams) {
  const on = { input, output };
  const validated = (complain: Complain) => (typed: string | undefined) =>
    complain((typed ?? '').trim());
  return {
    begin: (title: string) => clack.intro(title, on),
    /** @param isChanged - Something was written. */
    end: (text: string, isChanged: boolean) => {
      const shown = fitting(text, output.columns);
      if (isChanged) clack.outro(shown, on);
      else clack.cancel(shown, on);
    },
    say: (kind: 'info' | 'step' | 'success' | 'warn' | 'error', text: string) =>
      clack.log[kind](fitting(text, output.columns), on),
    /** Steps to take elsewhere. */
    explain: (title: string, lines: readonly string[]) => clack.note(lines.join('\n'), title, on),
    choose: async <Value extends string>(message: string, choices: readonly Choice<Value>[]) => {
      const options = choices.map(optionOf);
      const picked = kept(await clack.select<string>({ ...on, message, options }));
      return chosenOf(choices, [picked])[0] ?? refuse(message);
    },
    chooseSeveral: async <Value extends string>(
      message: string,
      choices: readonly Choice<Value>[],
    ) => {
      const options = choices.map(optionOf);
      const all = { ...on, message, options, required: false };
      return chosenOf(choices, kept(await clack.multiselect<string>(all)));
    },
    confirm: async (message: string) => kept(await clack.confirm({ ...on, message })),
    text: async (message: string, placeholder: string, complain: Complain) => {
      const validate = validated(complain);
      return kept(await clack.text({ ...on, message, placeholder, validate })).trim();
    },
    /** What is typed is never shown. Blanks around it, which come with pasting, are cut off. */
    secret: async (message: string, complain: Complain) =>
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
