/**
 * Names the fields of a body that a schema passed over: misspelt, or of another route. `null` and `false`
 * ask for nothing, and clients send them by default: those are left out.
 *
 * @param given - The body as it came.
 * @param known - The same body after the schema had kept what it knows.
 * @returns Paths such as `embeds.0.colour`.
 */
export function unknownFields(given: unknown, known: unknown, path = ''): string[] {
  if (Array.isArray(given) && Array.isArray(known)) {
    return given.flatMap((item, index) => unknownFields(item, known[index], `${path}${index}.`));
  }
  if (!isRecord(given) || !isRecord(known)) return [];
  const said = Object.entries(given).filter(([, value]) => value !== null && value !== false);
  return said.flatMap(([field, value]) =>
    field in known ? unknownFields(value, known[field], `${path}${field}.`) : [`${path}${field}`],
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
