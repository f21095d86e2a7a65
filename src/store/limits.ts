/**
 * Refuses a limit that is not what the interface allows; the same in every backend.
 *
 * Throws a RangeError.
 *
 * @param most - The highest limit allowed; at least 1.
 */
export function assertLimit(limit: number, most: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return;
  throw new RangeError(`limit is ${limit}. Write a whole number from 1 to ${most}.`);
}
