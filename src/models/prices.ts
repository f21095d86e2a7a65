/** What models cost: by the operator's own list, or by a dated table that others keep. */

import type { Provider } from '@pydantic/genai-prices';
import type { Settings } from '../settings/file-table.ts';
import type { TokenUsage } from './chat-model.ts';

/**
 * US dollars for so many tokens of a model, e.g. `openai:gpt-5`. 0: it is free. `undefined`: the
 * price is unknown.
 */
export type PriceOf = (
  model: string,
  inputTokens: number,
  outputTokens: number,
) => number | undefined;

/** Prices by the operator's list; reasoning tokens cost as much as others that are written. */
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

/** Whose prices hold for a call, by rank. */
export interface Prices {
  /** The operator's; they go before everything, also before what the server states. */
  readonly own: PriceOf;
  /** Those of the table, where the server states no cost. */
  readonly listed: PriceOf;
}

/** What a call has cost, in US dollars; `undefined` where no price is known. */
export function costOf(
  { own, listed }: Prices,
  model: string,
  { inputTokens, outputTokens, costUsd }: TokenUsage,
): number | undefined {
  return (
    own(model, inputTokens, outputTokens) ?? costUsd ?? listed(model, inputTokens, outputTokens)
  );
}

/**
 * Loads the table of the package `@pydantic/genai-prices`, as it was when that version was published;
 * nothing is fetched. It is 0.8 MB and takes some 50 ms.
 *
 * @param baseUrls - Where each provider is reached: a provider is known by its address, else by its name.
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
  /** Each provider with the one model alone: looking through all takes longer than everything else. */
  const narrowed = new Map<string, Provider>();
  return (model, inputTokens, outputTokens) => {
    const colon = model.indexOf(':');
    const provider = narrowed.get(model) ?? known.get(model.slice(0, colon));
    if (!provider) return undefined;
    const usage = { input_tokens: inputTokens, output_tokens: outputTokens };
    const found = calcPrice(usage, model.slice(colon + 1), { provider });
    if (!narrowed.has(model))
      narrowed.set(model, { ...provider, models: found ? [found.model] : [] });
    // A model that is listed without a price for what it reads is not free.
    return found?.model_price.input_mtok === undefined ? undefined : found.total_price;
  };
}
