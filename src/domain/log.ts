/** The log, and the removal of secrets from text that is logged or shown. */

/** The facts of an event, e.g. `{ turnId, sage: 'nassim_taleb', latencyMs: 812 }`. */
export type LogFacts = Readonly<Record<string, unknown>>;

/**
 * One line per event: its facts first, then a sentence. Prompts, answers and anything else that people
 * or models wrote are never logged, at any level. An error goes into the fact `error`, with its causes: only its
 * name, message, stack and codes are logged. An error whose message quotes people lists the quotes in `said`, and
 * they are removed.
 */
export interface Log {
  info(facts: LogFacts, sentence: string): void;
  warn(facts: LogFacts, sentence: string): void;
  error(facts: LogFacts, sentence: string): void;
  /** Returns a log that adds these facts to each line. */
  child(facts: LogFacts): Log;
}

/** Discards everything, for checks that report by their result. */
export const silentLog: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
};

export const redacted = '[redacted]';

/** A shorter prefix of a secret reveals nothing. */
const revealingChars = 4;

/** The name of a secret, up to its value. */
const named = String.raw`(\b(?:x-)?(?:api[-_]?key|authorization|(?:access|refresh|auth|bot)[-_]?token|client[-_]?secret|password)["']?\s{0,3}[:=]\s{0,3}["']?)`;

/** Recognizable secrets. Each pattern starts with a fixed text or has a bounded length, so matching takes linear time. */
const forms: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(String.raw`${named}(?:(?:Bearer|Basic|Bot)\s{1,3})?[^\s"'&,;}]+`, 'gi'),
    `$1${redacted}`,
  ],
  [/\b(Bearer|Basic)\s{1,9}[\w.~+/=-]+/gi, `$1 ${redacted}`],
  [/([?&;](?:key|token|sig|signature|secret|auth|code)=)[^\s"'&#;]+/gi, `$1${redacted}`],
  // Keys of model providers.
  [/\b(?:sk|pk|rk|gsk|xai|pplx|nvapi|hf|r8)[-_][\w*.-]{4,}/g, redacted],
  [/\bAIza[\w-]{20,}/g, redacted],
  // Slack's and Discord's tokens, then the same within webhook URLs.
  [/\bx(?:ox[a-z]|oxe\.xox[a-z]|app)-[\w-]+/g, redacted],
  [/(?<![\w-])[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}/g, redacted],
  [/(\/webhooks\/\d{1,25}\/)[\w-]+/g, `$1${redacted}`],
  [/(\bhooks\.slack\.com\/)[\w/-]+/g, `$1${redacted}`],
  // redis://name:password@host
  [/(\b[a-z][a-z\d+.-]{0,30}:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi, `$1${redacted}`],
];

/**
 * Cuts a text and removes its secrets.
 *
 * @param secrets - Replaced wherever they occur, also escaped in JSON and in URLs. Anything else that looks like
 *   a key, a token or a password is replaced as well.
 * @param mostChars - The text is cut to this length first, because a stranger's text may be long.
 */
export function redact(text: string, secrets: readonly string[], mostChars: number): string {
  const spelled = [...new Set(secrets.filter((secret) => secret !== '').flatMap(spellings))];
  const longestFirst = spelled.toSorted((one, other) => other.length - one.length);
  let safe = text.slice(0, mostChars);
  if (text.length > mostChars) safe = withoutCutSecret(safe, longestFirst);
  for (const secret of longestFirst) safe = safe.replaceAll(secret, redacted);
  for (const [form, replacement] of forms) safe = safe.replace(form, replacement);
  return safe;
}

/** A secret as it is, escaped in JSON, and in a URL. */
function spellings(secret: string): readonly string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
}

/** Removes the beginning of a secret that was cut in two. */
function withoutCutSecret(cut: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= revealingChars; length -= 1) {
      if (cut.endsWith(secret.slice(0, length))) return cut.slice(0, -length);
    }
  }
  return cut;
}
