/** The council as the configuration describes it. */

import { settingsOfCouncil } from '../council/channel-council.ts';
import type { Council } from '../council/council.ts';
import type { ChannelSettings } from '../council/settings.ts';
import type { Config } from '../settings/load.ts';
import { providerOf } from '../settings/setting.ts';
import { allModels, type ModelNames } from './models.ts';

export function councilOf({ settings, sages }: Config): Council {
  const { followUpMode: _, chairTurns: __, ...council } = settings.council;
  return {
    ...council,
    bench: sages.map(({ model, ...sage }) => ({ ...sage, source: 'predefined' })),
    limits: settings.limits,
  };
}

/** What the files say of all that a channel may have of its own. */
export function fileSettings(config: Config, { chair, moderator }: ModelNames): ChannelSettings {
  const { budgets, council, limits, memory } = config.settings;
  return settingsOfCouncil(councilOf(config), {
    moderatorModel: moderator,
    chairModel: chair,
    followUpMode: council.followUpMode,
    questionsPerUserPerHour: limits.questionsPerUserPerHour ?? 'unlimited',
    memory: memory.interactions > 0,
    memoryReach: memory.reach,
    history: memory.history,
    retentionDays: memory.retentionDays ?? 'unlimited',
    forgetDeleted: memory.forgetDeleted,
    channelUsdPerDay: budgets.channelUsdPerDay ?? 'unlimited',
  });
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
