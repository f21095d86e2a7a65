/** Which model speaks in which part, wrapped for use: retried, counted, bounded. */

import type { Config } from '../../config/load.ts';
import { providerOf } from '../../config/setting.ts';
import type { OpenModels } from '../bot/turn-run.ts';
import type { Sage } from '../council/council.ts';
import type { PriceOf } from '../council/estimate.ts';
import type { ChatModel } from '../models/chat-model.ts';
import { type Permits, withPermits } from '../models/permits.ts';
import { openEmbedder, openModel, type Providers } from '../models/providers.ts';
import { withRetry } from '../models/retry.ts';
import { withEmbeddingUsage, withUsage } from '../models/usage.ts';

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
export function allModels(names: ModelNames, sageKeys: readonly string[]): readonly string[] {
  return [
    ...new Set([
      names.moderator,
      ...sageKeys.map(names.sage),
      ...sageKeys.map((key) => names.reviewer(key)),
      names.chair,
      ...(names.chairFallback ? [names.chairFallback] : []),
      names.compactor,
    ]),
  ];
}

/** Every model that is asked for anything, each once. */
export function usedModels(names: ModelNames, sageKeys: readonly string[]): readonly string[] {
  const { embedding } = names;
  return [...new Set([...allModels(names, sageKeys), ...(embedding ? [embedding] : [])])];
}

/** @param rehearsalUrl - Where the bot's own rehearsal server listens, if it runs. */
export function providersOf(
  { settings, secrets }: Config,
  rehearsalUrl: string | undefined,
): Providers {
  const { providers, reasoningEffort } = settings.models;
  return Object.fromEntries(
    Object.entries(providers).map(([name, { apiKeyEnv, maxConcurrentCalls: _, ...provider }]) => {
      const apiKey = apiKeyEnv ? secrets.get(apiKeyEnv) : undefined;
      return [
        name,
        {
          ...provider,
          ...(name === 'rehearsal' && rehearsalUrl ? { baseUrl: rehearsalUrl } : {}),
          ...(apiKeyEnv ? { apiKeyEnv } : {}),
          ...(apiKey ? { apiKey } : {}),
          ...(reasoningEffort ? { reasoningEffort } : {}),
        },
      ];
    }),
  );
}

/** Permits of a provider's calls; `undefined` for one whose calls are not limited. */
export type PermitsFor = (provider: string) => Permits | undefined;

/** Opens each model once, and gives each turn its own count of its calls. */
export function createModelOpener(
  { settings }: Config,
  names: ModelNames,
  providers: Providers,
  permitsFor: PermitsFor = () => undefined,
): OpenModels {
  const opened = new Map<string, ChatModel>();
  const { prices } = settings.models;
  const { maxOutputTokens } = settings.limits;
  const open = (name: string) => {
    const model = opened.get(name) ?? withMaxOutput(openModel(name, providers), maxOutputTokens);
    opened.set(name, model);
    return model;
  };
  const embedder =
    names.embedding === undefined ? undefined : openEmbedder(names.embedding, providers);
  return (count, choice) => {
    const ready = (name: string) => {
      const model = withUsage(open(name), { prices, record: count });
      const permits = permitsFor(providerOf(name));
      return withRetry(permits ? withPermits(model, permits) : model);
    };
    const sageName = ({ key }: Sage) => unlessOwn(choice.sageModel) ?? names.sage(key);
    return {
      moderator: ready(choice.moderatorModel),
      sage: (sage) => ready(sageName(sage)),
      reviewer: (sage) =>
        ready(unlessOwn(choice.reviewerModel) ?? names.reviewer(sage.key, sageName(sage))),
      chair: ready(choice.chairModel),
      ...(names.chairFallback ? { chairFallback: ready(names.chairFallback) } : {}),
      compactor: ready(names.compactor),
      ...(embedder ? { embedder: withEmbeddingUsage(embedder, { prices, record: count }) } : {}),
    };
  };
}

/** A channel's choice for all sages; `undefined` where each has its own. */
function unlessOwn(choice: string): string | undefined {
  return choice === 'own' ? undefined : choice;
}

/** The price list as a function; what has no price costs nothing as far as anybody knows. */
export function priceList({ settings }: Config): PriceOf {
  const { prices } = settings.models;
  return (model, inputTokens, outputTokens) => {
    const price = prices[model];
    if (!price) return 0;
    const { inputUsdPerMillionTokens, outputUsdPerMillionTokens } = price;
    return (
      (inputTokens * inputUsdPerMillionTokens + outputTokens * outputUsdPerMillionTokens) / 1e6
    );
  };
}

function withMaxOutput(model: ChatModel, maxOutputTokens: number | undefined): ChatModel {
  if (maxOutputTokens === undefined) return model;
  return {
    id: model.id,
    complete: (request) => model.complete({ maxOutputTokens, ...request }),
    stream: (request) => model.stream({ maxOutputTokens, ...request }),
  };
}
