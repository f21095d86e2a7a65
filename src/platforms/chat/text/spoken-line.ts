/**
 * Tells commands from questions, with or without a slash. A sentence that happens to begin with a command's name is a
 * question: “help me choose a bank account”.
 */

import { optionsOf } from '../../../../commands/command.ts';
import { unaccented } from '../../../domain/words.ts';
import { type CommandLine, type KnownCommand, parseCommandLine } from './command-line.ts';

/** Words that leave a conversation in the terminal. */
export const leaveWords = ['quit', 'exit'] as const;

const set = (words: string) => new Set(words.split(' ').map(unaccented));

/** Also in the languages of the council's own words. */
const helpWords = set(
  'help ? hilfe aide ayuda ajuda aiuto hulp pomoc yardım помощь справка допомога довідка مساعدة مساعده मदद सहायता ヘルプ 使い方 도움말 帮助 幫助',
);
const stopWords = set(
  'stop cancel abort stopp stoppe stoppen abbrechen abbruch aufhören halt arrête arrêtez arrêter stoppez annule annuler para pare parar detente detén detener alto basta cancela cancelar chega ferma fermati fermatevi fermo annulla ophouden stój przestań przestańcie zatrzymaj przerwij dur durun durdur iptal стоп стой стойте хватит остановись остановитесь остановите остановить отмена прекрати прекратите стій стійте зупини зупинись зупинити досить скасуй ストップ 停止 止めて 止めてください やめて やめてください 中止 중지 그만 그만해 멈춰 멈춰줘 정지 스톱 취소 停 停下 停止吧 取消 توقف توقفوا قف إيقاف रुको रोको रुकें रोकें रुकिए',
);
const please =
  /(?:^|[\s,]+)(?:please|pls|bitte|stp|svp|por favor|porfa|per favore|aub|alsjeblieft|proszę|lütfen|пожалуйста|будь ласка)(?:[,،、，]|(?=[\s.!]|$))/giu;
/** Longer lines are more than a word. */
const longestWord = 60;

/** The meaning of a single word, perhaps with “please”, and with or without `/` or `/council`; `undefined` if it has none. @param commands - Their names ask for the help. */
export function bareWord(
  line: string,
  commands: readonly Pick<KnownCommand, 'name'>[] = [],
): 'help' | 'stop' | 'leave' | undefined {
  if (line.trim().length > longestWord) return undefined;
  const plain = line.trim().replace(please, '').trim();
  const one = /^(?:\/(?:council +)?)?¡?(\S+?)[.!。！]*$/i.exec(plain)?.[1];
  if (one === undefined) return undefined;
  const word = unaccented(one);
  if (leaveWords.some((leaving) => leaving === word)) return 'leave';
  if (stopWords.has(word)) return 'stop';
  return helpWords.has(word) || commands.some(({ name }) => name === word) ? 'help' : undefined;
}

/** Whether a line without a slash is a command: `receipt`, `feedback good`, `memory search rent`, `ask why? --depth deep`; “stop smoking” isn't. */
export function isCommand(line: string, commands: readonly KnownCommand[]): boolean {
  if (commandAlone(line, commands)) return true;
  const [name = '', value = ''] = line.trim().split(/\s+/);
  const command = commands.find((one) => one.name === name.toLowerCase());
  if (command === undefined) return false;
  const isChoice = optionsOf(command).some(({ choices }) => choices.includes(value));
  return isChoice || hasOptions(command, line);
}

/** The command that is all a line says, and so is no question: `receipt`, or `go deeper` as on the button. */
function commandAlone(line: string, commands: readonly KnownCommand[]): KnownCommand | undefined {
  const said = line
    .trim()
    .replace(/[.!]{1,3}$/, '')
    .toLowerCase();
  return commands.find(({ name }) => name === said.replace(/^go (?=deeper$)/, ''));
}

/**
 * Parses a line that may be a command or a question.
 *
 * @param text - The whole line, with or without `/council` or `/`.
 * @returns The command, `ask` for a question; or what is wrong with it.
 */
export function readSpokenLine(text: string, commands: readonly KnownCommand[]): CommandLine {
  const said = text.replace(/^\s*\/(?:council\b\s*)?/i, '').trim();
  const word = said === '' ? 'help' : bareWord(said);
  if (word === 'help' || word === 'stop') return parseCommandLine(word, commands);
  const alone = commandAlone(said, commands);
  if (alone) return parseCommandLine(alone.name, commands);
  const line = parseCommandLine(said, commands);
  const [first = ''] = said.split(/\s/, 1);
  const command = commands.find(({ name }) => name === first.toLowerCase());
  const rest = said.slice(first.length).trim();
  // What follows `ask` is a question, also if it is only polite.
  if (command && command.name !== 'ask' && politely.test(rest))
    return parseCommandLine(command.name, commands);
  const isQuestion = command ? isSentence(command, rest, line) : looksLikeQuestion(said);
  return isQuestion ? { status: 'read', command: 'ask', options: { question: said } } : line;
}

/** Polite words after a command: `stop it now please`, `help me`. */
const politely =
  /^(?:(?:it|this|that|all|everything|of|now|right|here|me|us|please|pls|thanks|immediately|council)[\s.,!]*)+$/i;
/** The most words in a free-text option, such as a name. */
const wordsOfName = 4;
/** This many words are a question, not a misspelt command. */
const wordsOfQuestion = 4;

/** Whether a command's name and the rest form a sentence rather than a command. */
function isSentence(command: KnownCommand, rest: string, line: CommandLine): boolean {
  if (command.name === 'ask' || rest === '' || hasOptions(command, rest)) return false;
  const given = line.status === 'read' ? line.options : {};
  const taker = optionsOf(command).find(({ name }) => given[name] === rest);
  const pattern = taker?.pattern && new RegExp(taker.pattern);
  const isMisfit =
    line.status === 'mistaken' ||
    !command.options.safeParse(line.options).success ||
    (pattern && !pattern.test(rest));
  if (rest.endsWith('?')) return isMisfit || taker !== undefined;
  const words = rest.split(/\s+/).length;
  if (isMisfit) return words + 1 >= wordsOfQuestion;
  return taker !== undefined && !pattern && words > wordsOfName && !isQuoted(rest);
}

/** Whether the text contains explicit options, which sentences don't. */
function hasOptions({ options }: KnownCommand, rest: string): boolean {
  if (/(?:^|\s)--[A-Za-z]/.test(rest)) return true;
  const assigned = rest.matchAll(/(?:^|\s)([A-Za-z]\w*)[:=]\S/g);
  return [...assigned].some(([, name = '']) => Object.hasOwn(options.shape, name));
}

function isQuoted(rest: string): boolean {
  return /^["“].*["”]$/.test(rest);
}

/** Whether a line that begins with no command is a question. */
function looksLikeQuestion(said: string): boolean {
  const words = said.split(/\s+/);
  // Commands are ASCII, and many languages write without spaces between words.
  if (/^[^\p{ASCII}]/u.test(said)) return true;
  if (words.length < 2) return false;
  const isAddressed = /^@|^[^:,]{1,80}[:,]\s/.test(said);
  return isAddressed || said.endsWith('?') || words.length >= wordsOfQuestion;
}
