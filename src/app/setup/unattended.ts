/** The set-up by options, without a question. */

import type { Writable } from 'node:stream';
import { listed } from '../../domain/words.ts';
import { readVariables } from '../../settings/environment.ts';
import { knownProviders } from '../../settings/known-providers.ts';
import { filesIn } from '../../settings/load.ts';
import { shownPath } from '../../settings/text-file.ts';
import type { Surroundings } from '../session.ts';
import type { SetupOptions } from '../tasks/task.ts';
import { type ChosenModel, modelsDraft, save, whoWillSpeak } from './draft.ts';
import { tried } from './models-step.ts';
import { findSources, isUsable, modelsOf, type Source, sourceAt } from './sources.ts';

interface World extends Pick<Surroundings, 'config' | 'places' | 'ending'> {
  readonly output: Writable;
  readonly errors: Writable;
}

/** What was asked for can't be done. The message says what to change. */
class WrongOptions extends Error {
  override readonly name = 'WrongOptions';
}

/** @returns 0 when the models answer, and with `isYes` when all is written; else 1. */
export async function setupUnattended(world: World, options: SetupOptions): Promise<number> {
  const { config, places, output, errors } = world;
  try {
    const sources = await findSources(world);
    const source = sourceFor(world, sources, options);
    const model = options.model ?? (await modelsOf(source, world.ending))[0];
    if (!model) throw new WrongOptions(`${source.title} lists no model. Name one with --model.`);
    const first = { source, model };
    const others = (options.sageModels ?? []).map((name) => modelNamed(name, [source, ...sources]));
    for (const chosen of [first, ...others]) {
      const problem = await tried(world, chosen);
      if (problem !== undefined) throw new WrongOptions(problem);
    }
    const models = [first, ...others] as const;
    output.write(`${await whoWillSpeak(config, models)}\n`);
    if (!options.isYes) {
      output.write('Nothing was written. With --yes, it is.\n');
      return 0;
    }
    const written = save(places, modelsDraft(config, models));
    output.write(`Written: ${listed(written.map(shownPath))}.\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof WrongOptions)) throw error;
    errors.write(`${error.message} Nothing was written.\n`);
    return 1;
  }
}

function sourceFor(
  { config, places }: World,
  sources: readonly Source[],
  { provider, keyEnv, address }: SetupOptions,
): Source {
  const { variables } = readVariables(places.environment, filesIn(places).variables);
  const value = keyEnv === undefined ? undefined : variables[keyEnv];
  if (keyEnv !== undefined && value === undefined) {
    throw new WrongOptions(`${keyEnv} is not set. Put the key into it, or name another variable.`);
  }
  const key = value && keyEnv ? { key: { value, foundIn: keyEnv } } : {};
  if (address !== undefined) return placedAt(address, provider, key, value);
  const known = provider === undefined ? sources.find(isUsable) : byName(sources, provider);
  if (!known && provider && knownProviders[provider]) {
    const { baseUrl } = config.settings.models.providers[provider] ?? {};
    throw new WrongOptions(`No model server answers at ${baseUrl}. Start it, or give --address.`);
  }
  if (!known) {
    const names = Object.keys(knownProviders).join(', ');
    throw new WrongOptions(
      provider === undefined
        ? `No model server runs here and no key is set. Name a provider with --provider: ${names}.`
        : `${provider} is not known. Known are ${names}; for any other server give --address.`,
    );
  }
  const source = { ...known, ...key };
  if (!isUsable(source)) {
    throw new WrongOptions(
      `${source.title} needs a key. Set ${source.apiKeyEnv}, or name the variable that holds it with --key-env.`,
    );
  }
  return source;
}

function placedAt(
  address: string,
  provider: string | undefined,
  key: Pick<Source, 'key'>,
  value: string | undefined,
): Source {
  const own = sourceAt(address, value);
  if (provider === undefined) return { ...own, ...key };
  const { apiKeyEnv } = knownProviders[provider] ?? {};
  return { ...own, ...key, ...(apiKeyEnv ? { apiKeyEnv } : {}), provider, title: provider };
}

function byName(sources: readonly Source[], name: string): Source | undefined {
  return sources.find(({ provider }) => provider === name);
}

function modelNamed(name: string, sources: readonly Source[]): ChosenModel {
  const colon = name.indexOf(':');
  const source = byName(sources, name.slice(0, Math.max(colon, 0)));
  if (source && isUsable(source)) return { source, model: name.slice(colon + 1) };
  throw new WrongOptions(
    `${name} can't be asked: it is not provider:model, or its provider has no key.`,
  );
}
