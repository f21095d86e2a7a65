/** What the set-up will write. Nothing is written before all of it is known. */

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
import { openPrices, priceBefore, providersOf } from '../open-models.ts';
import { whoSpeaks } from '../start-lines.ts';
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

/** A model at its source. */
export interface ChosenModel {
  readonly source: Source;
  /** Its name there. */
  readonly model: string;
}

/** `provider:model`. */
export function fullName({ source, model }: ChosenModel): string {
  return `${source.provider}:${model}`;
}

/** How a source is called, with all that its provider takes. */
export function providerOptions(config: Config, source: Source): ProviderOptions {
  const { provider, baseUrl, apiKeyEnv, key } = source;
  const known = providersOf(config)[provider];
  return {
    ...(known ?? { structuredOutput: 'json_schema', streamUsage: true }),
    baseUrl,
    // What is told of a rejected key names the variable in which it was found.
    ...(apiKeyEnv ? { apiKeyEnv: key?.foundIn ?? apiKeyEnv } : {}),
    ...(key ? { apiKey: key.value } : {}),
  };
}

/** @param models - The first speaks for every part; the sages are spread over all of them. */
export function modelsDraft(
  { sages, settings }: Config,
  models: readonly [ChosenModel, ...ChosenModel[]],
): Draft {
  const names = models.map(fullName);
  const bySage =
    names.length === 1
      ? []
      : sages
          .filter(({ model }) => model === undefined)
          .map(({ key }, index) => [key, names[index % names.length]] as const);
  const own = Object.keys(settings.models.sages);
  const sources = [...new Map(models.map(({ source }) => [source.provider, source])).values()];
  return {
    variables: Object.fromEntries(
      sources.flatMap(({ apiKeyEnv, key }) =>
        apiKeyEnv && key && key.foundIn !== apiKeyEnv ? [[apiKeyEnv, key.value] as const] : [],
      ),
    ),
    settings: [
      ...(own.length > 0 ? [{ path: ['models', 'sages'], value: undefined }] : []),
      // Each goes to the beginning of its group: the last of them stands first.
      ...bySage.map(([key, value]) => ({ path: ['models', 'sages', key], value })).toReversed(),
      ...sources.filter(({ isNew }) => isNew).flatMap(addressEdits),
      { path: ['models', 'default'], value: names[0] },
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

/** One line: who speaks once the models are written, and what a question costs then. */
export async function whoWillSpeak(
  config: Config,
  models: readonly [ChosenModel, ...ChosenModel[]],
): Promise<string> {
  const sages: Record<string, string> = {};
  for (const { path, value } of modelsDraft(config, models).settings) {
    const [, group, key] = path;
    if (group === 'sages' && key && typeof value === 'string') sages[key] = value;
  }
  const [first] = models;
  const settings = { ...config.settings.models, default: fullName(first), sages };
  const then = { ...config, settings: { ...config.settings, models: settings } };
  const names = modelNames(then, settings.default);
  const providers = Object.fromEntries(
    models.map(({ source }) => [source.provider, providerOptions(config, source)]),
  );
  const all = { ...providersOf(config), ...providers };
  const prices = await openPrices(then, all, usedModels(then, names));
  return whoSpeaks(then, names, priceBefore(prices));
}

/**
 * Writes the draft: `.env` for its owner alone, and each file whole or not at all.
 *
 * @returns The files that were written.
 * @throws `UneditableError` before anything is written, when `council.yaml` can't be changed.
 */
export function save(places: ConfigPlaces, { variables, settings }: Draft): readonly string[] {
  const files = filesIn(places);
  const council = settings.length > 0 ? withSettings(textOf(files.council), settings) : undefined;
  const env = Object.keys(variables).length > 0;
  if (env) replace(files.variables, withVariables(textOf(files.variables), variables), 0o600);
  if (council !== undefined) replace(files.council, council);
  return [...(env ? [files.variables] : []), ...(council === undefined ? [] : [files.council])];
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** @param mode - Absent: as the file has it. */
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
