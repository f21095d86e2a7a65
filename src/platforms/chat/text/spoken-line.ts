/**
 * What a person says to the council on one line, which may be a command or a question. A sentence that
 * happens to begin with a command's name is a question: “help me choose a bank account”.
 */

import {
  type CommandLine,
  type KnownCommand,
  optionForms,
  parseCommandLine,
} from './command-line.ts';

/** Words that leave a conversation where there is one to leave. */
export const leaveWords = ['quit', 'exit'] as const;

/** What a word does that stands alone, with `/` or `/council` before it or not; absent: nothing. */
export function bareWord(line: string): 'help' | 'stop' | 'leave' | undefined {
  const word = /^\s*(?:\/(?:council +)?)?(\S+?)[.!]*\s*$/i.exec(line)?.[1]?.toLowerCase();
  if (word === undefined) return undefined;
  if (leaveWords.some((one) => one === word)) return 'leave';
  if (word === 'help' || word === '?') return 'help';
  return word === 'stop' ? 'stop' : undefined;
}

/**
 * Reads a line that may need no verb.
 *
 * @param text - The whole line; `/council` or `/` at its beginning may be left out.
 * @returns The command that it gives, `ask` for a question; or what is wrong with it.
 */
export function readSpokenLine(text: string, commands: readonly KnownCommand[]): CommandLine {
  const said = text.replace(/^\s*\/(?:council\b\s*)?/i, '').trim();
  if (said === '' || bareWord(said) === 'help') return parseCommandLine('help', commands);
  const line = parseCommandLine(said, commands);
  const [first = ''] = said.split(/\s/, 1);
  const command = commands.find(({ name }) => name === first.toLowerCase());
  const rest = said.slice(first.length).trim();
  if (command && politely.test(rest)) return parseCommandLine(command.name, commands);
  const isQuestion = command ? isSentence(command, rest, line) : looksLikeQuestion(said);
  return isQuestion ? { status: 'read', command: 'ask', options: { question: said } } : line;
}

/** `stop it now please` and `help me` give the command. */
const politely =
  /^(?:(?:it|this|that|all|everything|of|now|right|here|me|us|please|pls|thanks|immediately|council)[\s.,!]*)+$/i;
/** An option of any text, such as a name, is given so many words at most. */
const wordsOfName = 4;
/** So many words in a row are no command that was misspelt. */
const wordsOfQuestion = 4;

/** Whether what follows a command's name goes on as a sentence, and is no use of the command. */
function isSentence(command: KnownCommand, rest: string, line: CommandLine): boolean {
  if (command.name === 'ask' || rest === '' || hasOptions(command, rest)) return false;
  const given = line.status === 'read' ? line.options : {};
  const taker = optionForms(command).find(({ name }) => given[name] === rest);
  const pattern = taker?.pattern;
  const isMisfit =
    line.status === 'mistaken' ||
    !command.options.safeParse(line.options).success ||
    pattern?.test(rest) === false;
  if (rest.endsWith('?')) return isMisfit || taker !== undefined;
  const words = rest.split(/\s+/).length;
  if (isMisfit) return words + 1 >= wordsOfQuestion;
  return taker !== undefined && pattern === undefined && words > wordsOfName && !isQuoted(rest);
}

/** Options that are written out are no part of a sentence. */
function hasOptions({ options }: KnownCommand, rest: string): boolean {
  if (/(?:^|\s)--[A-Za-z]/.test(rest)) return true;
  const assigned = rest.matchAll(/(?:^|\s)([A-Za-z]\w*)[:=]\S/g);
  return [...assigned].some(([, name = '']) => Object.hasOwn(options.shape, name));
}

function isQuoted(rest: string): boolean {
  return /^["“].*["”]$/.test(rest);
}

/** Of a line that begins with no command. */
function looksLikeQuestion(said: string): boolean {
  const words = said.split(/\s+/);
  // No command is written so; many languages need no space between words.
  if (/^[^\p{ASCII}]/u.test(said)) return true;
  if (words.length < 2) return false;
  const isAddressed = /^@|^[^:,]{1,80}[:,]\s/.test(said);
  return isAddressed || said.endsWith('?') || words.length >= wordsOfQuestion;
}
