/** Which model speaks in which part, wrapped for use: retried, counted, bounded. */

import { unknownCallUsd } from '../bot/money/call-costs.ts';
import type { OpenModels } from '../bot/money/money.ts';
import type { Sage } from '../council/council.ts';
import type { Log } from '../domain/log.ts';
import type { CallUsage, ChatModel } from '../models/chat-model.ts';
import { type Permits, withPermits } from '../models/permits.ts';
import { loadListedPrices, type PriceOf, type Prices, pricesIn } from '../models/prices.ts';
import { openEmbedder, openModel, type Providers } from '../models/providers.ts';
import { withRetry } from '../models/retry.ts';
import { withEmbeddingUsage, withUsage } from '../models/usage.ts';
import type { Config } from '../settings/load.ts';
import { providerOf } from '../settings/setting.ts';

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

/** Permits of a provider's calls on behalf of a workspace; `undefined` for a provider that is not known. */
export type PermitsFor = (provider: string, workspace: string) => Permits | undefined;

/** Opens each model once for all who ask for it: what its server refuses is learned only once then. */
export function modelsByName(
  { settings }: Config,
  providers: Providers,
): (name: string) => ChatModel {
  const opened = new Map<string, ChatModel>();
  const { maxOutputTokens } = settings.limits;
  return (name) => {
    const model = opened.get(name) ?? withMaxOutput(openModel(name, providers), maxOutputTokens);
    opened.set(name, model);
    return model;
  };
}

/** Gives each turn its own count of its calls. */
export function createModelOpener(
  config: Config,
  names: ModelNames,
  providers: Providers,
  prices: Prices,
  permitsFor: PermitsFor,
  log: Log,
): OpenModels {
  const open = modelsByName(config, providers);
  const tell = remarkTeller(log);
  const embedder =
    names.embedding === undefined ? undefined : openEmbedder(names.embedding, providers);
  return (count, choice, mayCall) => {
    const record = (call: CallUsage) => {
      tell(call);
      count(call);
    };
    const ready = (name: string) => {
      const counted = withUsage(open(name), { prices, record });
      const model = mayCall ? withPermits(counted, asked(mayCall)) : counted;
      const permits = permitsFor(providerOf(name), choice.workspace);
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
      ...(embedder ? { embedder: withEmbeddingUsage(embedder, { prices, record }) } : {}),
    };
  };
}

/** A channel's choice for all sages; `undefined` where each has its own. */
function unlessOwn(choice: string): string | undefined {
  return choice === 'own' ? undefined : choice;
}

/** Permits that cost nothing but the asking, at the last moment before a call. */
function asked(mayCall: () => Promise<void>): Permits {
  return {
    acquire: async () => {
      await mayCall();
      return () => undefined;
    },
  };
}

/** Logs what is to be known of a model, each remark once. */
function remarkTeller(log: Log): (call: CallUsage) => void {
  const told = new Set<string>();
  return ({ model, remarks = [] }) => {
    for (const remark of remarks) {
      const sentence = `${model} ${remark}`;
      if (told.has(sentence)) continue;
      told.add(sentence);
      log.warn({ model }, sentence);
    }
  };
}

/**
 * What models cost: as the operator says, and where they say nothing, as the table does. The table is
 * loaded only where somebody must be asked that the operator gives no price for.
 *
 * @param used - `provider:model` of all that may be asked.
 */
export async function openPrices(
  { settings }: Config,
  providers: Providers,
  used: readonly string[],
): Promise<Prices> {
  const { prices } = settings.models;
  const isNeeded = used.some((model) => !isRehearsal(model) && !Object.hasOwn(prices, model));
  const baseUrls = Object.entries(providers).map(([name, { baseUrl }]) => [name, baseUrl] as const);
  const listed = isNeeded ? await loadListedPrices(Object.fromEntries(baseUrls)) : () => undefined;
  return { own: pricesIn(prices), listed };
}

/** What is known of a price before a call is made. The rehearsal calls nobody. */
export function priceBefore({ own, listed }: Prices): PriceOf {
  return (model, inputTokens, outputTokens) =>
    isRehearsal(model)
      ? 0
      : (own(model, inputTokens, outputTokens) ?? listed(model, inputTokens, outputTokens));
}

/**
 * Says which budgets can't be checked by prices.
 *
 * @param used - `provider:model` of all that may be asked.
 * @returns For the operator; `undefined` where no budget is set, or all prices are known.
 */
export function uncheckedBudgets(
  { settings }: Config,
  prices: Prices,
  used: readonly string[],
): string | undefined {
  const isLimited = Object.values(settings.budgets).some((usd) => usd !== undefined);
  const priceOf = priceBefore(prices);
  const unknown = isLimited ? used.filter((model) => priceOf(model, 1000, 1000) === undefined) : [];
  if (unknown.length === 0) return undefined;
  return (
    `A budget is set, and there is no known price of ${unknown.join(', ')}. ` +
    `A call counts toward the budget with what its server says it cost, or with $${unknownCallUsd} where it does not say. ` +
    'Write the price under models.prices in config/council.yaml; 0 where a call costs nothing.'
  );
}

function isRehearsal(model: string): boolean {
  return providerOf(model) === 'rehearsal';
}

function withMaxOutput(model: ChatModel, maxOutputTokens: number | undefined): ChatModel {
  if (maxOutputTokens === undefined) return model;
  return {
    id: model.id,
    complete: (request) => model.complete({ maxOutputTokens, ...request }),
    stream: (request) => model.stream({ maxOutputTokens, ...request }),
  };
}
