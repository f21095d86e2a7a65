/** Finds the labels of the answers in a review's text. Labels may contain any characters. */

/** A letter, digit or mark of a script with spaces between words. */
const wordCharacter = /[[\p{L}\p{M}\p{N}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]]/v;

export interface FoundLabel {
  readonly label: string;
  /** In characters of the text. */
  readonly length: number;
  /** Written in the same case as it was shown. */
  readonly isExact: boolean;
}

interface KnownLabel {
  readonly label: string;
  readonly spelled: string;
  readonly folded: string;
  /** No other label differs from it only in case, so any case matches. */
  readonly isUniqueInAnyCase: boolean;
}

/** An index of the labels that a reviewer was shown. */
export interface Labels {
  /** As given, without duplicates and blank ones. */
  readonly shown: readonly string[];
  /** Every character that occurs in a label. */
  readonly characters: ReadonlySet<string>;
  /** The longest label that is a whole word at this position. */
  at(text: string, position: number): FoundLabel | undefined;
}

/** Replaces full-width forms one for one: `Ａ：＞` becomes `A:>`. */
export function toPlainWidth(text: string): string {
  return text.replace(/[\uff01-\uff5e\u3000]/g, (character) =>
    character === '\u3000' ? ' ' : String.fromCharCode(character.charCodeAt(0) - 0xfee0),
  );
}

export function indexLabels(labels: readonly string[]): Labels {
  const shown = [...new Set(labels)].filter((label) => label.trim() !== '');
  const spellings = shown.map((label) => {
    const spelled = toPlainWidth(label.trim());
    return { label, spelled, folded: spelled.toLowerCase() };
  });
  const timesFolded = new Map<string, number>();
  for (const { folded } of spellings) timesFolded.set(folded, (timesFolded.get(folded) ?? 0) + 1);

  const byFirst = new Map<string, KnownLabel[]>();
  for (const spelling of spellings) {
    const isUniqueInAnyCase = timesFolded.get(spelling.folded) === 1;
    const first = spelling.folded.charAt(0);
    byFirst.set(first, [...(byFirst.get(first) ?? []), { ...spelling, isUniqueInAnyCase }]);
  }
  for (const [first, known] of byFirst) {
    byFirst.set(
      first,
      known.toSorted((one, other) => other.spelled.length - one.spelled.length),
    );
  }

  return {
    shown,
    characters: new Set(spellings.flatMap(({ spelled }) => [...spelled])),
    at(text, position) {
      for (const known of byFirst.get(text.charAt(position).toLowerCase()) ?? []) {
        const written = text.slice(position, position + known.spelled.length);
        const isExact = written === known.spelled;
        if (!isExact && !(known.isUniqueInAnyCase && written.toLowerCase() === known.folded)) {
          continue;
        }
        if (endsInsideWord(text, position + written.length)) continue;
        return { label: known.label, length: written.length, isExact };
      }
      return undefined;
    },
  };
}

function endsInsideWord(text: string, end: number): boolean {
  const following = String.fromCodePoint(text.codePointAt(end) ?? 0x20);
  const isDecimal = /^\d\.\d/.test(text.slice(end - 1, end + 2));
  return isDecimal || (wordCharacter.test(text.charAt(end - 1)) && wordCharacter.test(following));
}
