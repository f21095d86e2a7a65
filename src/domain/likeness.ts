/** What a name looks like at a glance. */

/** Letters of other scripts, and digits, each with the Latin letter that it looks like; in lower case. */
const lookalikes: ReadonlyMap<string, string> = new Map(
  [
    // Cyrillic
    'аa вb гr дd еe зe иu кk мm нh оo пn рp сc тt уy хx ѕs іi јj ԁd ԛq ԝw һh ӏi',
    // Greek
    'αa βb γy εe ηn ιi κk μu νv οo ρp σo τt υu χx ωw',
    // Latin letters that are no plain ones, and small capitals
    'ıi łi øo đd ħh ŧt ɑa ɡg ɩi ᴀa ʙb ᴄc ᴅd ᴇe ɢg ʜh ɪi ᴊj ᴋk ʟi ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz',
    // Digits, and the letter that looks like one of them
    '0o 1i 3e 4a 5s 7t 8b li',
  ]
    .join(' ')
    .split(' ')
    .map(([from = '', to = '']) => [from, to] as const),
);

/**
 * Two names of the same likeness are easily taken for each other: case, accents, signs, spaces and
 * letters of other scripts that look the same make no difference. Empty for a name without letters
 * and digits.
 */
export function likeness(name: string): string {
  return wordsAlike(name).join('');
}

/** The likeness of each word. */
export function wordsAlike(name: string): readonly string[] {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).map((word) =>
    [...word].map((sign) => lookalikes.get(sign) ?? sign).join(''),
  );
}
