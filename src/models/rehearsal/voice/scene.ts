/** What a chat call asks of the rehearsal: which part, whose voice, about which question. */

import { type Fence, fences } from '../../../domain/fence.ts';
import type { Part } from '../options.ts';
import { type Persona, unknownPersona } from './persona.ts';
import { plainText, type Question, readQuestion, shortened } from './question.ts';

/** A message as the API takes it. */
export interface HeardMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant';
  readonly content: string;
}

export interface Scene {
  readonly part: Part;
  /** All system messages together. */
  readonly system: string;
  /** The prompt's own words in the message that asks and in the system messages. */
  readonly outside: string;
  /** The message that asks, whole. */
  readonly request: string;
  /** Fenced parts of the message that asks; the bench also from the system messages. */
  readonly blocks: readonly Block[];
  readonly question: Question;
  readonly focus: string | undefined;
  /** Fenced parts of all messages that are numbered, in order: what minutes are made of. */
  readonly numbered: readonly Block[];
  /** Earlier questions of the thread, oldest first, ready to be quoted. */
  readonly earlier: readonly string[];
  /** Who speaks or reviews; absent where the prompt does not show it. */
  readonly persona: Persona | undefined;
  /** Moves choices: another model, another wording. */
  readonly seed: string;
}

const partsBySchema: ReadonlyMap<string, Part> = new Map([
  ['seating', 'moderator'],
  ['sage_answer', 'sage'],
  ['verdict', 'chair'],
  ['sage_draft', 'draft'],
  ['decision_record', 'record'],
]);

/**
 * Reads a call. Any messages will do: what is not there is taken as empty.
 *
 * @param schema - Name of the JSON schema that the reply must keep to, if any.
 */
export function readScene(
  messages: readonly HeardMessage[],
  schema: string | undefined,
  personas: readonly Persona[],
  model: string,
): Scene {
  const system = messages
    .filter(isSystem)
    .map((message) => message.content)
    .join('\n\n');
  const users = messages
    .filter((message) => message.role === 'user')
    .map((message) => message.content);
  // A repair appends a message that says what was wrong: the question is in the one before it.
  const fenced = users.map(readBlocks);
  const lastFenced = fenced.findLastIndex(({ blocks }) => blocks.some(isQuestion));
  const asking = lastFenced === -1 ? users.length - 1 : lastFenced;
  const asked = fenced[asking];
  const blocks = asked?.blocks ?? [];
  const inSystem = readBlocks(system);
  const text = blocks.find(isQuestion)?.text ?? asked?.outside ?? '';
  const known = findPersona(system, personas);
  const numbered = messages
    .filter((message) => !isSystem(message))
    .flatMap(({ content }) => readBlocks(content).blocks)
    .filter(({ attributes }) => attributes.has('said'));
  const part = partOf(
    schema,
    numbered.length > 0,
    blocks,
    `${system}\n${asked?.outside ?? ''}`,
    known,
  );
  return {
    part,
    system,
    outside: `${inSystem.outside}\n${asked?.outside ?? ''}`,
    request: users[asking] ?? '',
    blocks: [...inSystem.blocks.filter(({ fence }) => fence === 'bench'), ...blocks],
    question: readQuestion(text),
    numbered,
    focus: blocks.find(({ fence }) => fence === 'focus')?.text,
    earlier: fenced
      .slice(rememberedIn(messages), Math.max(0, asking))
      .filter(({ outside }) => !outside.startsWith('Today is '))
      .map((earlier) => earlier.blocks.find(isQuestion)?.text ?? earlier.outside)
      .map((earlier) => shortened(plainText(earlier.slice(0, 500)), 90))
      .filter((earlier) => earlier !== ''),
    persona: known ?? (part === 'sage' ? stranger(system) : undefined),
    seed: `${model}\n${text.slice(0, 4000)}`,
  };
}

/** How many messages of users stand before the conversation, up to the last that is recalled from elsewhere. */
function rememberedIn(messages: readonly HeardMessage[]): number {
  const last = messages.findLastIndex(
    (message) =>
      !isSystem(message) &&
      readBlocks(message.content).blocks.some(({ fence }) => fence === 'memory'),
  );
  return messages.slice(0, last + 1).filter(({ role }) => role === 'user').length;
}

function isSystem(message: HeardMessage): boolean {
  return message.role === 'system' || message.role === 'developer';
}

function isQuestion(block: Block): boolean {
  return block.fence === 'question';
}

function partOf(
  schema: string | undefined,
  isNumbered: boolean,
  blocks: readonly Block[],
  prompt: string,
  persona: Persona | undefined,
): Part {
  if (schema !== undefined) return partsBySchema.get(schema) ?? 'other';
  if (isNumbered) return 'brief';
  if (blocks.some(({ fence }) => fence === 'response') && /final ranking/i.test(prompt))
    return 'reviewer';
  return persona && blocks.some(isQuestion) ? 'sage' : 'other';
}

