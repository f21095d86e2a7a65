/** The answers that a chair is shown, each with what sets it apart from the others. */

import * as phrases from './phrases.ts';
import { plainText, shortened } from './question.ts';
import type { Scene } from './scene.ts';
import { contentStems, contentWords, sentences, type Word } from './words.ts';

export interface Voice {
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
/** The rehearsal's own wording is in every answer and says nothing about where sages agree. */
const phraseStems = contentStems(JSON.stringify(phrases));

/** At most 12 answers, in the order of the prompt. */
export function readVoices(scene: Scene): readonly Voice[] {
  const asked = new Set(scene.question.words.map(({ stem }) => stem));
  const answers = scene.blocks
    .filter(({ fence }) => fence === 'answer' || fence === 'response')
    .slice(0, mostVoices)
    .map(({ attributes, text }, index) => {
      const title = attributes.get('sage') ?? attributes.get('label') ?? '';
      const looked = text.slice(0, longestAnswerChars);
      const used = contentWords(looked);
      return {
        name: plainText(title.slice(0, 80)) || `Sage ${index + 1}`,
        text: looked,
        stems: new Set(used.map(({ stem }) => stem)),
        words: used.filter(({ stem }) => !phraseStems.has(stem) && !asked.has(stem)),
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

/** What the answer says of itself in short, or the sentence with the most words of its own. */
function gistOf(text: string, own: ReadonlySet<string>): string {
  const short = /^In short: (.{1,2000})$/m.exec(text)?.[1];
  const candidates = sentences(short ?? text)
    .map((sentence) => sentence.replace(/^In (?:rehearsal|short): /, ''))
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

/** Keeps quotation marks, and nothing that could act as markup or mention. */
function withoutMarkup(sentence: string): string {
  return sentence
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}<>*_`#|~[\]{}\\@]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
