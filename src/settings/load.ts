/** Reads the operator's configuration, files and environment, once at start. */

import { dirname, join } from 'node:path';
import { valueAt } from './check.ts';
import { ConfigError } from './config-error.ts';
import { type CouncilFile, readCouncilFile } from './council-file.ts';
import {
  type Environment,
  type Role,
  readOllamaHost,
  readRole,
  readVariables,
  Secrets,
  storeAddressMistakes,
  storeVariables,
} from './environment.ts';
import type { Settings } from './file-table.ts';
import { referenceMistakes } from './references.ts';
import { type ConfiguredSage, readSages } from './sages.ts';
import { encryptionKeyVariable, slackAccessMistakes, slackVariables } from './slack-access.ts';

/** Set by the container image; `health.host` in the file wins. */
const healthHostVariable = 'COUNCIL_HEALTH_HOST';

/** A whole configuration. Safe to print: secrets show as names alone. */
export interface Config {
  /** `council.yaml` with defaults filled in, and with `OLLAMA_HOST` and `COUNCIL_HEALTH_HOST` where the file names no address. */
  readonly settings: Settings;
  /** The predefined sages, by key in alphabetical order. */
  readonly sages: readonly ConfiguredSage[];
  /** The keys that the providers name, what Discord, Slack and the store need, and `OLLAMA_HOST`, as far as they are set. */
  readonly secrets: Secrets;
  /** Which part of the work this process does in Discord or Slack. */
  readonly role: Role;
}

/** Where {@link loadConfig} reads. */
interface ConfigPlaces {
  /**
   * Folder with `council.yaml` (may be missing: all defaults) and `sages`; a `.env` may lie beside it.
   * Or a file of any name that ends in `.yaml` or `.yml`, which is read in place of `council.yaml`.
   */
  readonly directory: string;
  /** Wins over `.env`. An empty variable counts as not set. */
  readonly environment: Environment;
}

/** The folder or file that `COUNCIL_CONFIG` names; `--config` wins over it. */
export function configPathIn({ COUNCIL_CONFIG: path }: Environment): string | undefined {
  return path?.trim() || undefined;
}

/**
 * Reads the whole configuration.
 *
 * @throws {ConfigError} naming every mistake in all files at once.
 */
export function loadConfig({ directory: path, environment }: ConfigPlaces): Config {
  const isFile = /\.ya?ml$/i.test(path);
  const directory = isFile ? dirname(path) : path;
  const council = readCouncilFile(isFile ? path : join(path, 'council.yaml'), !isFile);
  const folder = readSages(join(directory, 'sages'));
  const { variables, ...read } = readVariables(environment, join(directory, '..', '.env'));
  const ollama = readOllamaHost(variables);
  const { role, mistakes: roleMistakes } = readRole(variables);
  const mistakes = [
    ...council.mistakes,
    ...folder.mistakes,
    ...folder.files.flatMap((file) => file.mistakes),
    ...referenceMistakes(council, folder.files),
    ...read.mistakes,
    ...ollama.mistakes,
    ...storeAddressMistakes(variables),
    ...roleMistakes,
    ...slackAccessMistakes(variables),
  ];
  const { settings } = council;
  if (settings === undefined || mistakes.length > 0) throw new ConfigError(mistakes);

  const keyNames = Object.values(settings.models.providers).flatMap(
    ({ apiKeyEnv }) => apiKeyEnv ?? [],
  );
  return {
    role,
    settings: withAddresses(settings, council, {
      ollama: ollama.baseUrl,
      health: variables[healthHostVariable],
    }),
    sages: folder.files.flatMap(({ sage }) => sage ?? []),
    secrets: new Secrets(variables, [
      ...new Set([
        ...keyNames,
        ...['OLLAMA_HOST', 'DISCORD_TOKEN', encryptionKeyVariable],
        ...slackVariables,
        ...storeVariables,
      ]),
    ]),
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
    health: { ...health, ...(host ? { host } : {}) },
    models: isOllamaElsewhere
      ? { ...models, providers: { ...models.providers, ollama: { ...ollama, baseUrl } } }
      : models,
  };
}
