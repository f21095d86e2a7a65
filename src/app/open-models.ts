/** Everything that answers: the providers, and models wrapped for use: retried, counted, bounded. */

import { z } from 'zod';
import type { OpenModels } from '../bot/money/money.ts';
import { unknownCallUsd } from '../bot/money/reservation.ts';
import type { Log } from '../domain/log.ts';
import type { Sage } from '../domain/turn.ts';
import { absentModel, type CallUsage, type ChatModel, noModel } from '../models/chat-model.ts';
import { loadListedPrices, type PriceOf, type Prices, pricesIn } from '../models/prices.ts';
import { openEmbedder, openModel, type Providers } from '../models/providers.ts';
import { type RetryOptions, withFallback, withRetry } from '../models/retry.ts';
import { askInShape } from '../models/structured.ts';
import { type Permits, withEmbeddingUsage, withPermits, withUsage } from '../models/usage.ts';
import { providerOf } from '../settings/file-kinds.ts';
import { knownProviders } from '../settings/known-providers.ts';
import type { Config } from '../settings/load.ts';
import { chooseDefaultModel, type ModelNames, modelNames, usedModels } from './models.ts';

export interface ChosenModels {
  readonly names: ModelNames;
  readonly providers: Providers;
  readonly prices: Prices;
  /** One line for people about who speaks; absent where nothing needs to be said. */
  readonly notice: string | undefined;
  /** One line for people about budgets that no price can be held against; absent where there are none. */
  readonly unchecked: string | undefined;
}

/** @param signal - Ends the look for a local server. */
export async function chooseModels(config: Config, signal: AbortSignal): Promise<ChosenModels> {
  const chosen = await chooseDefaultModel(config, signal);
  const names = modelNames(config, chosen.name);
  const used = usedModels(config, names);
  const providers = providersOf(config);
  const prices = await openPrices(config, providers, used);
  return {
    ...{ names, providers, prices },
    notice: chosen.notice,
    unchecked: uncheckedBudgets(config, prices, used),
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
          ...(apiKeyEnv ? { apiKeyEnv } : {}),
          ...(apiKey ? { apiKey } : {}),
          ...(reasoningEffort && takesReasoningEffort ? { reasoningEffort } : {}),
        },
      ];
    }),
  );
}

/** Permits of a provider's calls on behalf of a workspace; `undefined` for a provider that is not known. */
export type PermitsFor = (provider: string, workspace: string) => Permits | undefined;

/**
 * A model that others can stand in for is given up sooner, while the stage has time left for them: after
 * this silence, in milliseconds, and without long waits.
 */
const backedSilenceMs = 60_000;
const backedPatience: RetryOptions = { attempts: 2, maxDelayMs: 5000, repeatsCostly: false };

/** Opens each model once for all who ask for it: what its server refuses is learned only once then. */
export function modelsByName(
  { settings }: Config,
  providers: Providers,
): (name: string) => ChatModel {
  const opened = new Map<string, ChatModel>();
  const { maxOutputTokens } = settings.limits;
  const isBacked = isBackedIn(settings.models.fallback);
  return (name) => {
    if (name === noModel) return absentModel;
    const patience = isBacked(name) ? { requestTimeoutMs: backedSilenceMs } : {};
    const model =
      opened.get(name) ?? withMaxOutput(openModel(name, providers, patience), maxOutputTokens);
    opened.set(name, model);
    return model;
  };
}

/** Whether there is another model to ask after this one. */
function isBackedIn(fallback: readonly string[]): (name: string) => boolean {
  const last = fallback.at(-1);
  return (name) => last !== undefined && name !== last;
}

/** Gives each turn its own count of its calls. */
export function createModelOpener(
  config: Config,
  { names, providers, prices }: Pick<ChosenModels, 'names' | 'providers' | 'prices'>,
  permitsFor: PermitsFor,
  log: Log,
): OpenModels {
  const open = modelsByName(config, providers);
  const tell = remarkTeller(log);
  const isBacked = isBackedIn(names.fallback);
  const embedder =
    names.embedding === undefined ? undefined : openEmbedder(names.embedding, providers);
  return (count, choice, mayCall) => {
    const record = (call: CallUsage) => {
      tell(call);
      count(call);
    };
    const tried = (name: string) => {
      const counted = withUsage(open(name), { prices, record });
      const model = mayCall ? withPermits(counted, asked(mayCall)) : counted;
      const permits = permitsFor(providerOf(name), choice.workspace);
      return withRetry(
        permits ? withPermits(model, permits) : model,
        isBacked(name) ? backedPatience : {},
      );
    };
    const standIns = names.fallback.map(tried);
    const ready = (name: string) => withFallback(tried(name), standIns);
    const sageName = ({ key }: Sage) => unlessOwn(choice.sageModel) ?? names.sage(key);
    return {
      moderator: ready(choice.moderatorModel),
      sage: (sage) => ready(sageName(sage)),
      reviewer: (sage) =>
        ready(unlessOwn(choice.reviewerModel) ?? names.reviewer(sage.key, sageName(sage))),
      chair: ready(choice.chairModel),
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

/** Logs each remark about a model once. */
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
 * loaded only if a model is used that the operator gives no price for.
 *
 * @param used - `provider:model` of all that may be asked.
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
  const isHere = (model: string) => isOnThisMachine(providerOf(model), providers);
  const listed: PriceOf = (model, ...tokens) => (isHere(model) ? 0 : table(model, ...tokens));
  return { own: pricesIn(prices), listed };
}

/** One of the servers that need no key, and no tunnel to a remote one. */
function isOnThisMachine(provider: string, providers: Providers): boolean {
  const known = knownProviders[provider];
  const { baseUrl } = providers[provider] ?? {};
  if (!known || known.apiKeyEnv || baseUrl === undefined) return false;
  return /^(127\.[\d.]+|localhost|\[::1\])$/.test(new URL(baseUrl).hostname);
}

/** The price of a call that is yet to be made, as far as it is known. No model is free. */
export function priceBefore({ own, listed }: Prices): PriceOf {
  return (model, inputTokens, outputTokens) =>
    model === noModel
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

function withMaxOutput(model: ChatModel, maxOutputTokens: number | undefined): ChatModel {
  if (maxOutputTokens === undefined) return model;
  return {
    id: model.id,
    complete: (request) => model.complete({ maxOutputTokens, ...request }),
    stream: (request) => model.stream({ maxOutputTokens, ...request }),
  };
}

/** Any shape will do: each part of a council has its own. */
const answerShape = { name: 'answer', schema: z.object({ answer: z.string() }) };

/**
 * Asks a model what a council asks, in the same way: a streamed answer in a shape, as a sage gives it, and a
 * plain one, as a reviewer does.
 *
 * @returns What people should know of it, e.g. `speaks JSON without schema`; empty where there is nothing.
 * @throws `ModelError`, whose message says what to do; or the signal's reason.
 */
export async function tryModel(model: ChatModel, signal: AbortSignal): Promise<readonly string[]> {
  const patient = withRetry(model);
  const messages = [{ role: 'user', content: 'Answer with the word yes.' }] as const;
  const asked = { messages, stage: 'check', signal } as const;
  const shaped = await askInShape(patient, asked, answerShape, {});
  const plain = await patient.complete(asked);
  const form = shaped.status === 'shaped' ? [] : ['does not keep to the form it is asked for'];
  return [...new Set([...form, ...(shaped.reply.remarks ?? []), ...(plain.remarks ?? [])])];
}
