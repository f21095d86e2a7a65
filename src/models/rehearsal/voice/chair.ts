/** Plays the chair: puts the sages' own sentences side by side, and says where they meet and part. */

import { fill } from './fill.ts';
import { chairNotice, moves } from './phrases.ts';
import type { Scene } from './scene.ts';
import { pick, stableHash } from './stable-hash.ts';
import { readVoices, type Voice } from './voices.ts';
import { contentStems, listed, quoted } from './words.ts';

export interface Verdict {
  readonly verdict: string;
  readonly consensus: readonly string[];
  readonly disagreements: readonly string[];
  readonly minority_report: string;
  readonly confidence: 'low';
}

/** Confidence is always low: nothing here was weighed. */
export function playChair(scene: Scene): Verdict {
  const voices = readVoices(scene);
  const order = ranking(scene, voices);
  const [first] = order;
  const last = order.length > 1 ? order.at(-1) : undefined;
  const seed = stableHash(scene.seed);
  const sides = { first: scene.question.sides?.[0] ?? '', second: scene.question.sides?.[1] ?? '' };
  const wasRanked = order !== voices;
  return {
    verdict: [
      `On ${scene.question.matter} the council heard ${voices.length === 1 ? 'one sage' : `${voices.length} sages`}.`,
      voices.map(({ name, gist }) => `- **${name}**: ${gist}`).join('\n'),
      first && last
        ? `Begin with what ${first.name} says${wasRanked ? ', which the reviewers put first' : ''}, and test it against ${last.name}. ${fill(pick(moves[scene.question.kind], seed), sides)}`
        : '',
      chairNotice,
    ]
      .filter((paragraph) => paragraph !== '')
      .join('\n\n'),
    consensus: consensusOf(voices, scene),
    disagreements: disagreementsOf(voices),
    minority_report: last
      ? `${last.name}${wasRanked ? ', placed last by the reviewers,' : ''} would have you hear this all the same: ${last.gist}`
      : '',
    confidence: 'low',
  };
}

/** The order that the prompt's ranking names them in; the answers' own order where it names none. */
function ranking(scene: Scene, voices: readonly Voice[]): readonly Voice[] {
  const text = scene.blocks.find(({ fence }) => fence === 'ranking')?.text ?? '';
  const places = voices.map((voice) => ({ voice, place: text.indexOf(voice.name) }));
  if (places.some(({ place }) => place === -1)) return voices;
  return places.toSorted((one, other) => one.place - other.place).map(({ voice }) => voice);
}

function consensusOf(voices: readonly Voice[], scene: Scene): string[] {
  if (voices.length < 2) return [];
  const common = scene.question.words
    .filter(({ stem }) => voices.every(({ stems }) => stems.has(stem)))
    .slice(0, 3)
    .map(({ text }) => text);
  const shared = new Map<string, { readonly word: string; readonly names: string[] }>();
  for (const { name, words } of voices) {
    for (const { stem, text } of words) {
      const theme = shared.get(stem) ?? { word: text, names: [] };
      theme.names.push(name);
      shared.set(stem, theme);
    }
  }
  const themes = [...shared.values()]
    .filter(({ names }) => names.length > 1)
    .toSorted((one, other) => other.names.length - one.names.length)
    .slice(0, 2);
  return [
    ...(common.length > 0 ? [`All of them take up ${quoted(common)}.`] : []),
    ...themes.map(
      ({ word, names }) =>
        `${listed(names)} ${names.length === 2 ? 'both' : 'all'} speak of “${word}”.`,
    ),
  ];
}

/** Neighbours are set against each other by words that only one of them uses. */
function disagreementsOf(voices: readonly Voice[]): string[] {
  return voices.slice(1, 4).flatMap((voice, index) => {
    const other = voices[index];
    const here = weightiest(voice);
    const there = other && weightiest(other);
    if (!here || !there) return [];
    return [`For ${other.name} it turns on “${there}”, for ${voice.name} on “${here}”.`];
  });
}

/** Long words say more than short ones: `obligation` rather than `carry`. */
function weightiest({ own, gist }: Voice): string | undefined {
  const stems = contentStems(gist);
  const quotable = own.filter(({ stem }) => stems.has(stem));
  return (quotable.length > 0 ? quotable : own)
    .map(({ text }) => text)
    .toSorted((one, other) => other.length - one.length)[0];
}
