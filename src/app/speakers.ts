/** Everything that answers: the choice of models, the providers, and the rehearsal server where it is needed. */

import type { OpenModels } from '../bot/money/money.ts';
import type { Log } from '../domain/log.ts';
import type { Prices } from '../models/prices.ts';
import type { Providers } from '../models/providers.ts';
import { startRehearsalServer } from '../models/rehearsal/server.ts';
import type { Config } from '../settings/load.ts';
import { providerOf } from '../settings/setting.ts';
import { chooseDefaultModel } from './default-model.ts';
import {
  createModelOpener,
  type ModelNames,
  modelNames,
  openPrices,
  type PermitsFor,
  providersOf,
  uncheckedBudgets,
  usedModels,
} from './models.ts';

/** Pace of the rehearsal: as fast as one reads, so that people see what a council feels like. */
const rehearsalPace = { latencyMs: 300, tokensPerSecond: 120 };

export interface Speakers extends AsyncDisposable {
  readonly names: ModelNames;
  readonly providers: Providers;
  /** One line for people about who speaks; absent where nothing needs to be said. */
  readonly notice: string | undefined;
  /** One line for people about budgets that no price can be held against; absent where there are none. */
  readonly unchecked: string | undefined;
  readonly prices: Prices;
  openModels(permitsFor: PermitsFor, log: Log): OpenModels;
}

/** The set-up names a model that can't be asked. The message lists each, and what to do. */
export class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
}

/** @param signal - Ends the look for a local server. */
export async function openSpeakers(config: Config, signal: AbortSignal): Promise<Speakers> {
  const chosen = await chooseDefaultModel(config, signal);
  const names = modelNames(config, chosen.name);
  const used = usedModels(
    names,
    config.sages.map(({ key }) => key),
  );
  const rehearsal = needsRehearsal(config, new Set(used.map(providerOf)))
    ? await startRehearsalServer({ sages: config.sages, ...rehearsalPace })
    : undefined;
  const providers = providersOf(config, rehearsal?.baseUrl);
  const prices = await openPrices(config, providers, used);
  return {
    ...{ names, providers, prices },
    notice: chosen.notice,
    unchecked: uncheckedBudgets(config, prices, used),
    openModels: (permitsFor, log) =>
      createModelOpener(config, names, providers, prices, permitsFor, log),
    [Symbol.asyncDispose]: async () => rehearsal?.close(),
  };
}

/** Throws {@link MissingKeyError} when a provider that some part uses has no key. */
export function assertKeys(config: Config, names: ModelNames): void {
  const missing = usedModels(
    names,
    config.sages.map(({ key }) => key),
  ).flatMap((model) => {
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

/** The built-in rehearsal is asked for, and no address of another one is set. */
function needsRehearsal({ settings }: Config, used: ReadonlySet<string>): boolean {
  const { rehearsal } = settings.models.providers;
  return (
    used.has('rehearsal') && rehearsal !== undefined && new URL(rehearsal.baseUrl).port === '0'
  );
}
