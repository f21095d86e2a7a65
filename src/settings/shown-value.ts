/** How a value from a file is quoted back to the person who wrote it, without giving a secret away. */

/** Longer text is cut: the line number tells where the rest is. */
const maxShownChars = 60;

/**
 * A value in a few words: `"opus"`, `12`, `a list`. Text that could be a key, or an address with a
 * password in it, is only counted: `a text of 51 characters`.
 */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a group of settings';
  if (typeof value !== 'string') return String(value);
  if (mayBeSecret(value)) return hiddenText(value);
  return JSON.stringify(value.length > maxShownChars ? `${value.slice(0, maxShownChars)}…` : value);
}

/** Tells only how long a text is. */
export function hiddenText(text: string): string {
  return `a text of ${text.length} characters`;
}

/** A name from a file, for use in a sentence; hidden where somebody has put a key in its place. */
export function shownName(name: string): string {
  if (mayBeSecret(name)) return `(${hiddenText(name)})`;
  return name.length > maxShownChars ? `${name.slice(0, maxShownChars)}…` : name;
}

/** Errs on the side of hiding: what is hidden can be read in the file. */
function mayBeSecret(text: string): boolean {
  return (
    /(?:^|[^a-z])(?:sk|pk|gsk|hf|xai|xox[a-z]|xapp|gh[a-z]|github_pat|AIza)[-_]/i.test(text) ||
    text.includes('@') ||
    text.includes('?') ||
    (text.match(/[\w+/=.-]{20,}/g) ?? []).some(looksRandom)
  );
}

/** Keys mix digits with letters of both cases, or are long runs of hexadecimal digits; names don't. */
function looksRandom(run: string): boolean {
  return (/\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run)) || /[\da-f]{24,}/i.test(run);
}
