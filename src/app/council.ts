/** The council as the configuration describes it. */

import type { Council } from '../council/council.ts';
import { providerOf } from '../settings/file-kinds.ts';
import type { Config } from '../settings/load.ts';
import { allModels, type ModelNames } from './models.ts';

export function councilOf({ settings, sages }: Config): Council {
  const { followUpMode: _, chairTurns: __, ...council } = settings.council;
  return {
    ...council,
    bench: sages.map(({ model, ...sage }) => ({ ...sage, source: 'predefined' })),
    limits: settings.limits,
  };
}

/**
 * The models that a channel may choose from, each once: those that some part uses, and those that
 * the operator has put a price to; without those whose provider has no address or no key.
 */
export function knownModels(config: Config, names: ModelNames): readonly string[] {
  const { providers, prices } = config.settings.models;
  const keys = config.sages.map(({ key }) => key);
  return [...new Set([...allModels(names, keys), ...Object.keys(prices)])].filter((model) => {
    const provider = providers[providerOf(model)];
    return provider && (!provider.apiKeyEnv || config.secrets.get(provider.apiKeyEnv));
  });
}
