/** Decides which model speaks where the settings leave it open. */

import { findLocalServer } from '../models/providers.ts';
import type { Config } from '../settings/load.ts';

/** The model for every part that names none. */
export interface DefaultModel {
  /** `provider:model`. */
  readonly name: string;
  /** One line for people, where they should know which it is and how to have another. */
  readonly notice?: string;
}

const rehearsal: DefaultModel = {
  name: 'rehearsal:sages',
  notice:
    'The rehearsal model is speaking: it knows the sages’ files and nothing else. ' +
    'For a real council put OPENAI_API_KEY or OPENROUTER_API_KEY in the environment or in .env, or start Ollama.',
};

/**
 * `models.default`, or for `auto` the first of: OpenAI's key, OpenRouter's key, a local server that
 * answers, the rehearsal model.
 */
export async function chooseDefaultModel(
  { settings, secrets }: Config,
  signal: AbortSignal,
): Promise<DefaultModel> {
  const { models } = settings;
  if (models.default !== 'auto') return { name: models.default };
  for (const provider of ['openai', 'openrouter'] as const) {
    const { apiKeyEnv } = models.providers[provider] ?? {};
    if (apiKeyEnv && secrets.get(apiKeyEnv)) {
      return { name: `${provider}:${models.autoModels[provider]}` };
    }
  }
  const { ollama } = models.providers;
  const local = ollama ? await findLocalServer(ollama.baseUrl, signal) : undefined;
  const model = local ? (models.autoModels.ollama ?? local[0]) : undefined;
  if (!ollama || !model) return rehearsal;
  return {
    name: `ollama:${model}`,
    notice: `The local server at ${ollama.baseUrl} answers, with ${model}.`,
  };
}
