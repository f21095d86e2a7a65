/** Finds the labels of the answers in a review's text. Labels may contain any characters. */

/** A letter, digit or mark of a script with spaces between words. */
const wordCharacter = /[[\p{L}\p{M}\p{N}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]]/v;

interface FoundLabel {
  readonly label: string;
  /** In characters of the text. */
  readonly length: number;
  /** Written in the same case as it was shown. */
  readonly isExact: boolean;
}

/** An index of the labels that a reviewer was shown. */
export interface Labels {
  /** As given, without duplicates and blank ones. */
  readonly shown: readonly string[];
  /** The longest label that is a whole word at this position. */
  at(text: string, position: number): FoundLabel | undefined;
}

const otherDigits = '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯';

/** Replaces full-width forms and digits of other scripts one for one: `Ａ：＞` becomes `A:>`, `۲` becomes `2`. */
export function toPlainWidth(text: string): string {
  return text
    .replace(/[٠-٩۰-۹०-९০-৯]/g, (digit) => `${otherDigits.indexOf(digit) % 10}`)
    .replace(/[\uff01-\uff5e\u3000]/g, (character) =>
      character === '\u3000' ? ' ' : String.fromCharCode(character.charCodeAt(0) - 0xfee0),
    );
}

export function indexLabels(labels: readonly string[]): Labels {
  const shown = [...new Set(labels)].filter((label) => label.trim() !== '');
  const spellings = shown.map((label) => {
    const spelled = toPlainWidth(label.trim());
    return { label, spelled, folded: spelled.toLowerCase() };
  });
  const known = spellings
    .map((one) => {
      const alike = spellings.filter(({ folded }) => folded === one.folded);
      /** No other label differs from it only in case, so any case matches. */
      const isUniqueInAnyCase = alike.length === 1;
      return { ...one, isUniqueInAnyCase };
    })
    .toSorted((one, other) => other.spelled.length - one.spelled.length);

  return {
    shown,
    at(text, position) {
      for (const { label, spelled, folded, isUniqueInAnyCase } of known) {
        const isExact = text.startsWith(spelled, position);
        const end = position + spelled.length;
        const isAlike = isUniqueInAnyCase && text.slice(position, end).toLowerCase() === folded;
        if ((isExact || isAlike) && !endsInsideWord(text, end)) {
          return { label, length: spelled.length, isExact };
        }
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
