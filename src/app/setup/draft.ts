/** The changes that the set-up collects, and writes at its end. */

import {
  chmodSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { ProviderOptions } from '../../models/model-options.ts';
import { type SettingEdit, withSettings, withVariables } from '../../settings/file-edits.ts';
import { type Config, type ConfigPlaces, filesIn } from '../../settings/load.ts';
import { modelNames, usedModels } from '../models.ts';
import { openPrices, priceEstimator, providersOf } from '../open-models.ts';
import { whoSpeaks } from '../starting.ts';
import type { Source } from './sources.ts';

export interface Draft {
  /** Variables for `.env`, by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Settings for `council.yaml`. */
  readonly settings: readonly SettingEdit[];
}

export const noDraft: Draft = { variables: {}, settings: [] };

export function joined(one: Draft, other: Draft): Draft {
  return {
    variables: { ...one.variables, ...other.variables },
    settings: [...one.settings, ...other.settings],
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
 * Writes the draft: `.env` readable by its owner only, and each file atomically.
 *
 * @returns The paths of the written files.
 * @throws `UneditableError` before anything is written, if `council.yaml` can't be edited.
 */
export function save(places: ConfigPlaces, { variables, settings }: Draft): readonly string[] {
  const files = filesIn(places);
  const council = settings.length > 0 ? withSettings(textOf(files.council), settings) : undefined;
  const hasVariables = Object.keys(variables).length > 0;
  if (hasVariables)
    replace(files.variables, withVariables(textOf(files.variables), variables), 0o600);
  if (council !== undefined) replace(files.council, council);
  return [
    ...(hasVariables ? [files.variables] : []),
    ...(council === undefined ? [] : [files.council]),
  ];
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** @param mode - Default: that of a new file. */
function replace(path: string, text: string, mode?: number): void {
  const target = existsSync(path) ? realpathSync(path) : path;
  const fresh = `${target}.${process.pid}.new`;
  try {
    writeFileSync(fresh, text, mode === undefined ? {} : { mode });
    if (mode !== undefined) chmodSync(fresh, mode);
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
