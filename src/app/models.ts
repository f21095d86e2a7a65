/** The council as configured: its members, and the model of each role. */

import type { Council } from '../council/council.ts';
import { noModel } from '../models/chat-model.ts';
import { keyForm } from '../models/model-options.ts';
import { listChatModels } from '../models/providers.ts';
import { providerOf } from '../settings/file-kinds.ts';
import { knownProviders } from '../settings/known-providers.ts';
import type { Config } from '../settings/load.ts';
import { presetModels } from '../settings/preset-settings.ts';

export function councilOf({ settings, sages }: Config): Council {
  const { followUpMode: _, chairTurns: __, timeZone: ___, ...council } = settings.council;
  return {
    ...council,
    bench: sages.map(({ model, ...sage }) => ({ ...sage, source: 'predefined' })),
    limits: settings.limits,
  };
}

/** The model of each role, as `provider:model`. */
export interface ModelNames {
  readonly moderator: string;
  readonly chair: string;
  readonly compactor: string;
  /** Models to try if a role's own model fails, in this order. */
  readonly fallback: readonly string[];
  /** Without it, memory is searched by words alone. */
  readonly embedding?: string;
  readonly sage: (key: string) => string;
  /** @param sageModel - The sage's model, if not its configured one. */
  readonly reviewer: (key: string, sageModel?: string) => string;
}

/** @param defaultModel - `provider:model` for every role without a model of its own. */
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
    // A sage reviews with the model it answers with, so that different models judge differently.
    reviewer: (key, sageModel = sage(key)) => models.reviewer ?? sageModel,
  };
}

/** All chat models in use, without duplicates. */
export function allModels({ sages, settings }: Config, names: ModelNames): readonly string[] {
  const keys = sages.map(({ key }) => key);
  const presets = Object.values(settings.presets);
  return [
    ...new Set([
      names.moderator,
      ...keys.map(names.sage),
      ...keys.map((key) => names.reviewer(key)),
      names.chair,
      names.compactor,
      ...names.fallback,
      ...presets.flatMap((preset) => presetModels.flatMap((part) => preset[part] ?? [])),
    ]),
  ];
}

/** All models in use, including the embedding model, without duplicates. */
export function usedModels(config: Config, names: ModelNames): readonly string[] {
  const { embedding } = names;
  return [...new Set([...allModels(config, names), ...(embedding ? [embedding] : [])])];
}

/**
 * The models that a channel may choose from, without duplicates: those in use and those with a price in the
 * settings, unless their provider has no address or no key.
 */
export function knownModels(config: Config, names: ModelNames): readonly string[] {
  const { providers, prices } = config.settings.models;
  return [...new Set([...allModels(config, names), ...Object.keys(prices)])].filter((model) => {
    const provider = providers[providerOf(model)];
    return provider && (!provider.apiKeyEnv || config.secrets.get(provider.apiKeyEnv));
  });
}

/** Models in use have no key, or none that can be sent. The message lists them and says what to do. */
export class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
}

/** Throws {@link MissingKeyError} if the provider of a model in use has no key that can be sent. */
export function assertKeys(config: Config, names: ModelNames): void {
  const missing = usedModels(config, names).flatMap((model) => {
    const variable = config.settings.models.providers[providerOf(model)]?.apiKeyEnv;
    if (!variable) return [];
    const key = config.secrets.get(variable);
    if (key === undefined) return [`${model} needs ${variable}, and it is not set.`];
    if (keyForm.test(key)) return [];
    return [
      `${variable}, for ${model}, holds a character that no key has, e.g. a space or a curly quote.`,
    ];
  });
  if (missing.length === 0) return;
  throw new MissingKeyError(
    `${[...missing, ...config.misplaced].join('\n')}\nPut the key in the environment or in .env, or name another model in ${config.file}.`,
  );
}

/**
 * Chooses the model for every role without a model of its own: `models.default`, or for `auto` that of the
 * first known provider with a key, else of the first local server that answers, else {@link noModel}.
 *
 * @returns `provider:model`.
 */
export async function chooseDefaultModel(config: Config, signal: AbortSignal): Promise<string> {
  const { models } = config.settings;
  if (models.default !== 'auto') return models.default;
  for (const [provider, { models: known }] of Object.entries(knownProviders)) {
    const { apiKeyEnv } = models.providers[provider] ?? {};
    const model = models.autoModels[provider] ?? known[0];
    if (apiKeyEnv && config.secrets.get(apiKeyEnv) && model) return `${provider}:${model}`;
  }
  for (const { provider, chatModels } of await findLocalServers(config, signal)) {
    const model = models.autoModels[provider] ?? chatModels[0];
    if (model) return `${provider}:${model}`;
  }
  return noModel;
}

/** A model server on this machine, or at the address in the settings or `OLLAMA_HOST`. */
export interface LocalServer {
  /** e.g. `ollama`. */
  readonly provider: string;
  readonly baseUrl: string;
  /** Names of its chat models, possibly none. */
  readonly chatModels: readonly string[];
}

/** Finds the servers that need no key and answer, known ones first. An address that two providers share counts once. */
export async function findLocalServers(
  { settings }: Config,
  signal: AbortSignal,
): Promise<readonly LocalServer[]> {
  const addresses = new Map<string, string>();
  for (const [provider, { baseUrl, apiKeyEnv }] of Object.entries(settings.models.providers)) {
    const isTaken = [...addresses.values()].includes(baseUrl);
    if (!apiKeyEnv && !isTaken) addresses.set(provider, baseUrl);
  }
  const found = await Promise.all(
    Array.from(addresses, async ([provider, baseUrl]) => {
      const chatModels = await listChatModels({ baseUrl }, signal);
      return chatModels === undefined ? [] : [{ provider, baseUrl, chatModels }];
    }),
  );
  return found.flat();
}
