import { type Logger, LogLevel } from '@slack/bolt';
import type { Log } from '../../../domain/log.ts';

/**
 * Bolt's log as lines of ours. What it says below a warning is left out: its debug lines hold whole
 * requests, its others tell every address that a passer-by tried.
 */
export function boltLog(log: Log): Logger {
  const said = (words: readonly unknown[]) => ({
    error: words.find((word) => word instanceof Error),
    said: words.filter((word) => typeof word === 'string').join(' '),
  });
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: (...words: unknown[]) => log.warn(said(words), 'Bolt warns'),
    error: (...words: unknown[]) => log.error(said(words), 'Bolt reports an error'),
    setLevel: () => undefined,
    getLevel: () => LogLevel.WARN,
    setName: () => undefined,
  };
}
