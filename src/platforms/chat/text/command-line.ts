/**
 * Parses a typed command: `/council receipt abc --format json`, `/ask why? depth:quick`. Options may be written
 * `--depth quick`, `--depth=quick`, `depth:quick` or `depth=quick`, with quotes around values that contain spaces. The
 * remaining words are the command's arguments.
 */

import { type Command, type CommandOption, optionsOf } from '../../../../commands/command.ts';

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

type Options = readonly CommandOption[];

/** The types of options whose values are not any text. */
const numberTypes = ['number', 'integer'];
const otherTypes = [...numberTypes, 'boolean', 'array'];

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

function typed({ type }: CommandOption, value: string): unknown {
  if (type === 'array')
    return value
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  if (numberTypes.includes(type) && value.trim() !== '' && Number.isFinite(Number(value)))
    return Number(value);
  if (type === 'boolean' && /^(?:yes|true|on)$/i.test(value)) return true;
  if (type === 'boolean' && /^(?:no|false|off)$/i.test(value)) return false;
  return value;
}

function howToWrite(command: string, options: Options): string {
  if (options.length === 0) return `/council ${command} takes no options.`;
  const names = options.map(({ name, type }) => (type === 'boolean' ? `--${name}` : `--${name} …`));
  return `/council ${command} takes ${names.join(', ')}.`;
}

function mistaken(message: string): CommandLine {
  return { status: 'mistaken', message };
}

/** The option that takes the arguments: the first required text option, else the first text option. */
function argumentOption(options: Options): CommandOption | undefined {
  const texts = options.filter(({ type }) => !otherTypes.includes(type));
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
  options: Options,
  given: ReadonlyMap<string, unknown>,
): readonly (readonly [name: string, value: string])[] | undefined {
  const taker = argumentOption(options);
  if (!taker) return undefined;
  const { name, choices, isRequired } = taker;
  const after = options.slice(options.indexOf(taker) + 1);
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
  const forms = optionsOf(command);
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
    if (known.type === 'boolean' && !hasOwnValue) {
      options.set(known.name, true);
      continue;
    }
    const taken = takeValue(hasOwnValue ? rest : rest.trimStart());
    if (taken.value === '' && !hasOwnValue) {
      return mistaken(`The option --${known.name} needs a value, e.g. --${known.name} …`);
    }
    options.set(known.name, typed(known, taken.value));
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
