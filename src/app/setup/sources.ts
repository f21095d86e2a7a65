/** Finds sources of models: local servers, providers whose keys are set, and other known providers. */

import { redact } from '../../domain/log.ts';
import { oneLine } from '../../domain/words.ts';
import { listChatModels } from '../../models/providers.ts';
import { readVariables } from '../../settings/environment.ts';
import { knownProviders } from '../../settings/known-providers.ts';
import { filesIn } from '../../settings/load.ts';
import { findLocalServers } from '../models.ts';
import type { TaskContext } from '../tasks/task.ts';

/** A provider of models, with its key or local models if known. */
export interface Source {
  /** e.g. `openai`. */
  readonly provider: string;
  /** Name for people. */
  readonly title: string;
  readonly baseUrl: string;
  /** The provider is not configured yet. */
  readonly isNew?: boolean;
  /** Variable from which the bot reads the key; absent if it needs none. */
  readonly apiKeyEnv?: string;
  readonly key?: SourceKey;
  /** Chat models of a local server. */
  readonly listed?: readonly string[];
}

export interface SourceKey {
  readonly value: string;
  /** Variable that holds the key; absent if the key was typed. */
  readonly foundIn?: string;
}

/** Returns all sources, usable ones first. */
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

/** Whether the source has a key, or is a local server. */
export function isUsable({ key, listed }: Source): boolean {
  return key !== undefined || listed !== undefined;
}

function titleOf(provider: string): string {
  return knownProviders[provider]?.title ?? provider;
}

/** A server at an address that the person gave. */
export function sourceAt(address: string, apiKey?: string): Source {
  const key = apiKey === undefined ? {} : { apiKeyEnv: 'OWN_API_KEY', key: { value: apiKey } };
  return { provider: 'own', title: 'your server', baseUrl: address, isNew: true, ...key };
}

const listingMs = 5000;
const mostOffered = 30;
const maxReasonChars = 200;

/** The models of a source to offer. */
export interface OfferedModels {
  /** Best first: the known ones that the provider lists, else all that it lists, else all known ones. */
  readonly models: readonly string[];
  /** Why its server listed none, in one sentence for people; absent: it listed them. */
  readonly problem?: string;
  readonly isKeyRefused?: boolean;
}

export async function modelsOf(source: Source, signal: AbortSignal): Promise<OfferedModels> {
  const { listed, baseUrl, key, provider, title } = source;
  if (listed) return { models: listed.slice(0, mostOffered) };
  const known = knownProviders[provider]?.models ?? [];
  const apiKey = key ? { apiKey: key.value } : {};
  let refusal: Omit<OfferedModels, 'models'> = {};
  const all = await listChatModels({ baseUrl, ...apiKey }, signal, listingMs, (why, isOfKey) => {
    const reason = oneLine(redact(why, key ? [key.value] : [], maxReasonChars)).replace(/\.$/, '');
    const what = isOfKey
      ? `${title} refuses the key`
      : `The models of ${title} could not be listed`;
    refusal = { problem: `${what}: ${reason}.`, isKeyRefused: isOfKey };
  });
  if (!all) return { models: known, ...refusal };
  const offered = known.filter((model) => all.includes(model));
  if (offered.length > 0) return { models: offered };
  return { models: all.length > 0 ? all.slice(0, mostOffered) : known };
}
