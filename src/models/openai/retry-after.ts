/**
 * Reads how long a server asks to wait, from `retry-after-ms` (milliseconds) or `Retry-After`
 * (seconds, or a date).
 *
 * @param headers - The headers of the refusing reply.
 * @param now - Milliseconds since 1970, to which a date is compared.
 * @returns Milliseconds, never below 0; `undefined` where it asks for nothing that can be read.
 * @see RFC 9110, section 10.2.3.
 */
export function readRetryAfter(headers: Headers | undefined, now: number): number | undefined {
  const exact = asNumber(headers?.get('retry-after-ms'));
  if (exact !== undefined) {
    return exact;
  }
  const asked = headers?.get('retry-after');
  const seconds = asNumber(asked);
  if (seconds !== undefined) {
    return seconds * 1000;
  }
  // Every form of an HTTP date begins with the weekday; without that, `Date.parse` sees dates in anything.
  const date = /^\s*[A-Z][a-z]{2,8},? /.test(asked ?? '') ? Date.parse(asked ?? '') : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function asNumber(text: string | null | undefined): number | undefined {
  return text !== null && text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text)
    ? Number(text)
    : undefined;
}
