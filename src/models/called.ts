/** Who was called, and how that is told to people: no secret is ever in it. */

/** Who was called. */
export interface Called {
  readonly provider: string;
  /** The model's name at the provider. */
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Name of the environment variable that the key comes from, e.g. `OPENAI_API_KEY`. */
  readonly apiKeyEnv?: string;
}

/** The base URL without what must not be shown. */
export function shownUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname === '/' ? '' : pathname}`;
}

/** Where chat calls are sent, as {@link shownUrl} shows it. */
export function chatUrl({ baseUrl }: Called): string {
  return `${shownUrl(baseUrl).replace(/\/+$/, '')}/chat/completions`;
}

/** The model's full name, `provider:model`. */
export function nameOf({ provider, model }: Called): string {
  return `${provider}:${model}`;
}

const maxQuotedChars = 300;
/** Looked at for them; keys are cut out before. */
const maxReadChars = 10_000;

/** The server's words, safe to show: one line, no key, at most 300 characters. */
export function redact(text: string, { apiKey }: Called): string {
  const withoutKey = apiKey ? text.replaceAll(apiKey, '[key]') : text;
  const line = withoutKey
    .slice(0, maxReadChars)
    .replace(/\b(?:sk|pk|rk|gsk|xai)-[\w*.-]{4,}/g, '[key]')
    .replace(/\bBearer\s+\S+/gi, '[key]')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > maxQuotedChars ? `${line.slice(0, maxQuotedChars - 1)}…` : line;
}
