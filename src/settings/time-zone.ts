/** Follows the words "is not". */
export const timeZoneExpected = 'the name of a time zone, e.g. Europe/Berlin';

/** Whether it is the name of a time zone, e.g. `Europe/Berlin` or `UTC`, as IANA has it; an offset is none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
