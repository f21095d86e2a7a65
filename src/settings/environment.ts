/** What comes from the environment: secrets, which work a process does, and where other servers are. */

import { inspect, parseEnv } from 'node:util';
import { editDistance } from './check.ts';
import type { Mistake } from './config-error.ts';
import { isPlainWebAddress } from './file-kinds.ts';
import { knownProviders } from './known-providers.ts';
import { readTextFile, shownPath } from './text-file.ts';

/** A process's environment, or what stands for it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable, whether something is wrong with it, and what to do about it, for people. Shows no value. */
type VariableRule = readonly [name: string, isBroken: boolean, text: string];

/** The mistakes that the rules find. */
export function brokenRules(rules: readonly VariableRule[]): readonly Mistake[] {
  return rules.flatMap(([setting, isBroken, text]) =>
    isBroken ? [{ file: 'environment', setting, text }] : [],
  );
}

/**
 * The environment's variables over those of a `.env` file. A variable that is empty or blank counts as
 * not set; blanks around a value, which come with pasting, are cut off.
 *
 * @param envFile - Path of the `.env` file; it may be missing.
 */
export function readVariables(
  environment: Environment,
  envFile: string,
): {
  readonly variables: Readonly<Record<string, string>>;
  /** Names of those that the file sets. */
  readonly inFile: ReadonlySet<string>;
  readonly mistakes: readonly Mistake[];
} {
  const file = readTextFile(envFile);
  const fromFile = filled(parseEnv(file.status === 'read' ? file.text : ''));
  return {
    variables: { ...fromFile, ...filled(environment) },
    inFile: new Set(Object.keys(fromFile)),
    mistakes:
      file.status === 'unreadable' ? [{ file: shownPath(envFile), text: file.problem }] : [],
  };
}

function filled(variables: Environment): Record<string, string> {
  const entries = Object.entries(variables).map(([name, value]) => [name, value?.trim()] as const);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
}

/** Secrets by the names of their environment variables. Printing or serialising it shows the names alone. */
export class Secrets {
  readonly #values: ReadonlyMap<string, string>;

  /** Takes those of the named variables that are set. */
  constructor(environment: Environment, names: readonly string[]) {
    const values = new Map<string, string>();
    for (const name of names) {
      const value = environment[name];
      if (value !== undefined) values.set(name, value);
    }
    this.#values = values;
  }

  /** The secret; `undefined` where the variable is not set or was not asked for. */
  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** The variables that are set, in the order in which they were asked for. */
  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** Names, each with a placeholder for its value. */
  toJSON(): Record<string, string> {
    return Object.fromEntries(this.names.map((name) => [name, '(secret)']));
  }

  [inspect.custom](): Record<string, string> {
    return this.toJSON();
  }
}

const roles = ['all', 'gateway', 'worker'] as const;
/** `gateway`: takes in what people ask. `worker`: runs their turns. `all`: both. */
export type Role = (typeof roles)[number];

export const roleVariable = 'COUNCIL_ROLE';

/** Which part of the work a process does; `all` where the environment names none. */
export function readRole(variables: Environment): {
  readonly role: Role;
  readonly mistakes: readonly Mistake[];
} {
  const named = variables[roleVariable] ?? 'all';
  const role = roles.find((one) => one === named);
  const isAlone = (role ?? 'all') !== 'all' && variables.REDIS_URL === undefined;
  const mistakes = brokenRules([
    [roleVariable, role === undefined, `it must be one of ${roles.join(', ')}`],
    [
      roleVariable,
      isAlone,
      `a ${role} shares its work with other processes through Redis. Set REDIS_URL, or remove ${roleVariable}`,
    ],
  ]);
  return { role: role ?? 'all', mistakes };
}

/** The variables that choose the store; SQLite serves where none is set. */
export const storeVariables = [
  'REDIS_URL',
  'UPSTASH_REDIS_REST_URL',
  'UPSTASH_REDIS_REST_TOKEN',
] as const;

/** What is wrong with them. No value is shown: an address can hold a password. */
export function storeAddressMistakes(variables: Environment): readonly Mistake[] {
  const {
    REDIS_URL: redis,
    UPSTASH_REDIS_REST_URL: upstash,
    UPSTASH_REDIS_REST_TOKEN: token,
  } = variables;
  return brokenRules([
    [
      'REDIS_URL',
      redis !== undefined && !isAddress(redis, ['redis:', 'rediss:']) && !isOfSeveral(redis),
      'it is not the address of a server. Write e.g. redis://127.0.0.1:6379',
    ],
    [
      'UPSTASH_REDIS_REST_URL',
      upstash !== undefined && !isAddress(upstash, ['http:', 'https:']),
      'it is not the address of a database. Copy it from console.upstash.com, REST API',
    ],
    [
      'UPSTASH_REDIS_REST_TOKEN',
      upstash !== undefined && token === undefined,
      'is missing, but UPSTASH_REDIS_REST_URL is set. Copy it from the same page',
    ],
    [
      'UPSTASH_REDIS_REST_URL',
      upstash === undefined && token !== undefined,
      'is missing, but UPSTASH_REDIS_REST_TOKEN is set. Copy it from the same page',
    ],
    [
      'REDIS_URL',
      redis !== undefined && (upstash ?? token) !== undefined,
      'there can be only one store, and Upstash is set, too. Remove one of them',
    ],
  ]);
}

