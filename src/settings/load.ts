/** Reads the operator's configuration, files and environment, once at start. */

import { dirname, join } from 'node:path';
import { check, valueAt } from './check.ts';
import { ConfigError } from './config-error.ts';
import {
  type Environment,
  type Role,
  readOllamaHost,
  readRole,
  readVariables,
  roleVariable,
  Secrets,
  storeAddressMistakes,
  storeVariables,
  type UnreadVariable,
  unreadVariables,
} from './environment.ts';
import { isGroup } from './file-kinds.ts';
import { type Settings, settingsSchema } from './file-table.ts';
import { type CouncilFile, referenceMistakes } from './references.ts';
import { type ConfiguredSage, readPictures, readSages } from './sages.ts';
import { encryptionKeyVariable, slackAccessMistakes, slackVariables } from './slack-access.ts';
import { readTextFile, shownPath } from './text-file.ts';
import { readYaml, type SettingPath } from './yaml-source.ts';

/** Set by the container image, which is asked at the port below; what the file says wins. */
const healthHostVariable = 'COUNCIL_HEALTH_HOST';
const usualHealthPort = 8080;

/** A whole configuration. Safe to print: secrets show as names alone. */
export interface Config {
  /** `council.yaml` with defaults filled in, and with `OLLAMA_HOST` and `COUNCIL_HEALTH_HOST` where the file names no address. */
  readonly settings: Settings;
  /** The predefined sages, by key in alphabetical order. */
  readonly sages: readonly ConfiguredSage[];
  /** Pictures that lie beside their files, by the sage's key. */
  readonly pictures: ReadonlyMap<string, Buffer>;
  /** The keys that the providers name, what Discord, Slack and the store need, and `OLLAMA_HOST`, as far as they are set. */
  readonly secrets: Secrets;
  /** Which part of the work this process does in Discord or Slack. */
  readonly role: Role;
  /** Variables that look as if they were meant for the bot, and that nothing reads. */
  readonly unread: readonly UnreadVariable[];
}

/** Where {@link loadConfig} reads. */
export interface ConfigPlaces {
  /**
   * Folder with `council.yaml` (may be missing: all defaults) and `sages`; a `.env` may lie beside it.
   * Or a file of any name that ends in `.yaml` or `.yml`, which is read in place of `council.yaml`.
   */
  readonly directory: string;
  /** Wins over `.env`. An empty variable counts as not set. */
  readonly environment: Environment;
}

const configVariable = 'COUNCIL_CONFIG';

/** The folder or file that `COUNCIL_CONFIG` names; `--config` wins over it. */
export function configPathIn(environment: Environment): string | undefined {
  return environment[configVariable]?.trim() || undefined;
}

/** The files that are read, whether they are there or not. */
export function filesIn({ directory: path }: Pick<ConfigPlaces, 'directory'>): {
  /** The folder of the rest. */
  readonly directory: string;
  /** Path of `council.yaml`, or of what is read in its place. */
  readonly council: string;
  /** Path of `.env`. */
  readonly variables: string;
} {
  const isFile = /\.ya?ml$/i.test(path);
  const directory = isFile ? dirname(path) : path;
  const council = isFile ? path : join(path, 'council.yaml');
  return { directory, council, variables: join(directory, '..', '.env') };
}

/**
 * Reads the whole configuration.
 *
 * @throws {ConfigError} naming every mistake in all files at once.
 */
