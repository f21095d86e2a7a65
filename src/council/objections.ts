/** Reads out of the reviews what they hold against each answer, for the chair. */

import type { Review } from '../domain/turn.ts';
import { firstSentences, oneLine } from '../domain/words.ts';

/** What one reviewer holds against one answer. */
export interface Objection {
  /** Key of the sage whose answer it is about. */
  readonly sage: string;
  /** On one line; other answers are called by the names of their sages. */
  readonly text: string;
}

/** What the chair needs of one; it is told to be one sentence. */
const maxObjectionChars = 400;
/** Far more than one line of a review should hold. */
const maxLineChars = 2000;

/** `GRAVEST ERROR: …` on one line, in any case, as an item or heading. A quoted line is another author's. */
const announced = /^[*_#•–\-\d.) ]*gravest error ?(?:[:–—-]|in|of|for|\()? ?(.+)$/iu;
/** `Response B: …`, as what a line begins with or is about. */
const labelled =
  /^[*_#•–\- ]*(response |answer )?["'“]?(\p{L}{1,2}|\d{1,2})["'”]?\)?(?: ?[:.–—-] ?(.*))?$/iu;
const nothing = /^["“(]?(?:none|no (?:grave |real )?error|nothing|n\/a|…|-|–|—)[."”)]*$/i;

/**
 * Finds the line in which a reviewer names an answer's gravest error.
 *
 * @param nameOf - The name of a sage by its key; stands for the labels, which mean nothing outside of this review.
 * @returns At most one of each answer, in the order of the review. A line that can't be read, is about a
 *   label that was not shown, or says that there is nothing, is left out. Never throws. Takes time linear
 *   in the text.
 */
export function readObjections(
  { text, labels }: Pick<Review, 'text' | 'labels'>,
  nameOf: (sage: string) => string,
): readonly Objection[] {
  const sageOf = new Map(labels.map(({ label, sage }) => [label, sage]));
  const found = new Map<string, Objection>();
  let heading: string | undefined;
  for (const line of text.split('\n')) {
    const plain = oneLine(line.slice(0, maxLineChars).replaceAll('**', ''));
    const [, told] = announced.exec(plain) ?? [];
    const [, word, label, rest = ''] = labelled.exec(told ?? plain) ?? [];
    if (told === undefined) {
      if (word !== undefined) heading = label?.toUpperCase();
      continue;
    }
    // Under the heading of an answer, its label need not be said again.
    const sage = sageOf.get(label?.toUpperCase() ?? heading ?? '');
    const error = label === undefined ? told : rest;
    if (sage === undefined || found.has(sage) || error === '' || nothing.test(error)) continue;
    const named = error.replace(/\bresponse (\p{L}{1,2}|\d{1,2})\b/giu, (whole, other: string) => {
      const about = sageOf.get(other.toUpperCase());
      return about === undefined ? whole : nameOf(about);
    });
    found.set(sage, { sage, text: firstSentences(named, maxObjectionChars) });
  }
  return [...found.values()];
}
