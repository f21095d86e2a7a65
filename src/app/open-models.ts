/** Opens models with retries, usage counts, limits and fallbacks, and finds their prices. */

import { z } from 'zod';
import type { OpenModels } from '../bot/money/money.ts';
import { unknownCallUsd } from '../bot/money/reservation.ts';
import type { Log } from '../domain/log.ts';
import type { Sage } from '../domain/turn.ts';
import {
  absentModel,
  type CallUsage,
  type ChatModel,
  noModel,
  noModelWords,
} from '../models/chat-model.ts';
import { loadListedPrices, type PriceOf, type Prices, pricesIn } from '../models/prices.ts';
import { openEmbedder, openModel, type Providers } from '../models/providers.ts';
import { type RetryOptions, withFallback, withRetry } from '../models/retry.ts';
import { askInShape } from '../models/structured.ts';
import { type Permits, withEmbeddingUsage, withPermits, withUsage } from '../models/usage.ts';
import { providerOf } from '../settings/file-kinds.ts';
import { knownProviders } from '../settings/known-providers.ts';
import type { Config } from '../settings/load.ts';
import { chooseDefaultModel, type ModelNames, modelNames, usedModels } from './models.ts';
import { failureLogger, remarkLogger } from './operator/model-log.ts';

export interface ChosenModels {
  readonly names: ModelNames;
  readonly providers: Providers;
  readonly prices: Prices;
  /** One line for people if no model was found. */
  readonly notice: string | undefined;
  /** One line for people if budgets can't be checked because prices are unknown. */
  readonly unchecked: string | undefined;
}

/** @param signal - Ends the search for a local server. */
export async function chooseModels(config: Config, signal: AbortSignal): Promise<ChosenModels> {
  const defaultModel = await chooseDefaultModel(config, signal);
  const names = modelNames(config, defaultModel);
  const used = usedModels(config, names);
  const providers = providersOf(config);
  const prices = await openPrices(config, providers, used);
  // Embeddings cost next to nothing.
  const chatModels = used.filter((model) => model !== names.embedding);
  return {
    names,
    providers,
    prices,
    notice: defaultModel === noModel ? noModelWords : undefined,
    unchecked: uncheckedBudgets(config, prices, chatModels),
  };
}

export function providersOf({ settings, secrets }: Config): Providers {
  const { providers, reasoningEffort } = settings.models;
  return Object.fromEntries(
    Object.entries(providers).map(([name, settings]) => {
      const { apiKeyEnv, maxConcurrentCalls: _, takesReasoningEffort, ...provider } = settings;
      const apiKey = apiKeyEnv ? secrets.get(apiKeyEnv) : undefined;
      return [
        name,
        {
          ...provider,
          ...(apiKeyEnv && { apiKeyEnv }),
          ...(apiKey && { apiKey }),
          ...(reasoningEffort && takesReasoningEffort ? { reasoningEffort } : {}),
        },
      ];
    }),
  );
}

/** Returns the permits for a provider's calls on behalf of a workspace; `undefined` if they are not limited. */
export type PermitsFor = (provider: string, workspace: string) => Permits | undefined;

/** A model with a fallback is given up sooner, to leave the stage time for the fallback. */
const silenceBeforeFallbackMs = 60_000;
const retriesBeforeFallback: RetryOptions = { attempts: 2, maxDelayMs: 5000, repeatsCostly: false };

/** Opens each model once, so that its unsupported options are found out only once. */
export function modelsByName(
  { settings }: Config,
  providers: Providers,
): (name: string) => ChatModel {
  const opened = new Map<string, ChatModel>();
  const { maxOutputTokens } = settings.limits;
  const { fallback } = settings.models;
  return (name) => {
    if (name === noModel) return absentModel;
    const more = {
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(hasFallback(name, fallback) && { requestTimeoutMs: silenceBeforeFallbackMs }),
    };
    const model = opened.get(name) ?? openModel(name, providers, more);
    opened.set(name, model);
    return model;
  };
}

/** Whether there is another model to try after this one. */
function hasFallback(name: string, fallback: readonly string[]): boolean {
  return fallback.length > 0 && name !== fallback.at(-1);
}

/** Opens the models of a turn, which counts its own calls. */
export function createModelOpener(
  config: Config,
  { names, providers, prices }: Pick<ChosenModels, 'names' | 'providers' | 'prices'>,
  permitsFor: PermitsFor,
  log: Log,
): OpenModels {
  const open = modelsByName(config, providers);
  const logRemarks = remarkLogger(log);
  const logEnd = failureLogger(log);
  const embedder =
    names.embedding === undefined ? undefined : openEmbedder(names.embedding, providers);
  return (count, choice, mayCall) => {
    const record = (call: CallUsage, said: string) => {
      logRemarks(call, said);
      count(call);
    };
    const retried = (name: string) => {
      const counted = withUsage(open(name), { prices, record });
      const model = mayCall ? withPermits(counted, budgetPermits(mayCall)) : counted;
      const permits = permitsFor(providerOf(name), choice.workspace);
      const retries = hasFallback(name, names.fallback) ? retriesBeforeFallback : {};
      const onEnd = (error?: unknown) => logEnd(name, error);
      return withRetry(permits ? withPermits(model, permits) : model, { ...retries, onEnd });
    };
    const fallbacks = names.fallback.map(retried);
    const ready = (name: string) => withFallback(retried(name), fallbacks);
    const sageName = ({ key }: Sage) => channelModel(choice.sageModel) ?? names.sage(key);
    return {
      moderator: ready(choice.moderatorModel),
      sage: (sage) => ready(sageName(sage)),
      reviewer: (sage) =>
        ready(channelModel(choice.reviewerModel) ?? names.reviewer(sage.key, sageName(sage))),
      chair: ready(choice.chairModel),
      compactor: ready(names.compactor),
      ...(embedder ? { embedder: withEmbeddingUsage(embedder, { prices, record }) } : {}),
    };
  };
}

