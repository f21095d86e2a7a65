/** Reads what an operator has set up: files and environment, once, at start. */

import { join } from 'node:path';
import { valueAt } from './check.ts';
import { ConfigError, type Mistake } from './config-error.ts';
import { readCouncilFile } from './council-file.ts';
import { ollamaBaseUrl } from './ollama-host.ts';
import { referenceMistakes } from './references.ts';
import { type Role, readRole } from './role.ts';
import type { ConfiguredSage } from './sage-file.ts';
import { readSages } from './sages-folder.ts';
import type { Settings } from './schema.ts';
import { type Environment, Secrets, withEnvFile } from './secrets.ts';
import { shownPath } from './shown-path.ts';
import { encryptionKeyVariable, slackAccessMistakes, slackVariables } from './slack-access.ts';
import { storeAddressMistakes, storeVariables } from './store-address.ts';
import { readTextFile } from './text-file.ts';

/** What a container image says of where it is reached; `health.host` in the file goes before it. */
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
export interface ConfigPlaces {
  /** Folder with `council.yaml` (may be missing: all defaults) and `sages`; a `.env` may lie beside it. */
  readonly directory: string;
  /** Goes before what `.env` says. A variable that is empty counts as not set. */
  readonly environment: Environment;
}

/**
 * Reads the whole configuration.
 *
 * @throws {ConfigError} naming every mistake in all files at once.
 */
export function loadConfig({ directory, environment }: ConfigPlaces): Config {
  const council = readCouncilFile(join(directory, 'council.yaml'));
  const folder = readSages(join(directory, 'sages'));
  const variables = readVariables(join(directory, '..', '.env'), environment);
  const ollama = readOllamaHost(variables.values);
  const { role, mistakes: roleMistakes } = readRole(variables.values);
  const mistakes = [
    ...council.mistakes,
    ...folder.mistakes,
    ...folder.files.flatMap((file) => file.mistakes),
    ...referenceMistakes(council, folder.files),
    ...variables.mistakes,
    ...ollama.mistakes,
    ...storeAddressMistakes(variables.values),
    ...roleMistakes,
    ...slackAccessMistakes(variables.values),
  ];
  const { settings } = council;
  if (settings === undefined || mistakes.length > 0) throw new ConfigError(mistakes);

  const isAddressSet =
    valueAt(council.source.data, ['models', 'providers', 'ollama', 'baseUrl']) !== undefined;
  const keyNames = Object.values(settings.models.providers).flatMap(
    ({ apiKeyEnv }) => apiKeyEnv ?? [],
  );
  const isHealthHostSet = valueAt(council.source.data, ['health', 'host']) !== undefined;
  const { [healthHostVariable]: healthHost } = variables.values;
  const health = isHealthHostSet || !healthHost ? {} : { host: healthHost };
  const served = { ...settings, health: { ...settings.health, ...health } };
  return {
    role,
    settings: isAddressSet ? served : withOllamaAt(served, ollama.baseUrl),
    sages: folder.files.flatMap(({ sage }) => sage ?? []),
    secrets: new Secrets(variables.values, [
      ...new Set([
        ...keyNames,
        ...['OLLAMA_HOST', 'DISCORD_TOKEN', encryptionKeyVariable],
        ...slackVariables,
        ...storeVariables,
      ]),
    ]),
  };
}

function readVariables(
  path: string,
  environment: Environment,
): { readonly values: Environment; readonly mistakes: readonly Mistake[] } {
  const file = readTextFile(path);
  const values = withEnvFile(environment, file.status === 'read' ? file.text : '');
  const mistakes =
    file.status === 'unreadable' ? [{ file: shownPath(path), text: file.problem }] : [];
  return { values, mistakes };
}

function readOllamaHost(variables: Environment): {
  readonly baseUrl?: string;
  readonly mistakes: readonly Mistake[];
} {
  const host = variables.OLLAMA_HOST;
  if (host === undefined) return { mistakes: [] };
  const baseUrl = ollamaBaseUrl(host);
  if (baseUrl !== undefined) return { baseUrl, mistakes: [] };
  // What it says is not shown: an address can hold a password.
  const text = 'it is not the address of a server. Write e.g. 127.0.0.1:11434';
  return { mistakes: [{ file: 'environment', setting: 'OLLAMA_HOST', text }] };
}

function withOllamaAt(settings: Settings, baseUrl: string | undefined): Settings {
  const { models } = settings;
  const { ollama } = models.providers;
  if (ollama === undefined || baseUrl === undefined) return settings;
  const providers = { ...models.providers, ollama: { ...ollama, baseUrl } };
  return { ...settings, models: { ...models, providers } };
}
