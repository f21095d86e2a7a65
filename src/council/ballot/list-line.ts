/** Takes a line apart: its indentation, its bullet or heading mark, and its tokens. */

import type { Labels } from './labels.ts';
import type { ListLine } from './lists.ts';
import { readMention } from './mention.ts';
import { type Token, tokenize } from './tokens.ts';

const headingMark = /^#{1,6}\s{1,4}/;
const bulletMark = /^(?:[-*+•‣▪●○◦·–—►▶➤→✓✔✅★☆⭐]|->|=>)\s{1,8}/u;
const boldLine = /^(?:\*\*|__)[^*_]{1,120}(?:\*\*|__):?$/;

export function toListLine(text: string, labels: Labels): ListLine {
  const written = text.trimStart();
  const indent = text.slice(0, text.length - written.length).replaceAll('\t', '    ').length;
  const content = written.trimEnd();
  const withoutHeading = content.replace(headingMark, '');
  const withoutBullet = withoutHeading.replace(bulletMark, '');
  const tokens = tokenize(withoutBullet, labels);
  const isBold = boldLine.test(content) && readMention(tokens, 0) === undefined;
  return {
    indent,
    isHeading: withoutHeading !== content || isBold,
    hasBullet: withoutBullet !== withoutHeading,
    isBlank: content === '',
    tokens,
  };
}

/** What remains of a line after something that was read from it, as a line of its own. */
export function toRestOfLine(tokens: readonly Token[]): ListLine {
  return { indent: 0, isHeading: false, hasBullet: false, isBlank: tokens.length === 0, tokens };
}
