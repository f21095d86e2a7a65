/** Reads what a chat call asks for: which part of a council, whose voice, about which texts. */

import { type Fence, fences } from '../../../src/domain/fence.ts';
import type { Part, RehearsalSage } from './options.ts';
import type { ChatBody } from './wire.ts';

/** A call, as far as a scripted reply depends on it. */
export interface Heard {
  readonly part: Part;
  /** Who speaks or reviews: its key if it has a file, else its name; absent where the prompt shows no one. */
  readonly sage: string | undefined;
  /** Name of the JSON schema that the reply must keep to; `json` where any object will do. */
  readonly schema: string | undefined;
  /** Fenced parts of all messages, in order. */
  readonly blocks: readonly Block[];
}

/** One fenced part of a prompt. */
export interface Block {
  readonly fence: Fence;
  readonly attributes: ReadonlyMap<string, string>;
  readonly text: string;
}

const partsBySchema: ReadonlyMap<string, Part> = new Map([
  ['seating', 'moderator'],
  ['sage_answer', 'sage'],
  ['docket', 'docket'],
  ['rebuttal', 'rebuttal'],
  ['verdict', 'chair'],
  ['sage_draft', 'draft'],
  ['decision_record', 'record'],
]);

/** Any messages will do: what is not there is taken as empty. */
export function hear(body: ChatBody, sages: readonly RehearsalSage[]): Heard {
  const { messages } = body;
  const prompt = messages.map(({ content }) => content).join('\n\n');
  const blocks = messages.flatMap(({ content }) => readBlocks(content));
  const system = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => content)
    .join('\n\n');
  const sage = speakerIn(system, blocks, sages);
  const schema = schemaOf(body);
  const has = (fence: Fence) => blocks.some((block) => block.fence === fence);
  const partWithoutSchema = (): Part => {
    if (blocks.some(({ attributes }) => attributes.has('said'))) return 'brief';
    if (has('response') && /final ranking/i.test(prompt)) {
      return /nothing but the ranking/i.test(prompt) ? 'voter' : 'reviewer';
    }
    if (/worth remembering/i.test(prompt)) return 'compactor';
    if (!has('question')) return 'other';
    return sage === undefined ? 'own_answer' : 'sage';
  };
  const part = schema === undefined ? partWithoutSchema() : (partsBySchema.get(schema) ?? 'other');
  return { part, sage: personal.has(part) ? sage : undefined, schema, blocks };
}

/** Parts that are played in a sage's name. */
const personal: ReadonlySet<Part> = new Set(['sage', 'reviewer', 'rebuttal', 'voter']);

function schemaOf({ response_format: format }: ChatBody): string | undefined {
  if (format?.type === 'json_schema') return format.json_schema.name;
  return format?.type === 'json_object' ? 'json' : undefined;
}

/** `You are Ada. Thinks in loops.`, or how a reviewer is told whose eye it has. */
const introduction = /(?:^|\n)You are ([^\n.,:;(–—]{1,80})|\bthe eye of ([^\n.,:;(–—]{1,80})/;

/** By the tailored prompt, which stands in the system message as it is; else by the name it is introduced with. */
function speakerIn(
  system: string,
  blocks: readonly Block[],
  sages: readonly RehearsalSage[],
): string | undefined {
  const prompted = sages.filter(({ prompt }) => prompt && system.includes(prompt.trim()));
  const [longest] = prompted.toSorted(
    (one, other) => (other.prompt?.length ?? 0) - (one.prompt?.length ?? 0),
  );
  if (longest) return longest.key;
  const [, byRole, byEye] = introduction.exec(system) ?? [];
  const persona = blocks.find(({ fence }) => fence === 'persona');
  const name = persona?.attributes.get('name') ?? byRole ?? byEye;
  if (name === undefined) return undefined;
  return sages.find((sage) => sage.name === name.trim())?.key ?? name.trim();
}

const opening = new RegExp(`<(${fences.join('|')})(?=[\\s>])([^<>]{0,400})>`, 'gi');

/**
 * Takes a prompt apart, in time in proportion to it. A tag that is never closed is no fence: prompts speak
 * about their own tags.
 */
export function readBlocks(text: string): readonly Block[] {
  const blocks: Block[] = [];
  const neverClosed = new Set<Fence>();
  let position = 0;
  for (const match of text.matchAll(opening)) {
    const fence = fences.find((name) => name === match[1]?.toLowerCase());
    const start = match.index + match[0].length;
    if (fence === undefined || match.index < position || neverClosed.has(fence)) continue;
    const closing = `</${fence}>`;
    const end = text.indexOf(closing, start);
    if (end === -1) {
      // Remembered, so that a text of nothing but opening tags is searched once for each fence.
      neverClosed.add(fence);
      continue;
    }
    blocks.push({
      fence,
      attributes: readAttributes(match[2] ?? ''),
      text: text.slice(start, end).trim(),
    });
    position = end + closing.length;
  }
  return blocks;
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  const pairs = text.matchAll(/([\w-]+)="([^"]*)"/g);
  return new Map(Array.from(pairs, ([, key = '', value = '']) => [key, value]));
}
