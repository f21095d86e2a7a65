/**
 * Parses a typed command: `/council receipt abc --format json`, `/ask why? depth:quick`. Options may be written
 * `--depth quick`, `--depth=quick`, `depth:quick` or `depth=quick`, with quotes around values that contain spaces. The
 * remaining words are the command's arguments.
 */

import type { Command } from '../../../../commands/command.ts';

/** The parts of a command that parsing needs. */
export type KnownCommand = Pick<Command<never>, 'name' | 'description' | 'options' | 'showsTurns'>;

export type CommandLine =
  | {
      readonly status: 'read';
      readonly command: string;
      /** By name, converted to the types of the command's schema but not validated. */
      readonly options: Readonly<Record<string, unknown>>;
    }
  /** `message` tells the person what was wrong and what is available. */
  | { readonly status: 'mistaken'; readonly message: string };

type OptionKind = 'text' | 'number' | 'flag' | 'list';

interface OptionForm {
  readonly name: string;
  readonly kind: OptionKind;
  readonly isRequired: boolean;
  /** The allowed values; empty: any. */
  readonly choices: readonly string[];
  /** The pattern of its values, if restricted. */
  readonly pattern: RegExp | undefined;
}

const kindOf: Readonly<Record<string, OptionKind>> = {
  boolean: 'flag',
  number: 'number',
  integer: 'number',
  array: 'list',
};

/** The options of a command, in the order of its schema. */
export function optionForms(command: KnownCommand): readonly OptionForm[] {
  const schema = command.options.toJSONSchema({ io: 'input', unrepresentable: 'any' });
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const { type, enum: choices = [], pattern } = typeof property === 'object' ? property : {};
    return {
      name,
      kind: (typeof type === 'string' && kindOf[type]) || 'text',
      isRequired: required.has(name),
      choices: choices.map(String),
      pattern: pattern === undefined ? undefined : new RegExp(pattern),
    };
  });
}

const commandWord = /^\s*\/?(?:council\b\s*)?(\S*)\s*/i;
const quoted = /^(?:"([^"]*)"|'([^']*)'|“([^”]*)”)(?=\s|$)/;
const dashed = /^(?:--|—)([A-Za-z][\w-]*)(?:=|(?=\s|$))/;
const assigned = /^([A-Za-z]\w*)[:=](?=\S)/;

/** Splits off the first value of a text: quoted, or up to a space. */
function takeValue(text: string): { readonly value: string; readonly rest: string } {
  const inQuotes = quoted.exec(text);
  if (inQuotes) {
    const value = inQuotes[1] ?? inQuotes[2] ?? inQuotes[3] ?? '';
    return { value, rest: text.slice(inQuotes[0].length) };
  }
  const [value = ''] = /^\S*/.exec(text) ?? [];
  return { value, rest: text.slice(value.length) };
}

function typed(kind: OptionKind, value: string): unknown {
  if (kind === 'list')
    return value
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  if (kind === 'number' && value.trim() !== '' && Number.isFinite(Number(value)))
    return Number(value);
  if (kind === 'flag' && /^(?:yes|true|on)$/i.test(value)) return true;
  if (kind === 'flag' && /^(?:no|false|off)$/i.test(value)) return false;
  return value;
}

function howToWrite(command: string, forms: readonly OptionForm[]): string {
  if (forms.length === 0) return `/council ${command} takes no options.`;
  const names = forms.map(({ name, kind }) => (kind === 'flag' ? `--${name}` : `--${name} …`));
  return `/council ${command} takes ${names.join(', ')}.`;
}

function mistaken(message: string): CommandLine {
  return { status: 'mistaken', message };
}

/** The option that takes the arguments: the first required text option, else the first text option. */
function argumentOption(forms: readonly OptionForm[]): OptionForm | undefined {
  const texts = forms.filter(({ kind }) => kind === 'text');
  return texts.find(({ isRequired }) => isRequired) ?? texts[0];
}

