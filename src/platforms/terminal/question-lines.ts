import { paletteFor } from './colour.ts';
import type { Page } from './page.ts';
import { plainText } from './plain-text.ts';
import { proseLines } from './prose.ts';

/** What a person has said, as it is repeated above the answers: its words as they were typed. */
export function questionLines(
  question: string,
  { palette, width, isLive }: Page,
): readonly string[] {
  const mark = isLive ? '› ' : '> ';
  const lines = proseLines(plainText(question), {
    palette: paletteFor(false),
    width: width - mark.length,
  });
  return [
    '',
    ...lines.map((line, row) => {
      const margin = row === 0 || !isLive ? mark : ' '.repeat(mark.length);
      return palette.strong(margin + line).trimEnd();
    }),
  ];
}
