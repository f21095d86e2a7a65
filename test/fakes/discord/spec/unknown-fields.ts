/**
 * Names the fields of a body that a schema passed over: misspelt, or of another route.
 *
 * @param given - The body as it came.
 * @param known - The same body after the schema had kept what it knows.
 * @param says - Which values count; all when left out.
 * @returns Paths such as `embeds.0.colour`.
 */
export function unknownFields(
  given: unknown,
  known: unknown,
  says: (value: unknown) => boolean = () => true,
): string[] {
  const compare = (part: unknown, knownPart: unknown, path: string): string[] => {
    if (Array.isArray(part) && Array.isArray(knownPart)) {
      return part.flatMap((item, index) => compare(item, knownPart[index], `${path}${index}.`));
    }
    if (!isRecord(part) || !isRecord(knownPart)) return [];
    const fields = Object.entries(part).filter(([, value]) => says(value));
    return fields.flatMap(([field, value]) =>
      field in knownPart
        ? compare(value, knownPart[field], `${path}${field}.`)
        : [`${path}${field}`],
    );
  };
  return compare(given, known, '');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
