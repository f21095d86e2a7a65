/** The answers that a chair is shown, each with what sets it apart from the others. */

import type { Block } from './blocks.ts';
import { imperatives } from './first-person.ts';
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
/** The wording of the rehearsal and the verbs of prompts are in every answer and say nothing about where sages agree. */
const phraseStems = contentStems(
  [JSON.stringify(phrases), ...imperatives, 'blind spot evidence asker'].join(' '),
);

/** At most 12 answers, in the order of the prompt. */
export function readVoices(scene: Scene): readonly Voice[] {
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
