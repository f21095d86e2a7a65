/** Checks settings against each other and against the sages. */

import { mistakeAt, nearest, shownName, shownValue, valueAt } from './check.ts';
import type { Mistake, SettingPath, YamlSource } from './config-source.ts';
import { modelName, providerOf } from './file-kinds.ts';
import type { Settings } from './file-table.ts';
import { presetModels } from './preset-settings.ts';
import type { SageFile } from './sages.ts';

/** The contents of `council.yaml`. */
export interface CouncilFile {
  /** For the lines of mistakes found later. */
  readonly source: YamlSource;
  /** The valid settings. Absent if the file is not readable YAML. */
  readonly settings?: Settings;
  /** The paths of invalid settings. */
  readonly faulty: readonly SettingPath[];
  readonly mistakes: readonly Mistake[];
}

interface Configuration extends Required<Omit<CouncilFile, 'mistakes'>> {
  readonly sages: readonly SageFile[];
}

/**
 * Finds settings that are valid alone and wrong in combination. Ignores settings that are invalid
 * themselves. If `council.yaml` is unreadable, only the sages' names are compared.
 */
export function referenceMistakes(council: CouncilFile, sages: readonly SageFile[]): Mistake[] {
  const { source, settings, faulty } = council;
  if (settings === undefined) return nameMistakes(sages);
  const configuration = { source, settings, faulty, sages };
  return [
    ...seatMistakes(configuration),
    ...sageMistakes(configuration),
    ...providerMistakes(configuration),
    ...nameMistakes(sages),
  ];
}

function seatMistakes({ source, settings, faulty }: Configuration): Mistake[] {
  const { maxSages, maxDynamicSages } = settings.council;
  if (isFaulty(faulty, ['council', 'maxSages'])) return [];
  const mistakes: Mistake[] = [];
  const path = ['council', 'maxDynamicSages'];
  // The default may exceed a small maxSages. It only bounds how many of the seats can be dynamic.
  if (valueAt(source.data, path) !== undefined && maxDynamicSages > maxSages) {
    const text = `${maxDynamicSages} is more than council.maxSages, which is ${maxSages}. Write at most ${maxSages}`;
    mistakes.push(mistakeAt(source, path, text));
  }
  for (const [list, seats] of seatLists(settings)) {
    if (seats.length > maxSages) {
      const text = `${seats.length} sages are more than council.maxSages, which is ${maxSages}. Remove some or raise it`;
      mistakes.push(mistakeAt(source, list, text));
    }
    for (const [index, key] of seats.entries()) {
      if (seats.indexOf(key) === index) continue;
      const text = `${shownValue(key)} is listed twice. List each sage once`;
      mistakes.push(mistakeAt(source, [...list, index], text));
    }
  }
  return mistakes;
}

/** The fixed seats of the council and of the presets, each with its path. */
function seatLists({ council, presets }: Settings) {
  const lists = [
    [['council', 'seats'], council.seats] as const,
    ...Object.entries(presets).map(
      ([name, { seats }]) => [['presets', name, 'seats'], seats] as const,
    ),
  ];
  return lists.flatMap(([path, seats = 'moderated']) =>
    seats === 'moderated' ? [] : [[path, seats] as const],
  );
}

function sageMistakes({ source, settings, sages }: Configuration): Mistake[] {
  const known = sages.map(({ key }) => key);
  // That there are no sages is a mistake of their folder.
  if (known.length === 0) return [];
  const named: (readonly [SettingPath, string])[] = [
    [['council', 'fallbackSage'], settings.council.fallbackSage],
    ...seatLists(settings).flatMap(([path, seats]) =>
      seats.map((key, index) => [[...path, index], key] as const),
    ),
    ...Object.keys(settings.models.sages).map((key) => [['models', 'sages', key], key] as const),
  ];
  return named
    .filter(([, key]) => !known.includes(key))
    .map(([path, key]) => {
      const text = `there is no sage ${shownValue(key)}. ${suggestion(key, known)} Otherwise add sages/${shownName(key)}.md beside this file`;
      return mistakeAt(source, path, text);
    });
}

function providerMistakes({ source, settings, faulty, sages }: Configuration): Mistake[] {
  const {
    providers,
    sages: modelOfSage,
    autoModels,
    prices,
    fallback,
    ...models
  } = settings.models;
  if (isFaulty(faulty, ['models', 'providers'])) return [];
  // A provider with a mistake still counts as known, because its own mistake is reported.
  const known = [...Object.keys(providers), ...namesBelow(faulty, ['models', 'providers'])];
  const parts = ['moderator', 'sage', 'reviewer', 'chair', 'compactor', 'embedding'] as const;
  const named: (readonly [YamlSource, SettingPath, string | undefined])[] = [
    [source, ['models', 'default'], models.default === 'auto' ? undefined : models.default],
    ...parts.map((part) => [source, ['models', part], models[part]] as const),
    ...Object.entries(modelOfSage).map(
      ([key, model]) => [source, ['models', 'sages', key], model] as const,
    ),
    ...Object.entries(settings.presets).flatMap(([preset, values]) =>
      presetModels.map((part) => [source, ['presets', preset, part], values[part]] as const),
    ),
    ...Object.entries(autoModels).map(
      ([provider, model]) =>
        [source, ['models', 'autoModels', provider], `${provider}:${model}`] as const,
    ),
    ...fallback.map((model, index) => [source, ['models', 'fallback', index], model] as const),
    ...Object.keys(prices).map((model) => [source, ['models', 'prices', model], model] as const),
    ...sages.map((file) => [file.source, ['model'], modelIn(file)] as const),
  ];
  return named.flatMap(([from, path, model]) => {
    if (model === undefined || known.includes(providerOf(model))) return [];
    const provider = providerOf(model);
    const text = `${shownValue(model)} names an unknown provider. ${suggestion(provider, known)} Otherwise describe it under models.providers.${shownName(provider)}`;
    return [mistakeAt(from, path, text)];
  });
}

/** People address sages by name, so names must be unique. */
function nameMistakes(sages: readonly SageFile[]): Mistake[] {
  const keysByName = new Map<string, string>();
  return sages.flatMap(({ key, source }) => {
    const name = valueAt(source.data, ['name']);
    if (typeof name !== 'string') return [];
    const owner = keysByName.get(name.toLowerCase());
    keysByName.set(name.toLowerCase(), owner ?? key);
    if (owner === undefined) return [];
    const text = `${shownValue(name)} is already the name of the sage ${shownName(owner)}. Give each sage its own name`;
    return [mistakeAt(source, ['name'], text)];
  });
}

/** The model in a sage's file, if it is valid. The rest of the file need not be. */
function modelIn({ source }: SageFile): string | undefined {
  return modelName.safeParse(valueAt(source.data, ['model'])).data;
}

function suggestion(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${meant}?`;
}

/** Whether the setting or a group around it is invalid. */
function isFaulty(faulty: readonly SettingPath[], path: SettingPath): boolean {
  return faulty.some(
    (wrong) => wrong.length <= path.length && wrong.every((step, index) => step === path[index]),
  );
}

/** The names of a group's entries that contain a mistake. */
function namesBelow(faulty: readonly SettingPath[], group: SettingPath): string[] {
  return faulty
    .filter((path) => group.every((step, index) => step === path[index]))
    .flatMap((path) => path.slice(group.length, group.length + 1).map(String));
}
