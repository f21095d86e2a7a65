/** Reads the environment: secrets, the role of the process, and the addresses of other servers. */

import { parseEnv } from 'node:util';
import { editDistance } from './check.ts';
import { type Mistake, readTextFile, shownPath } from './config-source.ts';
import { isPlainWebAddress } from './file-kinds.ts';
import { knownProviders } from './known-providers.ts';

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A check of a variable. The text says what to do, for people, without the variable's value. */
type VariableRule = readonly [name: string, isBroken: boolean, text: string];

/** Returns the mistakes of broken rules. */
export function brokenRules(rules: readonly VariableRule[]): readonly Mistake[] {
  return rules.flatMap(([setting, isBroken, text]) =>
    isBroken ? [{ file: 'environment', setting, text }] : [],
  );
}

/**
 * Merges the environment with a `.env` file; the environment takes precedence. Blank variables count as
 * unset, and values are read as {@link pasted}.
 *
 * @param envFile - Path of the `.env` file, which is optional.
 */
export function readVariables(
  environment: Environment,
  envFile: string,
): {
  readonly variables: Readonly<Record<string, string>>;
  /** Names of the variables that the file sets. */
  readonly inFile: ReadonlySet<string>;
  readonly mistakes: readonly Mistake[];
} {
  const file = readTextFile(envFile);
  const text = file.status === 'read' ? file.text : '';
  const fromFile = filled(parseEnv(text));
  return {
    variables: { ...fromFile, ...filled(environment) },
    inFile: new Set(Object.keys(fromFile)),
    mistakes:
      file.status === 'unreadable'
        ? [{ file: shownPath(envFile), text: file.problem }]
        : assignmentMistakes(text, shownPath(envFile)),
  };
}

/** Finds names with a value and no `=`, which the parser skips. The texts show neither: it may be a secret. */
function assignmentMistakes(text: string, file: string): readonly Mistake[] {
  return text.split('\n').flatMap((line, index) => {
    if (!/^\s*(?:export\s+)?[A-Z][A-Z\d_]*(?:\s*:|\s+[^\s=])/.test(line)) return [];
    return [{ file, line: index + 1, text: 'the name is not followed by =. Write NAME=value' }];
  });
}