/** By the tailored prompt, which stands in the system message as it is; else by the name it is introduced with. */
function findPersona(system: string, personas: readonly Persona[]): Persona | undefined {
  const byPrompt = personas.filter(({ prompt }) => prompt !== '' && system.includes(prompt));
  const longest = byPrompt.toSorted((one, other) => other.prompt.length - one.prompt.length)[0];
  if (longest) return longest;
  const introduced = introductionIn(system);
  if (introduced === undefined) return undefined;
  const known = personas
    .filter(({ name }) => startsWithName(introduced, name))
    .toSorted((one, other) => other.name.length - one.name.length)[0];
  return known ?? stranger(system);
}

/** `Ada. Thinks in loops.`, or how a reviewer is told whose eye it has: `Ada (Thinks in loops)`. */
function introductionIn(system: string): string | undefined {
  const match = /(?:^|\n)You are ([^\n]{1,400})|\bthe eye of ([^\n]{1,400})/.exec(system);
  return match?.[1] ?? match?.[2];
}

/** Where the council's own instructions to any sage begin, after what the sage is. */
const instructions = /\n\n(?:Think as somebody|You sit in a council|Reply with one JSON)/;
const longestFileChars = 8000;

/** A sage without a file, invented for one turn or made in chat: its prompt is all there is to speak from. */
function stranger(system: string): Persona {
  const introduced = introductionIn(system) ?? '';
  const [, name = '', rest = ''] = /^([^.,:;(–—]{1,80})[.,:;(–—]?\s*(.*)$/.exec(introduced) ?? [];
  const { blocks } = readBlocks(system);
  const persona = blocks.find(({ fence }) => fence === 'persona');
  const made = persona?.text.slice(0, longestFileChars);
  const [all = ''] = system.slice(0, longestFileChars).split(instructions, 1);
  const prompt = made ?? all;
  // What introduces a sage made in chat tells how it came to be, and not what it is.
  const told = made === undefined ? plainText(rest.replace(/\)[^)]*$/, '')) : '';
  const description = told || shortened(plainText(prompt), 120);
  const called = persona?.attributes.get('name') ?? name;
  return unknownPersona(plainText(called) || 'A sage', description, prompt);
}

function startsWithName(text: string, name: string): boolean {
  return (
    text.slice(0, name.length).toLowerCase() === name.toLowerCase() &&
    !/^[\p{L}\p{N}]/u.test(text.slice(name.length))
  );
}

/** One fenced part. */
export interface Block {
  readonly fence: Fence;
  readonly attributes: ReadonlyMap<string, string>;
  readonly text: string;
}

/** A prompt, taken apart. */
export interface Fenced {
  readonly blocks: readonly Block[];
  /** All that stands outside of fences: the prompt's own words. */
  readonly outside: string;
}

const opening = new RegExp(`<(${fences.join('|')})(?=[\\s>])([^<>]{0,400})>`, 'gi');
const closings = new Map(
  fences.map((fence) => [fence, new RegExp(`</${fence}(?=[\\s>])[^<>]{0,400}>`, 'gi')]),
);

/**
 * Takes a prompt apart, in time in proportion to it. A tag that is never closed is no fence: prompts speak
 * about their own tags.
 */
export function readBlocks(text: string): Fenced {
  const blocks: Block[] = [];
  const outside: string[] = [];
  const neverClosed = new Set<Fence>();
  let position = 0;
  for (const match of text.matchAll(opening)) {
    const fence = fences.find((name) => name === match[1]?.toLowerCase());
    const start = match.index + match[0].length;
    if (fence === undefined || match.index < position || neverClosed.has(fence)) continue;
    const end = findFrom(closings.get(fence), text, start);
    if (end === null) {
      // Remembered, so that a text of nothing but opening tags is searched once for each fence.
      neverClosed.add(fence);
      continue;
    }
    outside.push(text.slice(position, match.index));
    const attributes = readAttributes(match[2] ?? '');
    blocks.push({ fence, attributes, text: text.slice(start, end.index).trim() });
    position = end.index + end[0].length;
  }
  outside.push(text.slice(position));
  return { blocks, outside: outside.join('\n') };
}

function findFrom(pattern: RegExp | undefined, text: string, from: number): RegExpExecArray | null {
  if (pattern === undefined) return null;
  pattern.lastIndex = from;
  return pattern.exec(text);
}

function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const match of text.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/g)) {
    attributes.set((match[1] ?? '').toLowerCase(), match[2] ?? match[3] ?? match[4] ?? '');
  }
  return attributes;
}
