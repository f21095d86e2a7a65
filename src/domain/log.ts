/** The log, and the removal of secrets from text that is logged or shown. */

/** What happened, as data, e.g. `{ turnId, sage: 'nassim_taleb', latencyMs: 812 }`. */
export type LogFacts = Readonly<Record<string, unknown>>;

/**
 * One line per event: its facts first, then a sentence. Prompts, answers and anything else that people
 * or models said are never logged, at any level. An error goes into the fact `error`, with its causes:
 * its name, message, stack and codes are logged, and none of its other fields. One whose message quotes
 * other people's words gives them as `said`, and they are left out.
 */
export interface Log {
  info(facts: LogFacts, sentence: string): void;
  warn(facts: LogFacts, sentence: string): void;
  error(facts: LogFacts, sentence: string): void;
  /** A log that adds these facts to each of its lines. */
  child(facts: LogFacts): Log;
}

/** For work that logs nothing, e.g. a check whose findings are its result. */
export const silentLog: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
};

export const redacted = '[redacted]';

/** A beginning of a secret that is shorter than this gives nothing away. */
const tellingChars = 4;

/** Where a secret may follow: a name, its quotation marks, and what says that the value comes next. */
const named = String.raw`(\b(?:x-)?(?:api[-_]?key|authorization|(?:access|refresh|auth|bot)[-_]?token|client[-_]?secret|password)["']?\s{0,3}[:=]\s{0,3}["']?)`;

/**
 * What is secret by its form. Each begins with something fixed or takes so many characters at most, so
 * that the time is in proportion to the text.
 */
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
  // Slack's tokens, and Discord's; both also where they stand in an address.
  [/\bx(?:ox[a-z]|oxe\.xox[a-z]|app)-[\w-]+/g, redacted],
  [/(?<![\w-])[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}/g, redacted],
  [/(\/webhooks\/\d{1,25}\/)[\w-]+/g, `$1${redacted}`],
  [/(\bhooks\.slack\.com\/)[\w/-]+/g, `$1${redacted}`],
  // redis://name:password@host
  [/(\b[a-z][a-z\d+.-]{0,30}:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi, `$1${redacted}`],
];

/**
 * The text without secrets. It is cut first: what a stranger has sent may be long.
 *
 * @param secrets - Replaced wherever they occur, also as they look inside JSON and inside an address;
 *   what else has the form of a key, a token or a password is replaced as well.
 * @param mostChars - So many characters of the text are looked at.
 */
export function redact(text: string, secrets: readonly string[], mostChars: number): string {
  const spelled = [...new Set(secrets.filter((secret) => secret !== '').flatMap(spellings))];
  const longestFirst = spelled.toSorted((one, other) => other.length - one.length);
  let safe = text.slice(0, mostChars);
  if (text.length > mostChars) safe = withoutBegun(safe, longestFirst);
  for (const secret of longestFirst) safe = safe.replaceAll(secret, redacted);
  for (const [form, replacement] of forms) safe = safe.replace(form, replacement);
  return safe;
}

/** A secret as it is, and as it looks inside JSON and inside an address. */
function spellings(secret: string): readonly string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
}

/** Without the beginning of a secret that the cut has left. */
function withoutBegun(cut: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= tellingChars; length -= 1) {
      if (cut.endsWith(secret.slice(0, length))) return cut.slice(0, -length);
    }
  }
  return cut;
}
