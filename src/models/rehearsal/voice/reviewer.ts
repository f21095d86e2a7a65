/**
 * Plays a reviewer: judges each response by what can be measured in its text, and ranks by that.
 * The same text has the same worth under any label and in any place; reviewers differ a
 * little, in what they give weight to and in whose language they share.
 */

import { stableHash } from './phrases.ts';
import type { Scene } from './scene.ts';
import { contentWords, quoted, sentences } from './words.ts';

const longestAnswerChars = 20_000;
const comfortableChars = 900;
/** Words of the ballot's own form are not quoted in a review, so that it holds one ranking only. */
const formal = /^(?:final|rank|ranking|response|ballot|label)/;

interface Judged {
  readonly label: string;
  readonly score: number;
  readonly sentence: string;
}

/** @returns An evaluation of each response in the order shown, then `FINAL RANKING:` with the labels. */
export function playReviewer(scene: Scene): string {
  const taste = tasteOf(scene);
  const judged = new Map<string, Judged>();
  for (const block of scene.blocks) {
    const label = cleanLabel(block.attributes.get('label') ?? '');
    if (block.fence !== 'response' || label === '' || judged.has(label)) continue;
    judged.set(label, judge(label, block.text.slice(0, longestAnswerChars), scene, taste));
  }
  const shown = [...judged.values()];
  if (shown.length === 0)
    return 'In rehearsal: no response was shown, so there is nothing to rank.';
  const best = shown.toSorted((one, other) => other.score - one.score);
  return [
    'In rehearsal: judged by the words alone, no language model read these.',
    ...shown.map(({ label, sentence }) => `**${label}** ${sentence}`),
    `FINAL RANKING:\n${best.map(({ label }, index) => `${index + 1}. ${label}`).join('\n')}`,
  ].join('\n\n');
}

/** `A` and `Response A` both become `Response A`. */
function cleanLabel(label: string): string {
  const plain = label
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .trim()
    .slice(0, 40);
  return plain === '' || /^response /i.test(plain) ? plain : `Response ${plain}`;
}

interface Taste {
  /** What the reviewer's own file speaks of. */
  readonly stems: ReadonlySet<string>;
  readonly kinship: number;
  readonly relevance: number;
  readonly concreteness: number;
  readonly richness: number;
  readonly length: number;
}

/** What a reviewer gives weight to: the same for all, moved by at most a third. */
function tasteOf(scene: Scene): Taste {
  const seed = `${scene.persona?.key ?? scene.system.slice(0, 300)}\n${scene.seed}`;
  const moved = (name: string, weight: number): number =>
    weight * (0.67 + 0.66 * ((stableHash(`${seed}\n${name}`) % 1000) / 1000));
  return {
    stems: scene.persona?.stems ?? new Set(),
    relevance: moved('relevance', 0.4),
    concreteness: moved('concreteness', 0.2),
    richness: moved('richness', 0.2),
    kinship: moved('kinship', 0.04),
    length: moved('length', 0.1),
  };
}

function judge(label: string, text: string, scene: Scene, taste: Taste): Judged {
  const words = contentWords(text);
  const stems = new Set(words.map(({ stem }) => stem));
  const asked = scene.question.words;
  const askedStems = new Set(asked.map(({ stem }) => stem));
  const taken = asked.filter(({ stem }) => stems.has(stem));
  const parts = sentences(text);
  const touching = parts.filter((part) =>
    contentWords(part).some((word) => askedStems.has(word.stem)),
  );
  const relevance =
    (taken.length / Math.max(1, asked.length) + touching.length / Math.max(1, parts.length)) / 2;
  const pointers = text.match(
    /\d|\b(?:because|if|first|before|example|instead|unless|write|list|name|ask|week|month|tonight)\b|^\s*[-*]\s/gim,
  );
  const concreteness = Math.min(1, ((pointers?.length ?? 0) * 80) / (text.length + 120));
  const richness = Math.min(1, words.length / 90);
  const kin = words.filter(({ stem }) => taste.stems.has(stem)).length;
  const kinship = Math.min(1, (4 * kin) / Math.max(1, words.length));
  const length = Math.max(0, 1 - Math.abs(text.length - comfortableChars) / 3000);
  return {
    label,
    score:
      taste.relevance * relevance +
      taste.concreteness * concreteness +
      taste.richness * richness +
      taste.kinship * kinship +
      taste.length * length +
      // Decides between texts that measure the same; too little to outweigh anything.
      (stableHash(text) % 1000) / 1e9,
    sentence: `${onRelevance(taken.map(({ text: word }) => word))} ${onUse(concreteness, text)}`,
  };
}

function onRelevance(taken: readonly string[]): string {
  const shown = taken.filter((word) => !formal.test(word)).slice(0, 3);
  if (shown.length === 0) return 'hardly touches the words of the question.';
  return `speaks to the question: it takes up ${quoted(shown)}.`;
}

function onUse(concreteness: number, text: string): string {
  const words = text.split(/\s+/, 2000).length;
  const length = `It runs to ${words === 2000 ? 'thousands of' : words} words`;
  if (concreteness > 0.6) return `${length}, and names things that can be done or checked.`;
  if (concreteness > 0.3) return `${length}; some of it can be acted on, some stays general.`;
  return `${length}, and stays general where the reader would want a next step.`;
}
