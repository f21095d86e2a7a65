/** Which model speaks in which part. */

import type { Council } from '../council/council.ts';
import { noModel, noModelWords } from '../models/chat-model.ts';
import { findLocalServer } from '../models/providers.ts';
import { providerOf } from '../settings/file-kinds.ts';
import { knownProviders } from '../settings/known-providers.ts';
import type { Config } from '../settings/load.ts';

/** The council as the files describe it. */
export function councilOf({ settings, sages }: Config): Council {
  const { followUpMode: _, chairTurns: __, timeZone: ___, ...council } = settings.council;
  return {
    ...council,
    bench: sages.map(({ model, ...sage }) => ({ ...sage, source: 'predefined' })),
    limits: settings.limits,
  };
}

/** Names of the models by part, all filled in. */
export interface ModelNames {
  readonly moderator: string;
  readonly chair: string;
  readonly compactor: string;
  /** Who stands in where the model of a part fails, in this order. */
  readonly fallback: readonly string[];
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
    fallback: models.fallback,
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
  return [
    ...new Set([
      names.moderator,
      ...keys.map(names.sage),
      ...keys.map((key) => names.reviewer(key)),
      names.chair,
      names.compactor,
      ...names.fallback,
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
 * `models.default`, or for `auto` the first provider of the table whose key is set, else the first of its
 * local servers that answers; {@link noModel} where there is none of these.
 */
export async function chooseDefaultModel(
  config: Config,
  signal: AbortSignal,
): Promise<DefaultModel> {
  const { models } = config.settings;
  if (models.default !== 'auto') return { name: models.default };
  for (const [provider, { models: known }] of Object.entries(knownProviders)) {
    const { apiKeyEnv } = models.providers[provider] ?? {};
    const model = models.autoModels[provider] ?? known[0];
    if (apiKeyEnv && config.secrets.get(apiKeyEnv) && model)
      return { name: `${provider}:${model}` };
  }
  for (const { provider, chatModels } of await findLocalServers(config, signal)) {
    const model = models.autoModels[provider] ?? chatModels[0];
    if (model) return { name: `${provider}:${model}` };
  }
  return { name: noModel, notice: noModelWords };
}

/** A model server on this machine, or wherever the file or `OLLAMA_HOST` says that it is. */
export interface LocalServer {
  /** e.g. `ollama`. */
  readonly provider: string;
  readonly baseUrl: string;
  /** Names of its models that can chat, possibly none. */
  readonly chatModels: readonly string[];
}

/** The servers of the table that need no key and answer, in its order. Two names for one address are one server. */
export async function findLocalServers(
  { settings }: Config,
  signal: AbortSignal,
): Promise<readonly LocalServer[]> {
  const places = new Map<string, string>();
  for (const provider of Object.keys(knownProviders)) {
    const { baseUrl, apiKeyEnv } = settings.models.providers[provider] ?? {};
    const isTaken = baseUrl !== undefined && [...places.values()].includes(baseUrl);
    if (baseUrl !== undefined && !apiKeyEnv && !isTaken) places.set(provider, baseUrl);
  }
  const found = await Promise.all(
    Array.from(places, async ([provider, baseUrl]) => {
      const chatModels = await findLocalServer(baseUrl, signal);
      return chatModels === undefined ? [] : [{ provider, baseUrl, chatModels }];
    }),
  );
  return found.flat();
}
