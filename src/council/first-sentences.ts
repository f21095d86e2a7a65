/** Divides at sentence ends as Unicode has them, in any script. */
const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The beginning of a text, in whole sentences, on one line.
 *
 * @param maxChars - Upper bound of the result, at least 1.
 * @returns As many whole sentences as fit. Where not even the first one fits, as much of it as does,
 *   ending in `…`. Never cuts through a character, however many code units it has.
 */
export function firstSentences(text: string, maxChars: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= maxChars) {
    return line;
  }
  let kept = '';
  for (const { segment } of sentences.segment(line)) {
    if ((kept + segment).trimEnd().length > maxChars) {
      break;
    }
    kept += segment;
  }
  return kept.trimEnd() || `${cut(line, maxChars - 1).trimEnd()}…`;
}

function cut(line: string, maxChars: number): string {
  let kept = '';
  for (const { segment } of characters.segment(line)) {
    if (kept.length + segment.length > maxChars) {
      break;
    }
    kept += segment;
  }
  return kept;
}
