/** The log: one line per event, its facts first, then a sentence. It contains no secrets and no conversation. */

import { pino } from 'pino';
import { z } from 'zod';
import { type Log, type LogFacts, redact, redacted } from '../../domain/log.ts';
import type { Config } from '../../settings/load.ts';
import { secretsOf } from '../../store/redis/address.ts';
import type { TaskContext } from '../tasks/task.ts';

/** Receives one whole line at a time, including the line feed, e.g. `process.stderr`. */
export interface LogDestination {
  write(line: string): unknown;
}

export interface LogOptions {
  /** The lowest level to write. */
  readonly level: Config['settings']['log']['level'];
  readonly destination: LogDestination;
  /** Lines for people instead of JSON. */
  readonly pretty?: boolean;
  /** Keys, tokens and passwords to redact everywhere. Empty ones are ignored. */
  readonly secrets: readonly string[];
}

/** Opens the log. Each line has time (ISO 8601), level, pid, the facts and `msg`. */
export function createLog(options: LogOptions): Log {
  const { destination } = options;
  const logger = pino(
    {
      level: options.level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    {
      write(line: string) {
        destination.write(options.pretty ? readableLine(line) : line);
      },
    },
  );
  const plain = loggedFacts(options.secrets);
  const wrap = (target: pino.Logger): Log => {
    const write = (level: 'info' | 'warn' | 'error') => (facts: LogFacts, sentence: string) => {
      if (target.isLevelEnabled(level)) target[level](plain.facts(facts), plain.text(sentence));
    };
    return {
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (facts) => wrap(target.child(plain.facts(facts))),
    };
  };
  return wrap(logger);
}

/**
 * Readable in a terminal, else JSON.
 *
 * @param isQuiet - A person talks there: logs errors only (unless `log.level` says otherwise), readably.
 */
export function openLog(
  { config, errors }: Pick<TaskContext, 'config' | 'errors'>,
  isQuiet: boolean,
): Log {
  const { level } = config.settings.log;
  return createLog({
    level: isQuiet && level === 'info' ? 'error' : level,
    destination: errors,
    pretty: isQuiet || errors.isTTY === true,
    secrets: config.secrets.names.flatMap((name) => secretPart(name, config.secrets.get(name))),
  });
}

/** Of a store's address only the credentials are secret. */
function secretPart(name: string, value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  if (name !== 'REDIS_URL' && name !== 'UPSTASH_REDIS_REST_URL') return [value];
  return secretsOf(value);
}

const lineSchema = z.looseObject({
  time: z.string(),
  level: z.string(),
  pid: z.number(),
  msg: z.string().default(''),
});

const errorSchema = z.object({ type: z.string(), message: z.string(), stack: z.string() });

/** Errors thrown by JavaScript itself are probably bugs: a developer needs the stack. */
const builtInErrors: ReadonlySet<string> = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'AggregateError',
]);

/** Reduces an error to its message if that was written for people. */
function shortened(value: unknown): unknown {
  const error = errorSchema.safeParse(value).data;
  return error && !builtInErrors.has(error.type) ? error.message : value;
}

/** Removes the terminal control characters that JSON does not escape. */
function quoted(value: unknown): string {
  const json = JSON.stringify(value) ?? '';
  const isPlainWord = typeof value === 'string' && /^[\w.:/@-]+$/.test(value);
  return isPlainWord ? value : json.replace(/[\u007f-\u009f]/g, '');
}

/**
 * Formats a log line for people.
 *
 * @param line - One JSON object as pino writes it.
 * @returns E.g. `14:03:22 info  sage answered  sage=nassim_taleb latencyMs=812` and a line feed. The time is UTC.
 */
function readableLine(line: string): string {
  const { time, level, pid: _, msg, ...facts } = lineSchema.parse(JSON.parse(line));
  const sentence = quoted(msg).replace(/^"|"$/g, '');
  const shown = Object.entries(facts).map(([name, value]) => `${name}=${quoted(shortened(value))}`);
  return `${[time.slice(11, 19), level.padEnd(5), sentence, '', ...shown].join(' ').trimEnd()}\n`;
}

/** Values nested more deeply are left out; longer lists and texts are cut. */
const mostLevels = 8;
const mostItems = 200;
const mostChars = 10_000;

