/** Reads the operator's files and environment once, at the start. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check, valueAt } from './check.ts';
import {
  ConfigError,
  readTextFile,
  readYaml,
  type SettingPath,
  shownPath,
} from './config-source.ts';
import {
  discordTokenMistakes,
  discordVariable,
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
import { readProxy } from './proxy.ts';
import { type CouncilFile, referenceMistakes } from './references.ts';
import { type ConfiguredSage, readSages } from './sages.ts';
import { encryptionKeyVariable, slackAccessMistakes, slackVariables } from './slack-access.ts';

/** Set by the container image, whose health check uses the port below. The file takes precedence. */
const healthHostVariable = 'COUNCIL_HEALTH_HOST';
const defaultHealthPort = 8080;

/** The whole configuration. Safe to print: secrets are not shown. */
export interface Config {
  /** `council.yaml` with defaults, and with `OLLAMA_HOST` and `COUNCIL_HEALTH_HOST` unless the file has an address. */
  readonly settings: Settings;
  /** The file with the settings, as people are told of it, e.g. `config/council.yaml`. */
  readonly file: string;
  /** The predefined sages, sorted by key. */
  readonly sages: readonly ConfiguredSage[];
  /** The sages' pictures, by key. */
  readonly pictures: ReadonlyMap<string, Buffer>;
  /** Providers' keys, the secrets of Discord, Slack and the store, and `OLLAMA_HOST`, as far as they are set. */
  readonly secrets: Secrets;
  /** The proxy of the process: `http_proxy`, `https_proxy` and `no_proxy`, as far as they are set. */
  readonly proxy: Secrets;
  /** Whether this process accepts questions, runs turns, or both. */
  readonly role: Role;
  /** Variables that seem meant for the bot but are not read. */
  readonly unread: readonly UnreadVariable[];
  /** For people, one line for each file that was probably meant to be `.env`. */
  readonly misplaced: readonly string[];
}

/** What {@link loadConfig} reads. */
export interface ConfigPlaces {
  /**
   * Folder with `council.yaml` and `sages` (both optional), with an optional `.env` beside the folder.
   * Or the path of a `.yaml` or `.yml` file to read instead of `council.yaml`.
   */
  readonly directory: string;
  /** Takes precedence over `.env`. An empty variable counts as unset. */
  readonly environment: Environment;
}

/** Those that come with Council, where a configuration elsewhere has no folder of its own. */
const includedSages = fileURLToPath(new URL('../../config/sages', import.meta.url));
const configVariable = 'COUNCIL_CONFIG';
/** Read when the process starts, before `.env`. */
const startVariables = [configVariable, 'NODE_EXTRA_CA_CERTS'];

/** The folder or file that `COUNCIL_CONFIG` names. `--config` takes precedence. */
export function configPathIn(environment: Environment): string | undefined {
  return environment[configVariable]?.trim() || undefined;
}

