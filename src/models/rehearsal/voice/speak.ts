/** Says what a scene asks for, in the form that its contract asks for. */

import { z } from 'zod';
import { playChair } from './chair.ts';
import { playModerator } from './moderator.ts';
import { type Persona, unknownPersona } from './persona.ts';
import { honestSentence } from './phrases.ts';
import { plainText, shortened } from './question.ts';
import { playReviewer } from './reviewer.ts';
import { playSage } from './sage.ts';
import type { Block, Scene } from './scene.ts';
import { contentWords, quoted, sentences } from './words.ts';

/** The JSON schema of a reply's contract, or that any JSON object will do. */
export type Contract =
  | { readonly kind: 'text' }
  | { readonly kind: 'json'; readonly schema: unknown };

/** The text of the reply. */
export function speak(scene: Scene, contract: Contract, personas: readonly Persona[]): string {
  switch (scene.part) {
    case 'moderator':
      return JSON.stringify(playModerator(scene, personas));
    case 'sage': {
      const spoken = playSage(scene, scene.persona ?? unknownPersona('A sage', '', ''));
      return contract.kind === 'text' ? spoken.answer : JSON.stringify(spoken);
    }
    case 'reviewer':
      return playReviewer(scene);
    case 'chair':
      return JSON.stringify(playChair(scene));
    case 'draft':
      return JSON.stringify(playDraft(scene, scene.request));
    case 'brief':
      return playBrief(scene);
    case 'record':
      return JSON.stringify(playRecord(scene));
    case 'other':
      return contract.kind === 'text'
        ? honestSentence
        : JSON.stringify(smallestValue(contract.schema, honestSentence));
  }
}

/** The smallest value that a JSON schema allows, for contracts that the rehearsal does not know. */
const schemaSchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  minItems: z.number().optional(),
  enum: z.array(z.unknown()).min(1).optional(),
  const: z.unknown().optional(),
  anyOf: z.array(z.unknown()).min(1).optional(),
  oneOf: z.array(z.unknown()).min(1).optional(),
  allOf: z.array(z.unknown()).min(1).optional(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  $ref: z.string().optional(),
  $defs: z.record(z.string(), z.unknown()).optional(),
});

/** Schemas may refer to themselves: past this many values the rest is `null`. */
const mostValues = 500;
const longestStringChars = 10_000;

/**
 * @param schema - JSON Schema. What it leaves open, or can't be satisfied within 500 values, is `null`.
 * @param sentence - Said wherever a string is wanted, cut or filled up to the length that the schema states.
 */
function smallestValue(schema: unknown, sentence: string): unknown {
  const root = schemaSchema.safeParse(schema).data;
  let values = 0;

  function valueFor(part: unknown): unknown {
    values += 1;
    const parsed = schemaSchema.safeParse(part);
    if (values > mostValues || !parsed.success) return null;
    const node = parsed.data;
    if (node.const !== undefined) return node.const;
    if (node.enum) return node.enum[0];
    if (node.$ref !== undefined) return valueFor(root?.$defs?.[node.$ref.replace('#/$defs/', '')]);
    const [alternative] = node.anyOf ?? node.oneOf ?? node.allOf ?? [];
    if (alternative !== undefined) return valueFor(alternative);
    const type = Array.isArray(node.type) ? node.type[0] : node.type;
    if (type === 'array') {
      const length = Math.min(node.minItems ?? 0, mostValues - values);
      return Array.from({ length: Math.max(0, length) }, () => valueFor(node.items));
    }
    if (type === 'object' || node.properties) {
      const properties = Object.entries(node.properties ?? {});
      return Object.fromEntries(properties.map(([name, value]) => [name, valueFor(value)]));
    }
    if (type === 'string') {
      const filled = sentence.padEnd(Math.min(node.minLength ?? 0, longestStringChars), '.');
      return filled.slice(0, node.maxLength ?? filled.length);
    }
    if (type === 'number' || type === 'integer') {
      return node.minimum ?? (node.exclusiveMinimum === undefined ? 0 : node.exclusiveMinimum + 1);
    }
    return type === 'boolean' ? false : null;
  }

  return valueFor(schema);
}

/** Drafts the prompt of a new sage from what a member wrote about it. */
const longestDescriptionChars = 600;

/**
 * @param request - The message that asks for the draft, without fences. `Name: …` and
 *   `Description: …` are read where they stand on lines of their own.
 */
function playDraft(scene: Scene, request: string): { readonly prompt: string } {
  const name = plainText(/^\W{0,4}name\W{0,4}:([^\n]{1,120})/im.exec(request)?.[1] ?? '');
  const written = /^\W{0,4}description\W{0,4}:([^\n]{1,2000})/im.exec(request)?.[1] ?? request;
  const description = shortened(plainText(written.slice(0, 4000)), longestDescriptionChars);
  const words = contentWords(description, 3).map(({ text }) => text);
  const field = words.length > 0 ? quoted(words) : scene.question.matter;
  return {
    prompt: [
      `You are ${name || 'a sage'}. ${description}`,
      `You look first at what the question has to do with ${field}. You say what you have seen go wrong there, and you prefer one concrete case to a rule.`,
      'You ask what the asker would do differently if you were right. You distrust advice that costs the one who gives it nothing.',
      '(Drafted by the rehearsal model from the description alone. Read it and make it yours.)',
    ].join('\n\n'),
  };
}

/** Keeps minutes without judging: what was said, sentence by sentence, under the name of who said it. */
const longestGistChars = 240;
/** A brief of the rehearsal is the text itself, so that it can lack nothing. */
const longestTextChars = 6000;

const minutesNotice = 'Rehearsal: what was said, in short; no language model has judged it.';

/** What everybody said, whole. */
function playBrief({ numbered }: Scene): string {
  const lines = numbered.map(
    (block) => `${speaker(block)}: ${plainText(block.text.slice(0, longestTextChars))}`,
  );
  return [...lines, minutesNotice].join('\n');
}

/** The last question with the positions of those who answered it, and the chair's verdict by its first words. */
function playRecord({ numbered }: Scene) {
  const last = (fence: Block['fence']) => numbered.findLast((block) => block.fence === fence);
  const verdict = last('verdict');
  const answers = new Map(
    numbered.filter(({ fence }) => fence === 'answer').map((block) => [speaker(block), block]),
  );
  return {
    question: gist(last('question')) || minutesNotice,
    options: [],
    positions: [...answers.values()].map((block) => ({
      said: numberOf(block),
      position: gist(block) || minutesNotice,
    })),
    decision: verdict
      ? { status: 'recommended', text: gist(verdict), said: numberOf(verdict) }
      : { status: 'none', text: '', said: 0 },
    rationale: minutesNotice,
    dissent: [],
    open_questions: [],
    actions: [],
  };
}

function speaker({ attributes }: Block): string {
  return plainText(attributes.get('from') ?? attributes.get('sage') ?? '') || 'Somebody';
}

function numberOf({ attributes }: Block): number {
  return Number(attributes.get('said'));
}

function gist(block: Block | undefined): string {
  const [first = ''] = sentences(block?.text.slice(0, longestTextChars) ?? '');
  return shortened(plainText(first), longestGistChars);
}