export function loadConfig({ directory: path, environment }: ConfigPlaces): Config {
  const files = filesIn({ directory: path });
  const council = readCouncilFile(files.council, files.council !== path);
  const folder = readSages(join(files.directory, 'sages'));
  const { pictures, mistakes: pictureMistakes } = readPictures(join(files.directory, 'sages'));
  const { variables, ...read } = readVariables(environment, files.variables);
  const ollama = readOllamaHost(variables);
  const { role, mistakes: roleMistakes } = readRole(variables);
  const mistakes = [
    ...council.mistakes,
    ...folder.mistakes,
    ...folder.files.flatMap((file) => file.mistakes),
    ...pictureMistakes,
    ...referenceMistakes(council, folder.files),
    ...read.mistakes,
    ...ollama.mistakes,
    ...storeAddressMistakes(variables),
    ...roleMistakes,
    ...slackAccessMistakes(variables),
  ];
  const { settings } = council;
  if (settings === undefined || mistakes.length > 0) throw new ConfigError(mistakes);

  const secretNames = [
    ...Object.values(settings.models.providers).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
    ...['OLLAMA_HOST', 'DISCORD_TOKEN', encryptionKeyVariable],
    ...slackVariables,
    ...storeVariables,
  ];
  const known = [...secretNames, roleVariable, configVariable, healthHostVariable];
  return {
    role,
    settings: withAddresses(settings, council, {
      ollama: ollama.baseUrl,
      health: variables[healthHostVariable],
    }),
    sages: folder.files.flatMap(({ sage }) => sage ?? []),
    pictures,
    secrets: new Secrets(variables, [...new Set(secretNames)]),
    unread: unreadVariables(Object.keys(variables), read.inFile, known),
  };
}

/** The settings with the environment's addresses where the file itself names none. */
function withAddresses(
  settings: Settings,
  { source }: CouncilFile,
  addresses: { readonly ollama: string | undefined; readonly health: string | undefined },
): Settings {
  const isInFile = (...path: readonly string[]) => valueAt(source.data, path) !== undefined;
  const { health, models } = settings;
  const { ollama } = models.providers;
  const baseUrl = isInFile('models', 'providers', 'ollama', 'baseUrl')
    ? undefined
    : addresses.ollama;
  const host = isInFile('health', 'host') ? undefined : addresses.health;
  const isOllamaElsewhere = ollama !== undefined && baseUrl !== undefined;
  return {
    ...settings,
    health: {
      ...health,
      ...(addresses.health && { port: health.port ?? usualHealthPort }),
      ...(host && { host }),
    },
    models: isOllamaElsewhere
      ? { ...models, providers: { ...models.providers, ollama: { ...ollama, baseUrl } } }
      : models,
  };
}

const missingFile = 'is missing. Create it, or name another one';

/**
 * Reads the file. An empty one gives all defaults.
 *
 * @param mayBeMissing - Whether a missing one does as well.
 */
function readCouncilFile(path: string, mayBeMissing: boolean): CouncilFile {
  const file = shownPath(path);
  const read = readTextFile(path);
  const source = readYaml(file, read.status === 'read' ? read.text : '');
  const problem = read.status === 'unreadable' ? read.problem : undefined;
  const missing = read.status === 'missing' && !mayBeMissing ? missingFile : undefined;
  const text = problem ?? missing;
  if (text !== undefined) return { source, faulty: [], mistakes: [{ file, text }] };
  if (source.data === undefined) return { source, faulty: [], mistakes: source.mistakes };
  const { value, faulty, mistakes } = check(settingsSchema, source);
  const settings = value ?? usableSettings(source.data, faulty);
  return { source, settings, faulty, mistakes: [...source.mistakes, ...mistakes] };
}

/**
 * The settings that a faulty file would give if everything faulty were left out of it.
 *
 * @param data - What the file says.
 * @param faulty - Where it is wrong, as found by checking it once.
 */
function usableSettings(data: unknown, faulty: readonly SettingPath[]): Settings {
  const distinct = new Map(faulty.map((path) => [JSON.stringify(path), path]));
  const rest = [...distinct.values()].reduce<unknown>(without, data) ?? {};
  const parsed = settingsSchema.safeParse(rest);
  if (parsed.success) return parsed.data;
  // Leaving out a value can uncover that the one beside it is missing: each round leaves out more.
  const paths = parsed.error.issues.map(({ path }) => path.map((step) => String(step)));
  return usableSettings(rest, paths);
}

/** A copy without what the path leads to; where just its last step is missing, without the group that lacks it. */
function without(data: unknown, [step, ...rest]: SettingPath): unknown {
  if (step === undefined || !isGroup(data)) return undefined;
  if (!Object.hasOwn(data, step)) return rest.length === 0 ? undefined : data;
  const { [step]: inner, ...others } = data;
  const remaining = rest.length === 0 ? undefined : without(inner, rest);
  return remaining === undefined ? others : { ...others, [step]: remaining };
}
