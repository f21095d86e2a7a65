/** The changes that the set-up collects, and writes at its end. */

import { existsSync, readFileSync } from 'node:fs';
import type { ProviderOptions } from '../../models/model-options.ts';
import { shownPath } from '../../settings/config-source.ts';
import {
  type SettingEdit,
  UneditableError,
  withSettings,
  withVariables,
} from '../../settings/file-edits.ts';
import { type Config, type ConfigPlaces, filesIn } from '../../settings/load.ts';
import { modelNames, usedModels } from '../models.ts';
import { openPrices, priceEstimator, providersOf } from '../open-models.ts';
import { whoSpeaks } from '../starting.ts';
import { type ChangedFile, replaceFiles } from '../whole-file.ts';
import type { Source } from './sources.ts';

export interface Draft {
  /** Variables for `.env`, by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Settings for `council.yaml`. */
  readonly settings: readonly SettingEdit[];
}

export const noDraft: Draft = { variables: {}, settings: [] };

export function joined(drafts: readonly Draft[]): Draft {
  return {
    variables: Object.assign({}, ...drafts.map(({ variables }) => variables)),
    settings: drafts.flatMap(({ settings }) => settings),
  };
}

export interface ChosenModel {
  readonly source: Source;
  /** The model's name at the source. */
  readonly model: string;
}

/** `provider:model`. */
export function fullName({ source, model }: ChosenModel): string {
  return `${source.provider}:${model}`;
}

/** The options for calling a source, with its provider's capabilities. */
export function providerOptions(config: Config, source: Source): ProviderOptions {
  const { provider, baseUrl, apiKeyEnv, key } = source;
  const known = providersOf(config)[provider];
  return {
    ...(known ?? { structuredOutput: 'json_schema', streamUsage: true }),
    baseUrl,
    // Errors about a rejected key name the variable that holds it.
    ...(apiKeyEnv ? { apiKeyEnv: key?.foundIn ?? apiKeyEnv } : {}),
    ...(key ? { apiKey: key.value } : {}),
  };
}

/** The first is the default model. Several are spread over the sages without a model of their own. */
type ModelSelection = readonly [ChosenModel, ...ChosenModel[]];

function sageModels(
  { sages }: Config,
  models: ModelSelection,
): readonly (readonly [string, string])[] {
  if (models.length === 1) return [];
  const free = sages.filter(({ model }) => model === undefined);
  return free.map(({ key }, index) => [key, fullName(models[index % models.length] ?? models[0])]);
}

export function modelsDraft(config: Config, models: ModelSelection): Draft {
  const isAssigned = Object.keys(config.settings.models.sages).length > 0;
  const sources = [...new Map(models.map(({ source }) => [source.provider, source])).values()];
  return {
    variables: Object.fromEntries(
      sources.flatMap(({ apiKeyEnv, key }) =>
        apiKeyEnv && key && key.foundIn !== apiKeyEnv ? [[apiKeyEnv, key.value] as const] : [],
      ),
    ),
    settings: [
      ...(isAssigned ? [{ path: ['models', 'sages'], value: undefined }] : []),
      // Each edit is inserted at the top of its group, so they come in reverse order.
      ...sageModels(config, models)
        .map(([key, value]) => ({ path: ['models', 'sages', key], value }))
        .toReversed(),
      ...sources.filter(({ isNew }) => isNew).flatMap(addressEdits),
      { path: ['models', 'default'], value: fullName(models[0]) },
    ],
  };
}

function addressEdits({ provider, baseUrl, apiKeyEnv }: Source): readonly SettingEdit[] {
  const path = ['models', 'providers', provider];
  return [
    ...(apiKeyEnv ? [{ path: [...path, 'apiKeyEnv'], value: apiKeyEnv }] : []),
    { path: [...path, 'baseUrl'], value: baseUrl },
  ];
}

/** Describes in one line the models and the cost of a question after the draft is written. */
export async function whoWillSpeak(config: Config, models: ModelSelection): Promise<string> {
  const sages = Object.fromEntries(sageModels(config, models));
  const settings = { ...config.settings.models, default: fullName(models[0]), sages };
  const changed = { ...config, settings: { ...config.settings, models: settings } };
  const names = modelNames(changed, settings.default);
  const providers = Object.fromEntries(
    models.map(({ source }) => [source.provider, providerOptions(config, source)]),
  );
  const all = { ...providersOf(config), ...providers };
  const prices = await openPrices(changed, all, usedModels(changed, names));
  return whoSpeaks(changed, names, priceEstimator(prices));
}

/**
 * Writes the draft: `.env` readable by its owner only, and both files or neither.
 *
 * @returns The paths of the written files.
 * @throws `UneditableError`, with nothing written, if `council.yaml` can't be edited or a file can't be written.
 */
export function save(places: ConfigPlaces, { variables, settings }: Draft): readonly string[] {
  const { variables: env, council } = filesIn(places);
  const changed: ChangedFile[] = [];
  if (Object.keys(variables).length > 0)
    changed.push({ path: env, text: withVariables(textOf(env), variables), mode: 0o600 });
  if (settings.length > 0)
    changed.push({
      path: council,
      text: withSettings(textOf(council), settings, shownPath(council)),
    });
  try {
    replaceFiles(changed);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new UneditableError(`The settings can't be written: ${error.message}.`, { cause: error });
  }
  return changed.map(({ path }) => path);
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
