/** The log: one line per event, its facts first, then a sentence. No secret gets through, and nothing that was said. */

import { pino } from 'pino';
import type { Log, LogFacts } from '../../domain/log.ts';
import { loggedFacts } from './logged-facts.ts';
import { readableLine } from './readable-line.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Takes one whole line at a time, line feed included, e.g. `process.stderr`. */
export interface LogDestination {
  write(line: string): unknown;
}

export interface LogOptions {
  /** The lowest level that is written. */
  readonly level: LogLevel;
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
    const write = (level: Exclude<LogLevel, 'silent'>) => (facts: LogFacts, sentence: string) => {
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