/** A channel's model for all sages; `undefined` if each sage uses its own. */
function channelModel(choice: string): string | undefined {
  return choice === 'own' ? undefined : choice;
}

/** Checks the budget right before each call. */
function budgetPermits(mayCall: () => Promise<void>): Permits {
  return {
    acquire: async () => {
      await mayCall();
      return () => undefined;
    },
  };
}

/**
 * Opens the operator's prices and, if a model in use is not among them, the price table.
 *
 * @param used - All models in use, as `provider:model`.
 */
export async function openPrices(
  { settings }: Config,
  providers: Providers,
  used: readonly string[],
): Promise<Prices> {
  const { prices } = settings.models;
  const isNeeded = used.some((model) => model !== noModel && !Object.hasOwn(prices, model));
  const baseUrls = Object.entries(providers).map(([name, { baseUrl }]) => [name, baseUrl] as const);
  const table = isNeeded ? await loadListedPrices(Object.fromEntries(baseUrls)) : () => undefined;
  const isLocal = (model: string) => isOnThisMachine(providerOf(model), providers);
  const listed: PriceOf = (model, ...tokens) => (isLocal(model) ? 0 : table(model, ...tokens));
  return { own: pricesIn(prices), listed };
}

/** Whether a provider is a known server without a key, at a loopback address. */
function isOnThisMachine(provider: string, providers: Providers): boolean {
  const known = knownProviders[provider];
  const { baseUrl } = providers[provider] ?? {};
  if (!known || known.apiKeyEnv || baseUrl === undefined) return false;
  return /^(127\.[\d.]+|localhost|\[::1\])$/.test(new URL(baseUrl).hostname);
}

/** Estimates the price of a future call in US dollars; `undefined` if unknown. The operator's prices come first. */
export function priceEstimator({ own, listed }: Prices): PriceOf {
  return (model, ...tokens) =>
    model === noModel ? 0 : (own(model, ...tokens) ?? listed(model, ...tokens));
}

/**
 * Warns the operator about budgets that can't be checked because prices are unknown.
 *
 * @param used - All chat models in use, as `provider:model`.
 * @returns `undefined` if no budget is set, or all prices are known or stated with each reply.
 */
export function uncheckedBudgets(
  { settings, file }: Config,
  prices: Prices,
  used: readonly string[],
): string | undefined {
  const isLimited = Object.values(settings.budgets).some((usd) => usd !== undefined);
  const priceOf = priceEstimator(prices);
  const isStated = (model: string) => settings.models.providers[providerOf(model)]?.statesCost;
  const unknown = used.filter((one) => !isStated(one) && priceOf(one, 1000, 1000) === undefined);
  if (!isLimited || unknown.length === 0) return undefined;
  return (
    `A budget is set, and there is no known price of ${unknown.join(', ')}. ` +
    `A call counts toward the budget with what its server says it cost, or with $${unknownCallUsd} where it does not say. ` +
    `Write the price under models.prices in ${file}; 0 where a call costs nothing.`
  );
}

/** Any shape will do for a trial. */
const answerShape = { name: 'answer', schema: z.object({ answer: z.string() }) };
/** As in a council, a system message says the form in words, for servers that don't enforce it. */
const trial = [
  { role: 'system', content: 'Reply with one JSON object and nothing else: {"answer": "yes"}.' },
  { role: 'user', content: 'Answer with the word yes.' },
] as const;

/**
 * Tries a model the way a council uses it: a streamed answer in a given shape, like a sage's, and a plain one,
 * like a reviewer's.
 *
 * @returns Remarks for people, e.g. `speaks JSON without schema`; empty if there are none.
 * @throws `ModelError`, whose message says what to do; or the signal's reason.
 */
export async function tryModel(model: ChatModel, signal: AbortSignal): Promise<readonly string[]> {
  const retrying = withRetry(model);
  const request = { messages: trial, stage: 'check', signal } as const;
  const shaped = await askInShape(retrying, request, answerShape, {});
  const plain = await retrying.complete(request);
  const form = shaped.status === 'shaped' ? [] : ['does not follow the requested format'];
  return [...new Set([...form, ...(shaped.reply.remarks ?? []), ...(plain.remarks ?? [])])];
}