/**
 * Assigns the arguments to options. An option with choices takes one word and leaves the rest to the options after it.
 * If it is set already, or is optional and the word is none of its choices, they get all words.
 *
 * @returns `undefined` if no option takes them.
 */
function wordsTaken(
  words: string,
  forms: readonly OptionForm[],
  given: ReadonlyMap<string, unknown>,
): readonly (readonly [name: string, value: string])[] | undefined {
  const taker = argumentOption(forms);
  if (!taker) return undefined;
  const { name, choices, isRequired } = taker;
  const after = forms.slice(forms.indexOf(taker) + 1);
  if (given.has(name)) return choices.length > 0 ? wordsTaken(words, after, given) : undefined;
  const { value, rest } = takeValue(words);
  const choice = choices.find((one) => one === value.toLowerCase());
  if (choice !== undefined) {
    const others = rest === '' ? [] : wordsTaken(rest.trimStart(), after, given);
    return others && [[name, choice], ...others];
  }
  const others = choices.length > 0 && !isRequired ? wordsTaken(words, after, given) : undefined;
  return others ?? [[name, rest === '' ? value : words]];
}

function readOptions(command: KnownCommand, text: string): CommandLine {
  const forms = optionForms(command);
  const form = (name: string) => forms.find((one) => one.name === name);
  const options = new Map<string, unknown>();
  let words = '';
  let rest = text;
  while (rest !== '') {
    const space = /^\s+/.exec(rest)?.[0] ?? '';
    rest = rest.slice(space.length);
    const dash = dashed.exec(rest);
    const assignment = assigned.exec(rest);
    const known = form((dash ?? assignment)?.[1] ?? '');
    if (dash && !known) {
      return mistaken(`There is no option --${dash[1]}. ${howToWrite(command.name, forms)}`);
    }
    const mark = known && (dash ?? assignment)?.[0];
    if (known === undefined || mark === undefined) {
      const word = quoted.exec(rest)?.[0] ?? /^\S*/.exec(rest)?.[0] ?? '';
      words += (words === '' ? '' : space) + word;
      rest = rest.slice(word.length);
      continue;
    }
    if (options.has(known.name)) return mistaken(`The option ${known.name} is given twice.`);
    rest = rest.slice(mark.length);
    const hasOwnValue = dash === null || mark.endsWith('=');
    if (known.kind === 'flag' && !hasOwnValue) {
      options.set(known.name, true);
      continue;
    }
    const taken = takeValue(hasOwnValue ? rest : rest.trimStart());
    if (taken.value === '' && !hasOwnValue) {
      return mistaken(`The option --${known.name} needs a value, e.g. --${known.name} …`);
    }
    options.set(known.name, typed(known.kind, taken.value));
    rest = taken.rest;
  }
  const taken = words === '' ? [] : wordsTaken(words, forms, options);
  if (!taken) return mistaken(`Unexpected "${words}". ${howToWrite(command.name, forms)}`);
  for (const [name, value] of taken) options.set(name, value);
  return { status: 'read', command: command.name, options: Object.fromEntries(options) };
}

/**
 * Parses a command line.
 *
 * @param text - The whole line, with or without `/council` or `/`. Line breaks count as spaces.
 * @param commands - The available commands.
 */
export function parseCommandLine(text: string, commands: readonly KnownCommand[]): CommandLine {
  const [start = '', name = ''] = commandWord.exec(text) ?? [];
  const command = commands.find((one) => one.name === name.toLowerCase());
  if (command) return readOptions(command, text.slice(start.length).trimEnd());
  const known = commands.map((one) => one.name).join(', ');
  if (name === '') return mistaken(`Which command? Available: ${known}.`);
  const near = commands.find((one) => one.name.startsWith(name.toLowerCase().slice(0, 3)));
  const guess = near ? `Did you mean ${near.name}? ` : '';
  return mistaken(`There is no command "${name}". ${guess}Available: ${known}.`);
}