/** Names of fields that always hold secrets. Counts such as `inputTokens` don't match. */
const secretName =
  /(?:api[-_]?key|authorization|token|secret|password|passphrase|cookie|credentials?|^headers)$/i;

/** Fields logged of an error besides its name, message, stack and causes; none of them holds text. */
const errorFields: ReadonlySet<string> = new Set([
  ...['code', 'status', 'statusCode', 'errno', 'syscall', 'address', 'port', 'hostname', 'path'],
  ...['errcode', 'failure', 'model', 'reason', 'retryAfterMs', 'isGlobal', 'neededScope'],
]);
/** A number, a word, a file or model name, or an address; never part of a conversation. */
const plainField = z.union([z.number(), z.boolean(), z.string().regex(/^[\w.:/@+-]{1,200}$/)]);
/** One line of a stack. The lines above the first frame repeat the message. */
const frame = /^ {4}at .{1,500}:\d+:\d+\)?$/;

const textSchema = z.string().min(1);

/**
 * Turns facts into plain data without secrets, and errors into data without conversation: library errors
 * carry whole requests and replies, and some quote them in their message.
 *
 * @param secrets - Replaced wherever they occur.
 */
function loggedFacts(secrets: readonly string[]) {
  const text = (original: string): string => {
    const safe = redact(original, secrets, mostChars);
    const more = original.length - mostChars;
    return more > 0 ? `${safe}… (${more} characters more)` : safe;
  };

  const record = (value: object, above: readonly object[]): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(value)
        .slice(0, mostItems)
        .map(([name, field]) => [
          text(name),
          secretName.test(name) && field !== undefined ? redacted : plain(field, above),
        ]),
    );

  const plainError = (error: Error, above: readonly object[]): Record<string, unknown> => ({
    type: text(error.name),
    message: text(messageOf(error)),
    stack: text(framesOf(error).join('\n')),
    ...fieldsOf(error),
    ...(error instanceof AggregateError ? { errors: plain(error.errors, above) } : {}),
    ...(error.cause instanceof Error ? { cause: plain(error.cause, above) } : {}),
  });

  const fieldsOf = (error: Error): Record<string, unknown> => {
    const fields = Object.entries(error).filter(
      ([name, value]) => errorFields.has(name) && plainField.safeParse(value).success,
    );
    return Object.fromEntries(fields.map(([name, value]) => [name, plain(value, [])]));
  };

  const plain = (value: unknown, above: readonly object[]): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'bigint' || typeof value === 'symbol') return text(String(value));
    if (typeof value === 'function') return '(function)';
    if (typeof value !== 'object' || value === null) return value;
    if (above.includes(value)) return '(circular)';
    if (above.length >= mostLevels) return '(deeper)';
    const path = [...above, value];
    if (value instanceof Error) return plainError(value, path);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (value instanceof URL) return text(value.href);
    if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
    if (value instanceof Map) return record(Object.fromEntries(value), path);
    if (Array.isArray(value) || value instanceof Set) {
      return [...value].slice(0, mostItems).map((item) => plain(item, path));
    }
    return record(value, path);
  };

  return {
    text,
    /** A copy that can be written as JSON; circular references are cut. */
    facts: (facts: Readonly<Record<string, unknown>>) => record(facts, [facts]),
  };
}

/** An error's message, without anything that a person, model or server wrote. */
function messageOf(error: Error): string {
  if (error instanceof SyntaxError) return unparsed(error);
  if (error instanceof z.ZodError) return misfits(error);
  // The server wrote this message, and may repeat the request in it.
  if ('headers' in error) return '(what the server said is not logged)';
  const said = 'said' in error ? textSchema.safeParse(error.said).data : undefined;
  return said === undefined ? error.message : error.message.replaceAll(said, '(not logged)');
}

/** The original message quotes the text that could not be parsed. */
function unparsed({ message }: SyntaxError): string {
  const [position = ''] = / at position \d+/.exec(message) ?? [];
  return `a text could not be parsed${position}`;
}

function misfits({ issues }: z.ZodError): string {
  return issues
    .slice(0, mostItems)
    .map(({ code, path }) => `${code} at ${path.map(String).join('.') || 'the top'}`)
    .join(', ');
}

function framesOf({ stack = '', message }: Error): readonly string[] {
  const start = message === '' ? 0 : stack.indexOf(message) + message.length;
  return stack
    .slice(Math.max(0, start))
    .split('\n')
    .filter((line) => frame.test(line));
}
