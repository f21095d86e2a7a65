/** Takes secrets out of what is about to be logged, and makes plain data of it. */

export const redacted = '[redacted]';

/** Deeper things are named and not shown, as are longer lists and texts. */
const mostLevels = 8;
const mostItems = 200;
const mostChars = 10_000;

/** Names of what is secret by nature. Counts such as `inputTokens` are none. */
const secretName =
  /(?:api[-_]?key|authorization|token|secret|password|passphrase|cookie|credentials?|^headers)$/i;
/** Tokens of Slack, which come to be known only while the process runs. */
const slackToken = /\bx(?:ox[a-z]|oxe\.xox[a-z]|app)-[\w-]+/g;
const bearer = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi;
/** `redis://name:password@host`. */
const passwordInAddress = /(\b[a-z][a-z\d+.-]*:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi;

export interface Redaction {
  text(text: string): string;
  /** A copy as JSON knows it: errors with message, stack, own fields and causes; circles are cut. */
  facts(facts: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/** A secret as it is, and as it looks inside JSON and inside an address. */
function spellings(secret: string): readonly string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
}

function ownFields(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).slice(0, mostItems);
}

/** @param secrets - Replaced wherever they occur, the longest first. */
export function createRedaction(secrets: readonly string[]): Redaction {
  const spelled = [...new Set(secrets.filter((secret) => secret !== '').flatMap(spellings))];
  const longestFirst = spelled.toSorted((one, other) => other.length - one.length);

  const text = (original: string): string => {
    let safe = original;
    for (const secret of longestFirst) safe = safe.replaceAll(secret, redacted);
    safe = safe
      .replace(slackToken, redacted)
      .replace(bearer, `$1 ${redacted}`)
      .replace(passwordInAddress, `$1${redacted}`);
    const more = safe.length - mostChars;
    return more > 0 ? `${safe.slice(0, mostChars)}… (${more} characters more)` : safe;
  };

  const record = (value: object, above: readonly object[]): Record<string, unknown> =>
    Object.fromEntries(
      ownFields(value).map(([name, field]) => [
        text(name),
        secretName.test(name) && field !== undefined ? redacted : plain(field, above),
      ]),
    );

  const plainError = (error: Error, above: readonly object[]): Record<string, unknown> => ({
    type: error.name,
    message: text(error.message),
    stack: text(error.stack ?? ''),
    ...record(error, above),
    ...(error instanceof AggregateError ? { errors: plain(error.errors, above) } : {}),
    ...(error.cause === undefined ? {} : { cause: plain(error.cause, above) }),
  });

  const plain = (value: unknown, above: readonly object[]): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'bigint' || typeof value === 'symbol') return text(String(value));
    if (typeof value === 'function') return '(function)';
    if (typeof value !== 'object' || value === null) return value;
    if (above.includes(value)) return '(circular)';
    if (above.length >= mostLevels) return '(deeper)';
    const path = [...above, value];
    if (value instanceof Error) return plainError(value, path);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (value instanceof URL) return text(value.href);
    if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
    if (value instanceof Map) return record(Object.fromEntries(value), path);
    if (Array.isArray(value) || value instanceof Set) {
      return [...value].slice(0, mostItems).map((item) => plain(item, path));
    }
    return record(value, path);
  };

  return { text, facts: (facts) => record(facts, [facts]) };
}