function filled(variables: Environment): Record<string, string> {
  const entries = Object.entries(variables).map(
    ([name, value]) => [name, pasted(value ?? '')] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

/**
 * A key or token without what people paste with it: blanks, quotes around it (Docker keeps those in its
 * `--env-file`), and the word before it in a request's header.
 */
export function pasted(value: string): string {
  const unquoted = value.trim().replace(/^["'“‘](.*)["'”’]$/s, '$1');
  return unquoted.replace(/^(?:Bot|Bearer) /i, '').trim();
}

export const discordVariable = 'DISCORD_TOKEN';
export const discordTokenForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The application's id, public key and client secret are on the same pages, and are often taken for the token. */
export function discordTokenMistakes({ [discordVariable]: token }: Environment) {
  const isBroken = token !== undefined && !discordTokenForm.test(token);
  const text =
    'it is not the token of a bot, which has three parts with dots between them. Copy that one from the developer portal, under Bot, Reset Token';
  return brokenRules([[discordVariable, isBroken, text]]);
}

/** Secrets by the names of their environment variables. Being private, they are neither printed nor serialised. */
export class Secrets {
  readonly #values: ReadonlyMap<string, string>;

  /** Picks the named variables that are set. */
  constructor(environment: Environment, names: readonly string[]) {
    this.#values = new Map(
      names.flatMap((name) => {
        const value = environment[name];
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
  }

  /** The secret, or `undefined` if the variable is unset or was not picked. */
  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** The names of the picked variables that are set, in order. */
  get names(): readonly string[] {
    return [...this.#values.keys()];
  }
}

const roles = ['all', 'gateway', 'worker'] as const;
/** `gateway`: accepts questions. `worker`: runs turns. `all`: both. */
export type Role = (typeof roles)[number];

export const roleVariable = 'COUNCIL_ROLE';

/** The role of the process. Default: `all`. */
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

/** The variables that choose the store. Without any, it is SQLite. */
export const storeVariables = [
  'REDIS_URL',
  'UPSTASH_REDIS_REST_URL',
  'UPSTASH_REDIS_REST_TOKEN',
] as const;

/** Checks these variables. The mistakes show no value, because an address can contain a password. */
export function storeAddressMistakes(variables: Environment): readonly Mistake[] {
  const {
    REDIS_URL: redis,
    UPSTASH_REDIS_REST_URL: upstash,
    UPSTASH_REDIS_REST_TOKEN: token,
  } = variables;
  return brokenRules([
    [
      'REDIS_URL',
      redis !== undefined && !isAddress(redis, ['redis:', 'rediss:']) && !namesSeveral(redis),
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

/** Whether a text is an address with one of the protocols, e.g. `https:`. */
export function isAddress(text: string, protocols: readonly string[]): boolean {
  const url = URL.parse(text);
  return url !== null && protocols.includes(url.protocol) && url.hostname !== '';
}

/** Whether an address names sentinels with their primary, or the nodes of a cluster. */
function namesSeveral(text: string): boolean {
  return /^rediss?\+(?:sentinel:\/\/[^/?]+\/[^/?]+|cluster:\/\/[^/?]+\/?$)/.test(text);
}

/** Reads `OLLAMA_HOST`. Without it there is no base URL. */
export function readOllamaHost({ OLLAMA_HOST: host }: Environment): {
  readonly baseUrl: string | undefined;
  readonly mistakes: readonly Mistake[];
} {
  const baseUrl = host === undefined ? undefined : ollamaBaseUrl(host);
  const isBroken = host !== undefined && baseUrl === undefined;
  // The value is not shown, because an address can contain a password.
  const text = 'it is not the address of a server. Write e.g. 127.0.0.1:11434';
  return { baseUrl, mistakes: brokenRules([['OLLAMA_HOST', isBroken, text]]) };
}

/**
 * Converts an `OLLAMA_HOST` to a base URL. Accepts every form that Ollama does: `host`, `host:port`,
 * `:port`, `[::1]:port`, and http or https addresses with or without a path. `0.0.0.0` and `[::]`, which
 * listen on all interfaces, become the loopback address. Returns `undefined` for invalid addresses and
 * those with a user name or password.
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

/** Adds the host to a bare port, and brackets to a bare IPv6 address. */
function withHost(host: string): string {
  if (/^:\d/.test(host)) return `127.0.0.1${host}`;
  return /^[\da-f]*:[\da-f:]*:[\da-f]*$/i.test(host) ? `[${host}]` : host;
}

/** Checks before parsing, because a parsed http address drops port 80. */
function hasPort(host: string): boolean {
  return /(?:^[^:]*|\]):\d+(?:\/|$)/.test(host);
}

// Finds variables that are set in vain: a misspelt known name, or the key of an unknown provider.

/** A variable that is not read, without its value. */
export interface UnreadVariable {
  readonly name: string;
  /** The unset variable that was probably meant. Absent for the key of an unknown provider. */
  readonly meant?: string;
  /** Whether it is in `.env`, which no other program reads. */
  readonly isInFile: boolean;
  /** It is only in `.env`, and was needed before that was read. */
  readonly isLate?: true;
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
 * Finds the variables that are set in vain.
 *
 * @param set - Names of all variables that are set.
 * @param inFile - Names of the variables that `.env` sets.
 * @param known - Names of the variables that are read.
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
      const meant = intendedName(name, missing);
      const isKey = /_API_?KEY$/.test(name);
      const isInFile = inFile.has(name);
      if (meant !== undefined) return [{ name, meant, isInFile }];
      // The right name is set as well.
      if (intendedName(name, known) !== undefined || !isKey) return [];
      return [{ name, isInFile }];
    });
}

function intendedName(name: string, known: readonly string[]): string | undefined {
  // As other images read secrets; `docs/running.md` says how this one does.
  const other = otherNames.get(name) ?? name.replace(/_FILE$/, '');
  if (known.includes(other)) return other;
  const stem = stemOf(name);
  return known.find((one) => {
    const wanted = stemOf(one);
    // Vendors' other variables have other endings: OPENAI_ORG_ID is no misspelling.
    if (stem.ending !== wanted.ending) return false;
    return (
      stem.word === wanted.word ||
      (wanted.word.length >= 5 && editDistance(stem.word, wanted.word) <= 1)
    );
  });
}

/** Splits a name: `OPENAI_APIKEY`, `OPENAI_KEY` and `OPENAI_API_TOKEN` are all `openai` with the ending `key`. */
function stemOf(name: string): { readonly word: string; readonly ending: string } {
  const folded = name.toLowerCase().replaceAll(/[_-]/g, '');
  const key = /^(.+?)(?:(?:api|secret)+(?:key|token)|key)$/.exec(folded);
  if (key?.[1]) return { word: key[1], ending: 'key' };
  const other = /^(.+?)(token|host|url|secret|id)$/.exec(folded);
  return { word: other?.[1] ?? folded, ending: other?.[2] ?? '' };
}
