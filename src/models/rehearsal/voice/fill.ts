/** Puts words into the places of a phrase. */

/**
 * @param phrase - Places are names in braces, e.g. `{matter}`; one without a value stays as it is.
 * @param values - Put in as they are: braces in a value are never taken for places.
 */
export function fill(phrase: string, values: Readonly<Record<string, string>>): string {
  return phrase.replaceAll(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? place) : place,
  );
}