function isAddress(text: string, protocols: readonly string[]): boolean {
  const url = URL.parse(text);
  return url !== null && protocols.includes(url.protocol) && url.hostname !== '';
}

/** Several hosts: sentinels, with what they call the primary, or those of a cluster. */
function isOfSeveral(text: string): boolean {
  return /^rediss?\+(?:sentinel:\/\/[^/?]+\/[^/?]+|cluster:\/\/[^/?]+\/?$)/.test(text);
}

/** Where `OLLAMA_HOST` says that Ollama is; without a base URL where it says nothing. */
export function readOllamaHost({ OLLAMA_HOST: host }: Environment): {
  readonly baseUrl: string | undefined;
  readonly mistakes: readonly Mistake[];
} {
  const baseUrl = host === undefined ? undefined : ollamaBaseUrl(host);
  const isBroken = host !== undefined && baseUrl === undefined;
  // What it says is not shown: an address can hold a password.
  const text = 'it is not the address of a server. Write e.g. 127.0.0.1:11434';
  return { baseUrl, mistakes: brokenRules([['OLLAMA_HOST', isBroken, text]]) };
}

/**
 * The base URL that an `OLLAMA_HOST` stands for, or `undefined` where it is none. All forms that
 * Ollama itself takes are understood: `host`, `host:port`, `:port`, `[::1]:port`, an http or https
 * address, with or without a path. An address that means "all interfaces" to a server that
 * listens, such as `0.0.0.0`, means this machine to one who calls. Refuses a user name or password.
 */
export function ollamaBaseUrl(host: string): string | undefined {
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(host);
  const address = hasScheme ? host : `http://${withHost(host)}`;
  const url = URL.parse(address);
  if (url === null || !isPlainWebAddress(address)) return undefined;
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  if (!hasScheme && !hasPort(host)) url.port = '11434';
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path.endsWith('/v1') ? path : `${path}/v1`}`;
}

/** Puts the host in where only a port is given, and brackets around a bare IPv6 address. */
function withHost(host: string): string {
  if (/^:\d/.test(host)) return `127.0.0.1${host}`;
  return /^[\da-f]*:[\da-f:]*:[\da-f]*$/i.test(host) ? `[${host}]` : host;
}

/** Port 80 is the default of http and vanishes from a parsed address: it has to be seen before. */
function hasPort(host: string): boolean {
  return /(?:^[^:]*|\]):\d+(?:\/|$)/.test(host);
}

// Variables that are set and lead nowhere: a known name with a slip in it, or the key of a provider that the operator's file does not describe.

/** A variable that nothing reads. Its value is not in it. */
export interface UnreadVariable {
  readonly name: string;
  /** The variable that was probably meant, and that is not set; absent for the key of an unknown provider. */
  readonly meant?: string;
  /** It stands in `.env`, where nothing else would have use for it. */
  readonly isInFile: boolean;
}

const otherNames: ReadonlyMap<string, string> = new Map([
  ...Object.values(knownProviders).flatMap(({ apiKeyEnv, otherKeyNames = [] }) =>
    apiKeyEnv ? otherKeyNames.map((name) => [name, apiKeyEnv] as const) : [],
  ),
  ['DISCORD_BOT_TOKEN', 'DISCORD_TOKEN'],
  ['SLACK_TOKEN', 'SLACK_BOT_TOKEN'],
  ['OLLAMA_URL', 'OLLAMA_HOST'],
  ['OLLAMA_BASE_URL', 'OLLAMA_HOST'],
]);

/**
 * Finds them among what is set.
 *
 * @param set - Names of all variables that are set.
 * @param inFile - Those of them that `.env` sets.
 * @param known - Names that are read.
 */
export function unreadVariables(
  set: readonly string[],
  inFile: ReadonlySet<string>,
  known: readonly string[],
): readonly UnreadVariable[] {
  const missing = known.filter((name) => !set.includes(name));
  return set
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = meantBy(name, missing);
      const isKey = /_API_?KEY$/.test(name);
      const isInFile = inFile.has(name);
      if (meant !== undefined) return [{ name, meant, isInFile }];
      // The right name is set as well: there is nothing to say.
      if (meantBy(name, known) !== undefined || !isKey) return [];
      return [{ name, isInFile }];
    });
}

function meantBy(name: string, known: readonly string[]): string | undefined {
  const other = otherNames.get(name);
  if (other !== undefined && known.includes(other)) return other;
  const stem = stemOf(name);
  return known.find((one) => {
    const wanted = stemOf(one);
    // What else a vendor's variables are for is told by another ending: OPENAI_ORG_ID is no slip.
    if (stem.ending !== wanted.ending) return false;
    return (
      stem.word === wanted.word ||
      (wanted.word.length >= 5 && editDistance(stem.word, wanted.word) <= 1)
    );
  });
}

/** `OPENAI_APIKEY`, `OPENAI_KEY` and `OPENAI_API_TOKEN` are all `openai` with a key. */
function stemOf(name: string): { readonly word: string; readonly ending: string } {
  const folded = name.toLowerCase().replaceAll(/[_-]/g, '');
  const key = /^(.+?)(?:(?:api|secret)+(?:key|token)|key)$/.exec(folded);
  if (key?.[1]) return { word: key[1], ending: 'key' };
  const other = /^(.+?)(token|host|url|secret|id)$/.exec(folded);
  return { word: other?.[1] ?? folded, ending: other?.[2] ?? '' };
}
