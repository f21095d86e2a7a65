/** The task `setup`: chooses models and connects chats, by asking a person or from options, and writes the settings. */

import { listed } from '../../domain/words.ts';
import { shownPath } from '../../settings/config-source.ts';
import { readVariables } from '../../settings/environment.ts';
import { UneditableError } from '../../settings/file-edits.ts';
import { knownProviders } from '../../settings/known-providers.ts';
import { filesIn } from '../../settings/load.ts';
import { chatStep, chats } from '../setup/chats-step.ts';
import {
  type ChosenModel,
  type Draft,
  joined,
  modelsDraft,
  save,
  whoWillSpeak,
} from '../setup/draft.ts';
import { modelProblem, modelsStep } from '../setup/models-step.ts';
import { Cancelled, createPrompts, type Prompts, type Streams } from '../setup/prompts.ts';
import { findSources, isUsable, modelsOf, type Source, sourceAt } from '../setup/sources.ts';
import type { SetupOptions, TaskContext } from './task.ts';

type SetupContext = Pick<TaskContext, 'config' | 'places' | 'ending'>;

/** @returns 0; 1 if the set-up was cancelled, changed nothing or failed. */
export async function setupTask(context: TaskContext, options: SetupOptions): Promise<number> {
  const { isYes, ...choices } = options;
  const isInteractive = context.input.isTTY === true && context.isLive;
  if (!isInteractive || isYes || Object.keys(choices).length > 0) {
    return setupUnattended(context, options);
  }
  return (await setup(context)) ? 0 : 1;
}

/**
 * Asks a person at a terminal. Files are written at the end, so Ctrl-C at any question changes nothing.
 *
 * @returns Whether anything was written. If so, reload the configuration by `loadConfig(context.places)`.
 */
export async function setup(context: SetupContext & Streams): Promise<boolean> {
  const prompts = createPrompts(context);
  prompts.begin('Setting up the council');
  try {
    const draft = await ask(context, prompts);
    const written = save(context.places, draft);
    const isChanged = written.length > 0;
    prompts.end(
      isChanged
        ? `Written: ${listed(written.map(shownPath))}. \`npm start\` opens the council.`
        : 'Nothing was changed.',
      isChanged,
    );
    return isChanged;
  } catch (error) {
    // Ctrl-C is no key while a model is waited for, but a signal.
    if (error instanceof Cancelled || context.ending.aborted)
      prompts.end('Nothing was changed.', false);
    else if (error instanceof UneditableError)
      prompts.end(`${error.message} Nothing was changed.`, false);
    else throw error;
    return false;
  }
}

type Step = 'models' | keyof typeof chats;

async function draftOf(step: Step, context: SetupContext, prompts: Prompts): Promise<Draft> {
  if (step !== 'models') return chatStep(chats[step], context, prompts);
  return modelsStep(context, prompts, await findSources(context));
}

async function ask(context: SetupContext, prompts: Prompts): Promise<Draft> {
  const { config } = context;
  const hasDiscord = chats.discord.isSet(config);
  const hasSlack = chats.slack.isSet(config);
  const { default: model } = config.settings.models;
  if (model === 'auto' && !hasDiscord && !hasSlack) return askAll(context, prompts);
  const state = (isSet: boolean) => (isSet ? 'set' : 'not set');
  const step = await prompts.choose('What would you like to change?', [
    { value: 'models', label: 'Who speaks', hint: `now ${model}` },
    { value: 'discord', label: 'Discord', hint: state(hasDiscord) },
    { value: 'slack', label: 'Slack', hint: state(hasSlack) },
  ]);
  return draftOf(step, context, prompts);
}

async function askAll(context: SetupContext, prompts: Prompts): Promise<Draft> {
  const drafts = [await draftOf('models', context, prompts)];
  const chats = await prompts.chooseSeveral(
    'Where should people ask it, besides this terminal? Press Enter for nowhere else.',
    [
      { value: 'discord', label: 'Discord' },
      { value: 'slack', label: 'Slack' },
    ],
  );
  for (const chat of chats) drafts.push(await draftOf(chat, context, prompts));
  return joined(drafts);
}

/** The options can't be applied. The message says what to change. */
class WrongOptions extends Error {
  override readonly name = 'WrongOptions';
}

/** @returns 0 if the models answer and, with `isYes`, the settings are written; else 1. */
export async function setupUnattended(
  context: SetupContext & Pick<TaskContext, 'output' | 'errors'>,
  options: SetupOptions,
): Promise<number> {
  const { config, places, output, errors } = context;
  try {
    const sources = await findSources(context);
    const source = sourceFor(context, sources, options);
    const first = { source, model: options.model ?? (await firstModelOf(source, context)) };
    const others = (options.sageModels ?? []).map((name) => modelNamed(name, [source, ...sources]));
    for (const chosen of [first, ...others]) {
      const problem = await modelProblem(context, chosen);
      if (problem !== undefined) throw new WrongOptions(problem);
    }
    const models = [first, ...others] as const;
    output.write(`${await whoWillSpeak(config, models)}\n`);
    if (!options.isYes) {
      output.write('Nothing was written. Add --yes to write it.\n');
      return 0;
    }
    const written = save(places, modelsDraft(config, models));
    output.write(`Written: ${listed(written.map(shownPath))}.\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof WrongOptions || error instanceof UneditableError)) throw error;
    errors.write(`${error.message} Nothing was written.\n`);
    return 1;
  }
}

async function firstModelOf(source: Source, { ending }: SetupContext): Promise<string> {
  const { models, problem = `${source.title} lists no model.` } = await modelsOf(source, ending);
  if (models[0] !== undefined) return models[0];
  throw new WrongOptions(`${problem} Name one with --model.`);
}

function sourceFor(
  { config, places }: SetupContext,
  sources: readonly Source[],
  { provider, keyEnv, address }: SetupOptions,
): Source {
  const { variables } = readVariables(places.environment, filesIn(places).variables);
  const value = keyEnv === undefined ? undefined : variables[keyEnv];
  if (keyEnv !== undefined && value === undefined) {
    throw new WrongOptions(`${keyEnv} is not set. Put the key into it, or name another variable.`);
  }
  const key = value && keyEnv ? { key: { value, foundIn: keyEnv } } : {};
  if (address !== undefined) return sourceAtAddress(address, provider, key, value);
  const isMeant = (one: Source) =>
    provider === undefined ? isUsable(one) : one.provider === provider;
  const known = sources.find(isMeant);
  if (!known && provider && knownProviders[provider]) {
    const { baseUrl } = config.settings.models.providers[provider] ?? {};
    throw new WrongOptions(
      `No model server answers at ${baseUrl}, or it has no model yet. Start it, download a model, or give --address.`,
    );
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

function sourceAtAddress(
  address: string,
  provider: string | undefined,
  key: Pick<Source, 'key'>,
  value: string | undefined,
): Source {
  const unnamed = sourceAt(address, value);
  if (provider === undefined) return { ...unnamed, ...key };
  const { apiKeyEnv } = knownProviders[provider] ?? {};
  return { ...unnamed, ...key, ...(apiKeyEnv ? { apiKeyEnv } : {}), provider, title: provider };
}

function modelNamed(name: string, sources: readonly Source[]): ChosenModel {
  const colon = name.indexOf(':');
  const source = sources.find(({ provider }) => provider === name.slice(0, Math.max(colon, 0)));
  if (source && isUsable(source)) return { source, model: name.slice(colon + 1) };
  throw new WrongOptions(
    `${name} can't be asked: it is not provider:model, or its provider has no key.`,
  );
}
