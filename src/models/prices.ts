/** Prices of models: the operator's list, the server's figure, and a maintained price table. */

import type { Provider } from '@pydantic/genai-prices';
import { z } from 'zod';
import type { Settings } from '../settings/file-table.ts';
import type { TokenUsage } from './chat-model.ts';

/** Returns the price of a call in US dollars; 0 if the model is free, `undefined` if its price is unknown. */
export type PriceOf = (
  model: string,
  inputTokens: number,
  outputTokens: number,
  cachedTokens?: number,
) => number | undefined;

/** Prices from the operator's list; reasoning costs the same as other output, and cached input as other input. */
export function pricesIn(list: Settings['models']['prices']): PriceOf {
  return (model, inputTokens, outputTokens) => {
    const price = Object.hasOwn(list, model) ? list[model] : undefined;
    if (!price) return undefined;
    const { inputUsdPerMillionTokens, outputUsdPerMillionTokens } = price;
    return (
      (inputTokens * inputUsdPerMillionTokens + outputTokens * outputUsdPerMillionTokens) / 1e6
    );
  };
}

export interface Prices {
  /** The operator's. They override everything, including the server's figure. */
  readonly own: PriceOf;
  /** The price table's, for servers that state no cost. */
  readonly listed: PriceOf;
}

/** The cost of a call in US dollars; `undefined` if no price is known. */
export function costOf(
  { own, listed }: Prices,
  model: string,
  { inputTokens, outputTokens, cachedTokens, costUsd }: TokenUsage,
): number | undefined {
  const tokens = [inputTokens, outputTokens, cachedTokens] as const;
  return own(model, ...tokens) ?? costUsd ?? listed(model, ...tokens);
}

/**
 * Loads the price table of the package `@pydantic/genai-prices` as published; fetches nothing. It has 0.8 MB
 * and takes about 50 ms to load.
 *
 * @param baseUrls - Each provider's base URL, which identifies it; else its name does.
 */
export async function loadListedPrices(
  baseUrls: Readonly<Record<string, string>>,
): Promise<PriceOf> {
  const { calcPrice, findProvider } = await import('@pydantic/genai-prices');
  const known = new Map(
    Object.entries(baseUrls).map(([name, providerApiUrl]) => [
      name,
      findProvider({ providerApiUrl }) ?? findProvider({ providerId: name }),
    ]),
  );
  /** By model, its provider with that model alone: searching all models would dominate the cost. */
  const narrowed = new Map<string, Provider>();
  return (model, inputTokens, outputTokens, cachedTokens = 0) => {
    const colon = model.indexOf(':');
    const provider = narrowed.get(model) ?? known.get(model.slice(0, colon));
    if (!provider) return undefined;
    const usage = {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cache_read_tokens: Math.min(cachedTokens, inputTokens),
    };
    const found = calcPrice(usage, model.slice(colon + 1), { provider });
    if (!narrowed.has(model))
      narrowed.set(model, { ...provider, models: found ? [found.model] : [] });
    // A listed model without an input price is not free.
    return found?.model_price.input_mtok === undefined ? undefined : found.total_price;
  };
}

const dollars = z.number().nonnegative().nullish().catch(undefined);

/** What OpenRouter states. With a provider's key of one's own, it charges a fee at most, and the provider the rest. */
export const statedCost = {
  cost: dollars,
  is_byok: z.boolean().nullish().catch(undefined),
  cost_details: z.object({ upstream_inference_cost: dollars }).nullish().catch(undefined),
};

/** The cost in US dollars, if the server states all of it. */
export function costIn(usage: z.infer<z.ZodObject<typeof statedCost>>) {
  const { cost, is_byok: isByOwnKey, cost_details: details } = usage;
  const parts = isByOwnKey ? [cost ?? 0, details?.upstream_inference_cost] : [cost];
  const known = parts.filter((part) => typeof part === 'number');
  return known.length < parts.length ? {} : { costUsd: known.reduce((sum, part) => sum + part) };
}