/** The paths of the files that are read, whether or not they exist. */
export function filesIn({ directory: path }: Pick<ConfigPlaces, 'directory'>): {
  /** The folder that may contain `sages`. */
  readonly directory: string;
  /** Path of `council.yaml`, or of the file that replaces it. */
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
 * @throws {ConfigError} with every mistake in all files.
 */
export function loadConfig({ directory: path, environment }: ConfigPlaces): Config {
  const files = filesIn({ directory: path });
  const council = readCouncilFile(files.council, files.council !== path);
  const own = join(files.directory, 'sages');
  const hasOwn = existsSync(own) || !existsSync(files.directory);
  const folder = readSages(hasOwn ? own : includedSages);
  const { variables, ...read } = readVariables(environment, files.variables);
  const ollama = readOllamaHost(variables);
  const { proxy, mistakes: proxyMistakes } = readProxy(variables);
  const { role, mistakes: roleMistakes } = readRole(variables);
  const mistakes = [
    ...council.mistakes,
    ...folder.mistakes,
    ...folder.files.flatMap((file) => file.mistakes),
    ...referenceMistakes(council, folder.files),
    ...read.mistakes,
    ...ollama.mistakes,
    ...proxyMistakes,
    ...storeAddressMistakes(variables),
    ...roleMistakes,
    ...discordTokenMistakes(variables),
    ...slackAccessMistakes(variables),
  ];
  const { settings } = council;
  if (settings === undefined || mistakes.length > 0) {
    const file = shownPath(files.variables);
    const isInFile = ({ setting: name = '' }) => read.inFile.has(name) && !environment[name];
    throw new ConfigError(mistakes.map((one) => (isInFile(one) ? { ...one, file } : one)));
  }

  const secretNames = [
    ...Object.values(settings.models.providers).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
    ...['OLLAMA_HOST', discordVariable, encryptionKeyVariable],
    ...slackVariables,
    ...storeVariables,
  ];
  const isMissing = (name: string) => secretNames.includes(name) && variables[name] === undefined;
  const known = [...secretNames, roleVariable, configVariable, healthHostVariable];
  return {
    role,
    file: shownPath(files.council),
    settings: withAddresses(settings, council, {
      ollama: ollama.baseUrl,
      health: variables[healthHostVariable],
    }),
    sages: folder.files.flatMap(({ sage }) => sage ?? []),
    pictures: folder.pictures,
    secrets: new Secrets(variables, [...new Set(secretNames)]),
    proxy,
    unread: [
      ...unreadVariables(Object.keys(variables), read.inFile, known),
      ...startVariables
        .filter((name) => read.inFile.has(name) && !environment[name])
        .map((name) => ({ name, isInFile: true, isLate: true }) as const),
    ],
    misplaced: misplacedLines(files, isMissing),
  };
}

/** Finds files that set what is missing: editors add an ending to `.env`, and people put it beside `council.yaml`. */
function misplacedLines(
  { directory, variables: path }: ReturnType<typeof filesIn>,
  isMissing: (variable: string) => boolean,
): readonly string[] {
  const inFolder = join(directory, '.env');
  return [`${path}.txt`, `${path}.example`, inFolder, `${inFolder}.txt`].flatMap((file) => {
    const names = [...readVariables({}, file).inFile].filter(isMissing);
    if (names.length === 0) return [];
    return `${shownPath(file)} sets ${names.join(', ')}, but only ${shownPath(path)} is read. Rename the file, or copy its lines there.`;
  });
}

/** Fills in addresses from the environment where the file sets none. */
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
  const moved = ollama && baseUrl && { ollama: { ...ollama, baseUrl } };
  return {
    ...settings,
    health: {
      ...health,
      ...(addresses.health && { port: health.port ?? defaultHealthPort }),
      ...(host && { host }),
    },
    models: { ...models, providers: { ...models.providers, ...moved } },
  };
}

const missingFile = 'is missing. Create it, or name another one';

/**
 * Reads `council.yaml`. An empty file gives all defaults.
 *
 * @param mayBeMissing - Whether a missing file does as well.
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
 * Parses a file without its invalid settings.
 *
 * @param data - The contents of the file.
 * @param faulty - The paths of the invalid settings.
 */
function usableSettings(data: unknown, faulty: readonly SettingPath[]): Settings {
  const distinct = new Map(faulty.map((path) => [JSON.stringify(path), path]));
  const rest = [...distinct.values()].reduce<unknown>(without, data) ?? {};
  const parsed = settingsSchema.safeParse(rest);
  if (parsed.success) return parsed.data;
  // Without a value, its group may be invalid: each round leaves out more.
  const paths = parsed.error.issues.map(({ path }) => path.map((step) => String(step)));
  return usableSettings(rest, paths);
}

/** Copies data without the value at the path, or, if only the last step is missing, without its group. */
function without(data: unknown, [step, ...rest]: SettingPath): unknown {
  if (step === undefined || !isGroup(data)) return undefined;
  if (!Object.hasOwn(data, step)) return rest.length === 0 ? undefined : data;
  const { [step]: inner, ...others } = data;
  const remaining = rest.length === 0 ? undefined : without(inner, rest);
  return remaining === undefined ? others : { ...others, [step]: remaining };
}
