/** Plays the moderator: seats the sages of the bench whose files speak of what the question speaks of. */

import { type Persona, readPersona } from './persona.ts';
import { fill, focusQueries, pick, stableHash } from './phrases.ts';
import { plainText } from './question.ts';
import type { Scene } from './scene.ts';
import { contentWords, type Word } from './words.ts';

const usualSeats = 4;
const longestBench = 200;
const longestAngleChars = 60;
const numbers = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
];

export interface Seating {
  readonly focus: readonly { readonly sage: string; readonly query: string }[];
  readonly predefined_chosen_sages: readonly string[];
  readonly new_sages_to_create: readonly { readonly name: string; readonly description: string }[];
}

/** @param personas - Those that have a file; of the others on the bench, the description decides. */
export function playModerator(scene: Scene, personas: readonly Persona[]): Seating {
  const bench = readBench(scene, personas);
  const wanted = Math.min(readSeatLimit(scene.outside), usualSeats);
  const seated = bench
    .map((persona) => ({
      persona,
      relevance: relevance(persona, scene.question.words),
      // Among equals, another question seats other sages.
      order: stableHash(`${scene.seed}\n${persona.key}`),
    }))
    .toSorted((one, other) => other.relevance - one.relevance || one.order - other.order)
    .slice(0, wanted)
    .map(({ persona }) => persona);
  return {
    focus: seated.map((persona) => ({ sage: persona.key, query: focusFor(persona, scene) })),
    predefined_chosen_sages: seated.map(({ key }) => key),
    new_sages_to_create: [],
  };
}

function readBench(scene: Scene, personas: readonly Persona[]): readonly Persona[] {
  const known = new Map(personas.map((persona) => [persona.key, persona]));
  const seen = new Map<string, Persona>();
  for (const block of scene.blocks) {
    if (block.fence !== 'bench') continue;
    for (const line of block.text.split('\n')) {
      const [, key, description = ''] = /^\s*[-*]\s*`?([\w-]{1,64})`?\s*:(.*)$/.exec(line) ?? [];
      if (key === undefined || seen.has(key) || seen.size >= longestBench) continue;
      const name = key.replaceAll('_', ' ');
      seen.set(
        key,
        known.get(key) ?? readPersona({ key, name, description: description.trim() }, seen.size),
      );
    }
  }
  return [...seen.values()];
}

/** `at most 4 sages`, `up to five seats`; what is said of new sages is another limit. */
function readSeatLimit(prompt: string): number {
  const pattern =
    /\b(?:at most|up to|no more than|max(?:imum)?(?: of)?)\s+(\d{1,3}|[a-z]{2,5})\s+(?:([a-z]+)\s+)?(?:sages?|seats?|voices)\b/gi;
  for (const [, amount = '', kind = ''] of prompt.matchAll(pattern)) {
    const limit = numbers.includes(amount.toLowerCase())
      ? numbers.indexOf(amount.toLowerCase())
      : Number(amount);
    if (Number.isInteger(limit) && !/^(?:new|invented|dynamic)$/i.test(kind)) return limit;
  }
  return usualSeats;
}

/** How much of the question the sage's file speaks of; its description counts three times. */
function relevance(persona: Persona, words: readonly Word[]): number {
  const described = new Set(contentWords(persona.description).map(({ stem }) => stem));
  return words.reduce(
    (sum, { stem }) => sum + (described.has(stem) ? 3 : persona.stems.has(stem) ? 1 : 0),
    0,
  );
}

/** Relates a piece of the sage's description, one that speaks of the question if there is one, to the question. */
function focusFor(persona: Persona, scene: Scene): string {
  const angles = anglesOf(persona);
  const asked = new Set(scene.question.words.map(({ stem }) => stem));
  const shared = angles.filter((angle) => contentWords(angle).some(({ stem }) => asked.has(stem)));
  const candidates = shared.length > 0 ? shared : angles;
  const angle = candidates[stableHash(`${scene.seed}\n${persona.key}\nangle`) % candidates.length];
  const phrase = pick(focusQueries, stableHash(scene.seed) + persona.ordinal);
  const query = fill(phrase, { angle: angle ?? persona.name, matter: scene.question.matter });
  // The matter may be a quotation that ends in a question mark of its own.
  return query.replace(/\?”\?$/, '?”');
}

/** `Builder; seat it when it must be fixed, or scaled` has two: what follows the title, piece by piece. */
function anglesOf(persona: Persona): string[] {
  const [title = '', purpose = title] = persona.description
    .slice(0, 500)
    .split(/;\s*seat \w+ (?:for|if|when|where) /i, 2);
  return purpose
    .split(/[,;:.()]/)
    .map((piece) => plainText(piece).replace(/^(?:and|or|useful for|for) /i, ''))
    .filter(
      (piece) =>
        piece.length > 3 && piece.length <= longestAngleChars && !/\b(?:seat|sage)/i.test(piece),
    );
}
