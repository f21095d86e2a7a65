/** Where models can be had: servers that run on this machine, keys that are set, and providers that are known. */

import { listChatModels } from '../../models/providers.ts';
import { readVariables } from '../../settings/environment.ts';
import { knownProviders } from '../../settings/known-providers.ts';
import { filesIn } from '../../settings/load.ts';
import { findLocalServers } from '../models.ts';
import type { TaskContext } from '../tasks/task.ts';

/** A provider, and how far it can be used already. */
export interface Source {
  /** e.g. `openai`. */
  readonly provider: string;
  /** As people call it. */
  readonly title: string;
  readonly baseUrl: string;
  /** The address is in no table or file yet. */
  readonly isNew?: boolean;
  /** The variable that the bot reads its key from; absent where it needs none. */
  readonly apiKeyEnv?: string;
  readonly key?: SourceKey;
  /** Chat models that a server on this machine lists. */
  readonly listed?: readonly string[];
}

export interface SourceKey {
  readonly value: string;
  /** The variable that it was found in; absent for one that was typed. */
  readonly foundIn?: string;
}

/** All that is known, what can be used at once first. */
export async function findSources({
  config,
  places,
  ending,
}: Pick<TaskContext, 'config' | 'places' | 'ending'>): Promise<readonly Source[]> {
  const { variables } = readVariables(places.environment, filesIn(places).variables);
  const local = (await findLocalServers(config, ending)).filter(
    ({ chatModels }) => chatModels.length > 0,
  );
  const keyed = Object.entries(config.settings.models.providers).flatMap(
    ([provider, { baseUrl, apiKeyEnv }]): Source[] => {
      if (!apiKeyEnv) return [];
      const near = config.unread.find(({ meant }) => meant === apiKeyEnv)?.name;
      const foundIn = variables[apiKeyEnv] === undefined ? near : apiKeyEnv;
      const value = foundIn && variables[foundIn];
      const key = value && foundIn ? { key: { value, foundIn } } : {};
      return [{ provider, title: titleOf(provider), baseUrl, apiKeyEnv, ...key }];
    },
  );
  return [
    ...local.map(({ provider, baseUrl, chatModels }) => {
      return { provider, title: titleOf(provider), baseUrl, listed: chatModels };
    }),
    ...keyed.filter(({ key }) => key !== undefined),
    ...keyed.filter(({ key }) => key === undefined),
  ];
}

/** Whether it needs nothing more. */
export function isUsable({ key, listed }: Source): boolean {
  return key !== undefined || listed !== undefined;
}

function titleOf(provider: string): string {
  return knownProviders[provider]?.title ?? provider;
}

/** A server that is in no table, at an address that was typed. */
export function sourceAt(address: string, apiKey?: string): Source {
  const key = apiKey === undefined ? {} : { apiKeyEnv: 'OWN_API_KEY', key: { value: apiKey } };
  return { provider: 'own', title: 'your server', baseUrl: address, isNew: true, ...key };
}

const listingMs = 5000;
const mostOffered = 30;

/**
 * The models of a source that are worth offering, the best first: of those that the project knows, the
 * ones that the provider lists; else what it lists; else, where it lists nothing, those that are known.
 */
export async function modelsOf(source: Source, signal: AbortSignal): Promise<readonly string[]> {
  const { listed, baseUrl, key, provider } = source;
  if (listed) return listed.slice(0, mostOffered);
  const known = knownProviders[provider]?.models ?? [];
  const apiKey = key ? { apiKey: key.value } : {};
  const all = await listChatModels({ baseUrl, ...apiKey }, listingMs, signal);
  if (!all || all.length === 0) return known;
  const there = known.filter((model) => all.includes(model));
  return there.length > 0 ? there : all.slice(0, mostOffered);
}
