/** Who was called, and how that is told to people: no secret is ever in it. */

import { redact } from '../domain/log.ts';
import { oneLine, shortened } from '../domain/words.ts';
import type { Provider } from '../settings/known-providers.ts';
import type { ReasoningEffort } from '../settings/model-settings.ts';

/** How a provider is reached, and what it can do: as the operator's file says, whose table explains each. */
export interface ProviderOptions
  extends Pick<Provider, 'baseUrl' | 'structuredOutput' | 'streamUsage'>,
    Partial<Pick<Provider, 'apiKeyEnv' | 'outputLimit' | 'statesCost' | 'pictures'>> {
  /** Absent for servers that want none. */
  readonly apiKey?: string;
  /** How much a reasoning model should think; absent: the server's own default. */
  readonly reasoningEffort?: ReasoningEffort;
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
