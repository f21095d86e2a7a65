/** The options of a model and its provider, and how messages refer to them without showing secrets. */

import { redact } from '../domain/log.ts';
import { oneLine, shortened } from '../domain/words.ts';
import type { Provider } from '../settings/known-providers.ts';
import type { ReasoningEffort } from '../settings/model-settings.ts';

/** A provider's address and capabilities, as set in the operator's file; the settings table documents each. */
export interface ProviderOptions
  extends Pick<Provider, 'baseUrl' | 'structuredOutput' | 'streamUsage'>,
    Partial<Pick<Provider, 'apiKeyEnv' | 'outputLimit' | 'statesCost' | 'pictures'>> {
  /** Absent for servers that need none. */
  readonly apiKey?: string;
  /** Absent: the server's default. */
  readonly reasoningEffort?: ReasoningEffort;
  /**
   * How long the server may be silent before the reply, or between two chunks of a stream; in milliseconds,
   * at least 1. Default: 10 minutes. A stage's deadline is the caller's signal.
   */
  readonly requestTimeoutMs?: number;
  /** For requests without a limit of their own. */
  readonly maxOutputTokens?: number;
}

/** A model with its provider's options. */
export interface ModelOptions extends ProviderOptions {
  /** The provider's name, e.g. `openai`. */
  readonly provider: string;
  /** The model's name at the provider, e.g. `gpt-5`. */
  readonly model: string;
}

/** The model that a failure is about. */
export type CalledModel = Pick<
  ModelOptions,
  'provider' | 'model' | 'baseUrl' | 'apiKey' | 'apiKeyEnv'
>;

/** The base URL without credentials and query. */
export function shownUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname === '/' ? '' : pathname}`;
}

/** The model's full name, `provider:model`. */
export function nameOf({ provider, model }: CalledModel): string {
  return `${provider}:${model}`;
}

/** What a key consists of; nothing else can be sent. */
export const keyForm = /^[\x21-\x7e]+$/;

const maxQuotedChars = 300;
/** Enough to fill the quotation after white space is collapsed. */
const maxReadChars = 1000;

/** Makes the server's words safe to show: one line, no key, at most 300 characters. */
export function quotable(text: string, { apiKey = '' }: CalledModel): string {
  return shortened(oneLine(redact(text, [apiKey], maxReadChars)), maxQuotedChars);
}
