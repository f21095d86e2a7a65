/** Who was called, and how that is told to people: no secret is ever in it. */

import { redact } from '../domain/redaction.ts';
import { oneLine, shortened } from '../domain/words.ts';

/** How a provider is reached, and what it can do. */
export interface ProviderOptions {
  /** e.g. `https://api.openai.com/v1`. No user name or password in it. */
  readonly baseUrl: string;
  /** Absent for servers that want none. */
  readonly apiKey?: string;
  /** Name of the environment variable that the key comes from; told to people when the key is rejected. */
  readonly apiKeyEnv?: string;
  /**
   * How the server is brought to reply in JSON: by the schema itself, by JSON of any shape with the
   * schema in the prompt, or by the prompt alone. A server that refuses it is asked in the next way.
   */
  readonly structuredOutput: 'json_schema' | 'json_object' | 'prompt';
  /** Ask for token figures at the end of a stream. */
  readonly streamUsage: boolean;
  /** The name under which the server takes the output limit; one that refuses it is sent the other. Default: `max_tokens`. */
  readonly outputLimit?: 'max_tokens' | 'max_completion_tokens';
  /** The server states the price of a call when asked to. Default: false. */
  readonly statesCost?: boolean;
  /** Its models look at pictures; one that refuses them is asked without. Default: false. */
  readonly pictures?: boolean;
  /** How much a reasoning model should think; absent: the server's own default. */
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
  /**
   * How long the server may be silent, in milliseconds, at least 1: from the request to the reply, or
   * in a stream between two chunks. Absent: 10 minutes. The deadline of a stage is the caller's signal.
   */
  readonly requestTimeoutMs?: number;
}

/** A model, with how its provider is reached. */
export interface ModelOptions extends ProviderOptions {
  /** The provider's name, e.g. `openai`. */
  readonly provider: string;
  /** The model's name at the provider, e.g. `gpt-5`. */
  readonly model: string;
}

/** Who was called. */
export type Called = Pick<ModelOptions, 'provider' | 'model' | 'baseUrl' | 'apiKey' | 'apiKeyEnv'>;

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
  return shortened(oneLine(redact(text, [apiKey], maxReadChars)), maxQuotedChars);
}
