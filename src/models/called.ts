/** Who was called, and how that is told to people: no secret is ever in it. */

import { redact } from '../domain/redaction.ts';

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
/** Enough for so many that are left when white space is one space. */
const maxReadChars = 1000;

/** The server's words, safe to show: one line, no key, at most 300 characters. */
export function quotable(text: string, { apiKey = '' }: Called): string {
  const line = redact(text, [apiKey], maxReadChars).replace(/\s+/g, ' ').trim();
  return line.length > maxQuotedChars ? `${line.slice(0, maxQuotedChars - 1)}…` : line;
}
