/** The task `setup`: finds out with a person who speaks and where, and writes it. */

import type { Writable } from 'node:stream';
import { listed } from '../../domain/words.ts';
import { shownPath } from '../../settings/config-source.ts';
import { readVariables } from '../../settings/environment.ts';
import { UneditableError } from '../../settings/file-edits.ts';
import { knownProviders } from '../../settings/known-providers.ts';
import { filesIn } from '../../settings/load.ts';
import { discordVariable, isSetForSlack } from '../platforms.ts';
import type { Surroundings } from '../session.ts';
import { discordStep, slackStep } from '../setup/chats-step.ts';
import {
  type ChosenModel,
  type Draft,
  joined,
  modelsDraft,
  noDraft,
  save,
  whoWillSpeak,
} from '../setup/draft.ts';
import { modelsStep, tried } from '../setup/models-step.ts';
import { Cancelled, createPrompts, type Prompts, type Streams } from '../setup/prompts.ts';
import { findSources, isUsable, modelsOf, type Source, sourceAt } from '../setup/sources.ts';
import type { SetupOptions } from './task.ts';

type World = Pick<Surroundings, 'config' | 'places' | 'ending'>;

/** @returns 0 when all that was asked for is done, 1 when it was left or can't be done. */
export async function setupTask(around: Surroundings, options: SetupOptions): Promise<number> {
  const { isYes, ...choices } = options;
  const isInteractive = around.input.isTTY === true && around.output.isTTY === true;
  if (!isInteractive || isYes || Object.keys(choices).length > 0) {
    return setupUnattended(around, options);
  }
  return (await setup(around)) ? 0 : 1;
}

/**
 * Asks a person at a terminal. Nothing is written before the end: Ctrl-C at any question leaves the files
 * as they are.
 *
 * @returns Whether anything was written. What was read before holds no longer then: read it again, by
 *   `loadConfig(around.places)`.
 */
export async function setup(around: World & Streams): Promise<boolean> {
  const prompts = createPrompts(around);
  prompts.begin('Setting up the council');
  try {
    const draft = await ask(around, prompts);
    const written = save(around.places, draft);
    const isChanged = written.length > 0;
    prompts.end(
      isChanged
        ? `Written: ${listed(written.map(shownPath))}. \`npm start\` opens the council.`
        : 'Nothing was changed.',
      isChanged,
    );
    return isChanged;
  } catch (error) {
    if (error instanceof Cancelled) prompts.end('Nothing was changed.', false);
    else if (error instanceof UneditableError) prompts.end(error.message, false);
    else throw error;
    return false;
  }
}

const steps = {
  models: async (around: World, prompts: Prompts) =>
    modelsStep(around, prompts, await findSources(around)),
  discord: discordStep,
  slack: slackStep,
};

async function ask(around: World, prompts: Prompts): Promise<Draft> {
  const { config } = around;
  const hasDiscord = config.secrets.get(discordVariable) !== undefined;
  const hasSlack = isSetForSlack(config);
  const { default: speaking } = config.settings.models;
  if (speaking === 'auto' && !hasDiscord && !hasSlack) return askAll(around, prompts);
  const whether = (is: boolean) => (is ? 'set' : 'not set');
  const step = await prompts.choose('What would you like to change?', [
    { value: 'models', label: 'Who speaks', hint: `now ${speaking}` },
    { value: 'discord', label: 'Discord', hint: whether(hasDiscord) },
    { value: 'slack', label: 'Slack', hint: whether(hasSlack) },
  ]);
  return steps[step](around, prompts);
}

async function askAll(around: World, prompts: Prompts): Promise<Draft> {
  let draft = joined(noDraft, await steps.models(around, prompts));
  const where = await prompts.chooseSeveral(
    'Where should people ask it, besides this terminal? Press Enter for nowhere else.',
    [
      { value: 'discord', label: 'Discord' },
      { value: 'slack', label: 'Slack' },
    ],
  );
  for (const chat of where) draft = joined(draft, await steps[chat](around, prompts));
  return draft;
}

interface ShellWorld extends Pick<Surroundings, 'config' | 'places' | 'ending'> {
  readonly output: Writable;
  readonly errors: Writable;
}

/** What was asked for can't be done. The message says what to change. */
class WrongOptions extends Error {
  override readonly name = 'WrongOptions';
}

/** @returns 0 when the models answer, and with `isYes` when all is written; else 1. */
export async function setupUnattended(world: ShellWorld, options: SetupOptions): Promise<number> {
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
  { config, places }: ShellWorld,
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
