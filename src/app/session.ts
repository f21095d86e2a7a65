/** What every task starts from: configuration, log, the streams of the process, and the person at the terminal. */

import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import type { Person } from '../../commands/command.ts';
import { readQuestions, recentScope } from '../bot/places/turns-of-place.ts';
import type { Log } from '../domain/log.ts';
import { terminalPlace } from '../platforms/terminal/terminal.ts';
import type { Config, ConfigPlaces } from '../settings/load.ts';
import { secretsOf } from '../store/redis/address.ts';
import type { Store } from '../store/store.ts';
import { createLog } from './operator/log.ts';

/** The conversation in the terminal when none is named. */
export const mainThread = 'main';

/** The process, as the tasks see it. */
export interface Surroundings {
  readonly config: Config;
  /** Where it was read. */
  readonly places: ConfigPlaces;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly errors: NodeJS.WriteStream;
  /** Output gets colours. */
  readonly colour: boolean;
  /** Width of what goes through a pipe to a person at a terminal; absent: it goes elsewhere. */
  readonly columns: number | undefined;
  /** Aborted when the process is asked to end; a second request ends it at once. */
  readonly ending: AbortSignal;
  /**
   * Calls back on Ctrl-C (`SIGINT`) and when the process is asked to end. A task that calls this ends in
   * order; any other ends at once.
   */
  onInterrupt(react: (signal: NodeJS.Signals) => void): void;
  /** Says why, and ends the process at once with exit code 1, whatever is still under way. */
  giveUp(sentence: string): void;
  /** Name of the person at the terminal. */
  readonly userName: string;
  /** File that keeps what was typed. */
  readonly historyPath: string;
}

/** Where files that commands give are saved. */
export const savedFolder = resolve('saved');

/** Id of the person at the terminal. */
export const localPerson = 'local';

/** The person at the terminal, who may do everything there. */
export function personAt({ userName }: Surroundings): Person {
  return { id: localPerson, name: userName, isManager: true, isServerManager: true };
}

/**
 * @param isQuiet - A person is looking at the terminal: only what they must know is logged, and readably.
 */
export function openLog(
  { config, errors }: Pick<Surroundings, 'config'> & { readonly errors: Writable },
  isQuiet: boolean,
): Log {
  const { level } = config.settings.log;
  return createLog({
    level: isQuiet && level === 'info' ? 'error' : level,
    destination: errors,
    pretty: isQuiet,
    secrets: config.secrets.names.flatMap((name) => secretPart(name, config.secrets.get(name))),
  });
}

/** Where the store is may be told, the password in it may not. */
function secretPart(name: string, value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  if (name !== 'REDIS_URL' && name !== 'UPSTASH_REDIS_REST_URL') return [value];
  return secretsOf(value);
}

/** @param name - Of a conversation in the terminal, or a whole `platform:workspace:channel:thread`. */
export function threadNamed(name: string): string {
  return name.includes(':') ? name : terminalPlace(name).threadId;
}

/**
 * The thread of the last question in the terminal; a pipe's or a single question's has no name. The main
 * conversation when nothing was asked. Throws what the store throws.
 */
export async function lastThread({ settings, turns }: Pick<Store, 'settings' | 'turns'>) {
  const main = terminalPlace(mainThread);
  const [kept = {}] = await settings.read([recentScope(main, localPerson)]);
  const [last] = await readQuestions(kept, turns);
  return last?.threadId ?? main.threadId;
}
