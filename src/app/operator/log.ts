/** The log: one line per event, its facts first, then a sentence. No secret gets through, and nothing that was said. */

import { pino } from 'pino';
import { z } from 'zod';
import type { Log, LogFacts } from '../../domain/log.ts';
import type { Config } from '../../settings/load.ts';
import { loggedFacts } from './logged-facts.ts';

/** Takes one whole line at a time, line feed included, e.g. `process.stderr`. */
export interface LogDestination {
  write(line: string): unknown;
}

export interface LogOptions {
  /** The lowest level that is written. */
  readonly level: Config['settings']['log']['level'];
  readonly destination: LogDestination;
  /** Lines for people instead of JSON. */
  readonly pretty?: boolean;
  /** Keys, tokens and passwords that must not be written, wherever they turn up. Empty ones are passed over. */
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

const lineSchema = z.looseObject({
  time: z.string(),
  level: z.string(),
  pid: z.number(),
  msg: z.string().default(''),
});

const errorSchema = z.object({ type: z.string(), message: z.string(), stack: z.string() });

/** Errors that JavaScript itself throws are probably bugs: a developer needs all of them. */
const faults: ReadonlySet<string> = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'AggregateError',
]);

/** Only the message of an error that was written for people. */
function shortened(value: unknown): unknown {
  const error = errorSchema.safeParse(value).data;
  return error && !faults.has(error.type) ? error.message : value;
}

/** Without characters that control a terminal; JSON has escaped the rest. */
function quoted(value: unknown): string {
  const json = JSON.stringify(value) ?? '';
  const isPlainWord = typeof value === 'string' && /^[\w.:/@-]+$/.test(value);
  return isPlainWord ? value : json.replace(/[\u007f-\u009f]/g, '');
}

/**
 * Makes a line of the log readable for people.
 *
 * @param line - One JSON object as the log writes it.
 * @returns E.g. `14:03:22 info  sage answered  sage=nassim_taleb latencyMs=812` and a line feed. The time is UTC.
 */
function readableLine(line: string): string {
  const { time, level, pid: _, msg, ...facts } = lineSchema.parse(JSON.parse(line));
  const sentence = quoted(msg).replace(/^"|"$/g, '');
  const told = Object.entries(facts).map(([name, value]) => `${name}=${quoted(shortened(value))}`);
  return `${[time.slice(11, 19), level.padEnd(5), sentence, '', ...told].join(' ').trimEnd()}\n`;
}
