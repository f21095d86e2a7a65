/** Plays the chair: puts the sages' own sentences side by side, and says where they meet and part. */

import { imperatives } from './persona.ts';
import * as phrases from './phrases.ts';
import { chairNotice, fill, moves, pick, stableHash } from './phrases.ts';
import { plainText, shortened } from './question.ts';
import type { Block, Scene } from './scene.ts';
import { contentStems, contentWords, listed, quoted, sentences, type Word } from './words.ts';

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

/** The answers that a chair is shown, each with what sets it apart from the others. */
interface Voice {
  /** The sage's name as the prompt gives it. */
  readonly name: string;
  /** The sentence that speaks for this answer, ready to be quoted. */
  readonly gist: string;
  readonly stems: ReadonlySet<string>;
  /** Words that are neither the question's nor the rehearsal's own wording. */
  readonly words: readonly Word[];
  /** Those of them that no other answer uses. */
  readonly own: readonly Word[];
}

const longestAnswerChars = 20_000;
const longestGistChars = 240;
const mostVoices = 12;
/** The wording of the rehearsal and the verbs of prompts are in every answer and say nothing about where sages agree. */
const phraseStems = contentStems(
  [JSON.stringify(phrases), ...imperatives, 'blind spot evidence asker'].join(' '),
);

/** At most 12 answers, in the order of the prompt. */
function readVoices(scene: Scene): readonly Voice[] {
  const asked = new Set(scene.question.words.map(({ stem }) => stem));
  const blocks = scene.blocks.filter(({ fence }) => fence === 'answer' || fence === 'response');
  const names = contentStems(blocks.map((block) => titleOf(block)).join(' '));
  const answers = blocks.slice(0, mostVoices).map((block, index) => {
    const looked = block.text.slice(0, longestAnswerChars);
    const used = contentWords(looked.replaceAll(/^In short: (?:In rehearsal: )?/gm, ''));
    return {
      name: titleOf(block) || `Sage ${index + 1}`,
      text: looked,
      stems: new Set(used.map(({ stem }) => stem)),
      words: used.filter(
        ({ stem }) => !phraseStems.has(stem) && !asked.has(stem) && !names.has(stem),
      ),
    };
  });
  const uses = new Map<string, number>();
  for (const { stem } of answers.flatMap(({ words }) => words)) {
    uses.set(stem, (uses.get(stem) ?? 0) + 1);
  }
  return answers.map(({ text, ...voice }) => {
    const own = voice.words.filter(({ stem }) => uses.get(stem) === 1);
    return { ...voice, own, gist: gistOf(text, new Set(own.map(({ stem }) => stem))) };
  });
}

function titleOf({ attributes }: Block): string {
  return plainText((attributes.get('sage') ?? attributes.get('label') ?? '').slice(0, 80));
}

/** What the answer says of itself in short, or the sentence with the most words of its own. */
function gistOf(text: string, own: ReadonlySet<string>): string {
  const short = /^In short: (.{1,2000})$/m.exec(text)?.[1];
  const candidates = sentences(short ?? text)
    .map((sentence) => withoutLead(sentence.replace(/^In (?:rehearsal|short): /, '')))
    .filter((sentence) => !sentence.startsWith('Rehearsal:'));
  const scored = candidates.map((sentence) => {
    const distinctive = contentWords(sentence).filter(({ stem }) => own.has(stem)).length;
    return { sentence, score: distinctive / Math.sqrt(sentence.length + 40) };
  });
  const best =
    short === undefined ? scored.toSorted((one, other) => other.score - one.score)[0] : scored[0];
  const gist = shortened(withoutMarkup(best?.sentence ?? ''), longestGistChars);
  return gist === '' ? 'nothing that could be quoted.' : gist;
}

/** A quotation from a file can stand without the words that introduced it. */
function withoutLead(sentence: string): string {
  const lead = phrases.quotingLeads.find((start) => sentence.startsWith(start));
  return lead === undefined ? sentence : sentence.slice(lead.length).trim();
}

/** Keeps quotation marks, and nothing that could act as markup or mention. */
function withoutMarkup(sentence: string): string {
  return sentence
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}<>*_`#|~[\]{}\\@]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
