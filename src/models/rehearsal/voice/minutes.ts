/** Keeps minutes without judging: what was said, sentence by sentence, under the name of who said it. */

import type { Block } from './blocks.ts';
import { plainText, shortened } from './question.ts';
import type { Scene } from './scene.ts';
import { sentences } from './words.ts';

const longestGistChars = 240;
/** A brief of the rehearsal is the text itself, so that it can lack nothing. */
const longestTextChars = 6000;

const notice = 'Rehearsal: what was said, in short; no language model has judged it.';

/** What everybody said, whole. */
export function playBrief({ numbered }: Scene): string {
  const lines = numbered.map(
    (block) => `${speaker(block)}: ${plainText(block.text.slice(0, longestTextChars))}`,
  );
  return [...lines, notice].join('\n');
}

/** The last question with the positions of those who answered it, and the chair's verdict by its first words. */
export function playRecord({ numbered }: Scene) {
  const last = (fence: Block['fence']) => numbered.findLast((block) => block.fence === fence);
  const verdict = last('verdict');
  const answers = new Map(
    numbered.filter(({ fence }) => fence === 'answer').map((block) => [speaker(block), block]),
  );
  return {
    question: gist(last('question')) || notice,
    options: [],
    positions: [...answers.values()].map((block) => ({
      said: numberOf(block),
      position: gist(block) || notice,
    })),
    decision: verdict
      ? { status: 'recommended', text: gist(verdict), said: numberOf(verdict) }
      : { status: 'none', text: '', said: 0 },
    rationale: notice,
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
