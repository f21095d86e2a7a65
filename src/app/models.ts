/** Which model speaks in which part. */

import { noModel, noModelWords } from '../models/chat-model.ts';
import { findLocalServer } from '../models/providers.ts';
import { providerOf } from '../settings/file-kinds.ts';
import type { Config } from '../settings/load.ts';

/** Names of the models by part, all filled in. */
export interface ModelNames {
  readonly moderator: string;
  readonly chair: string;
  readonly chairFallback?: string;
  readonly compactor: string;
  /** Absent: memory is searched by words alone. */
  readonly embedding?: string;
  readonly sage: (key: string) => string;
  /** @param sageModel - What the sage speaks with where it is not its own. */
  readonly reviewer: (key: string, sageModel?: string) => string;
}

/** @param defaultModel - `provider:model` for every part that names none. */
export function modelNames({ settings, sages }: Config, defaultModel: string): ModelNames {
  const { models } = settings;
  const own = new Map(sages.flatMap(({ key, model }) => (model ? [[key, model]] : [])));
  const sage = (key: string) => models.sages[key] ?? own.get(key) ?? models.sage ?? defaultModel;
  return {
    moderator: models.moderator ?? defaultModel,
    chair: models.chair ?? defaultModel,
    ...(models.chairFallback ? { chairFallback: models.chairFallback } : {}),
    compactor: models.compactor ?? defaultModel,
    ...(models.embedding ? { embedding: models.embedding } : {}),
    sage,
    // A sage judges with the model that it thinks with, so that different models judge differently.
    reviewer: (key, sageModel = sage(key)) => models.reviewer ?? sageModel,
  };
}

/** Every model that speaks in some part, each once. */
export function allModels({ sages }: Config, names: ModelNames): readonly string[] {
  const keys = sages.map(({ key }) => key);
  const { chairFallback } = names;
  return [
    ...new Set([
      names.moderator,
      ...keys.map(names.sage),
      ...keys.map((key) => names.reviewer(key)),
      names.chair,
      ...(chairFallback ? [chairFallback] : []),
      names.compactor,
    ]),
  ];
}

/** Every model that is asked for anything, each once. */
export function usedModels(config: Config, names: ModelNames): readonly string[] {
  const { embedding } = names;
  return [...new Set([...allModels(config, names), ...(embedding ? [embedding] : [])])];
}

/**
 * The models that a channel may choose from, each once: those that some part uses, and those that
 * the operator has put a price to; without those whose provider has no address or no key.
 */
export function knownModels(config: Config, names: ModelNames): readonly string[] {
  const { providers, prices } = config.settings.models;
  return [...new Set([...allModels(config, names), ...Object.keys(prices)])].filter((model) => {
    const provider = providers[providerOf(model)];
    return provider && (!provider.apiKeyEnv || config.secrets.get(provider.apiKeyEnv));
  });
}

/** The set-up names a model that can't be asked. The message lists each, and what to do. */
export class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
}

/** Throws {@link MissingKeyError} when a provider that some part uses has no key. */
export function assertKeys(config: Config, names: ModelNames): void {
  const missing = usedModels(config, names).flatMap((model) => {
    const variable = config.settings.models.providers[providerOf(model)]?.apiKeyEnv;
    return variable && !config.secrets.get(variable)
      ? [`${model} needs ${variable}, and it is not set.`]
      : [];
  });
  if (missing.length === 0) return;
  throw new MissingKeyError(
    `${missing.join('\n')}\nPut the key in the environment or in .env, or name another model in config/council.yaml.`,
  );
}

/** The model for every part that names none. */
export interface DefaultModel {
  /** `provider:model`. */
  readonly name: string;
  /** One line for people, where they should know which it is and how to have another. */
  readonly notice?: string;
}

/**
 * `models.default`, or for `auto` the first of: OpenAI's key, OpenRouter's key, a local server that
 * answers; {@link noModel} where there is none of these.
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
  if (!ollama || !model) return { name: noModel, notice: noModelWords };
  return {
    name: `ollama:${model}`,
    notice: `The local server at ${ollama.baseUrl} answers, with ${model}.`,
  };
}
