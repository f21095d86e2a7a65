import type { Log } from '../../domain/log.ts';
import { LastingTrouble } from '../trouble-log.ts';
import type { Commands } from './commands.ts';
import {
  isConnectionTrouble,
  isOfLostLock,
  isOutOfReach,
  isRefusalOfChanges,
  isRefusedLogin,
  SilentServerError,
} from './refusals.ts';
import { heartbeatKey } from './settings.ts';

/**
 * How often it is tried, in milliseconds. More often would cost where commands are paid for; what fails
 * in between is heard of by its sender.
 */
const everyMs = 5000;
/** While something is wrong. */
const soonerMs = 1000;
const keptMs = 60_000;

/** Since when (ms since 1970) something has been wrong, and what. */
interface Trouble {
  readonly since: number;
  readonly reason: string;
}

/** What a server is heard of whose connection holds. */
const unwellness = {
  refusing: {
    is: 'takes no changes',
    begins: 'takes no changes of the queue; turns wait until it does',
    ends: 'takes changes again; turns go on',
  },
  silent: {
    is: 'does not answer',
    begins: 'does not answer; turns wait until it does',
    ends: 'answers again; turns go on',
  },
} as const;

/**
 * Says once when the server goes away, hangs or takes no changes, and once when it is well again,
 * however many commands fail meanwhile.
 */
export class ServerWatch {
  readonly #name: string;
  readonly #log: Log;
  readonly #commands: LastingTrouble;
  #away: Trouble | undefined;
  #unwell: (Trouble & { readonly how: keyof typeof unwellness }) | undefined;

  /** @param name - The server's, without a secret. */
  constructor(name: string, log: Log) {
    this.#name = name;
    this.#log = log;
    this.#commands = new LastingTrouble(log, 'commands of the queue');
  }

  /** For a connection that lives as long as the process. */
  readonly listeners = {
    onTrouble: (error: unknown) => {
      const known = this.#away;
      // The latest reason tells most: a server that is back may want another password.
      this.#away = { ...troubleOf(error), ...(known && { since: known.since }) };
      // Whether it hangs is seen when it is back.
      if (this.#unwell?.how === 'silent') this.#unwell = undefined;
      if (known) return;
      const sentence = `the queue lost the Redis server ${this.#name}; turns wait until it is back`;
      this.#log.error({ error }, sentence);
    },
    onReady: () => {
      if (!this.#away) return;
      const awayMs = Date.now() - this.#away.since;
      this.#away = undefined;
      this.#log.info({ awayMs }, `the Redis server ${this.#name} is back; turns go on`);
    },
  } as const;

  /** Takes what a command failed with; @returns whether it is told already. */
  heard(error: unknown): boolean {
    // The connection to a cluster holds for as long as any of its nodes is there.
    if (isOutOfReach(error)) this.listeners.onTrouble(error);
    if (isConnectionTrouble(error) || isRefusedLogin(error)) return true;
    if (error instanceof SilentServerError) {
      if (!this.#away) this.#begin('silent', error);
      return true;
    }
    if (!isRefusalOfChanges(error)) return false;
    this.#begin('refusing', error);
    return true;
  }

  /** The server has taken a change. */
  #changed(): void {
    this.#commands.worked();
    this.listeners.onReady();
    if (!this.#unwell) return;
    const { how, since } = this.#unwell;
    this.#unwell = undefined;
    const unwellMs = Date.now() - since;
    this.#log.info({ unwellMs }, `the Redis server ${this.#name} ${unwellness[how].ends}`);
  }

  /** Tries until the signal is aborted whether the server takes changes: an idle process knows of it too. */
  async beat(commands: Commands, signal: AbortSignal): Promise<void> {
    const trouble = new LastingTrouble(this.#log, 'changes of the queue');
    let isWell = true;
    const beat = async () => {
      isWell = false;
      await commands.once((client) => client.set(heartbeatKey, '1', 'PX', keptMs));
      isWell = true;
      this.#changed();
      return true;
    };
    await trouble.repeat(() => (isWell ? everyMs : soonerMs), beat, signal);
  }

  #begin(how: keyof typeof unwellness, error: unknown): void {
    if (this.#unwell?.how === how) return;
    this.#unwell = { ...troubleOf(error), how };
    this.#log.error({ error }, `the Redis server ${this.#name} ${unwellness[how].begins}`);
  }

  /** Takes what BullMQ could not do. */
  readonly onError = (error: unknown): void => {
    // A run whose lock is lost is aborted, and told of then.
    if (isOfLostLock(error) || this.heard(error)) return;
    this.#commands.failed(error);
  };

  health(): { readonly isReady: boolean; readonly text: string } {
    const trouble = this.#away ?? this.#unwell;
    if (!trouble) return { isReady: true, text: `connected to ${this.#name}` };
    const how = this.#away ? undefined : this.#unwell?.how;
    const what = how ? `${this.#name} ${unwellness[how].is}` : `no connection to ${this.#name}`;
    const seconds = Math.round((Date.now() - trouble.since) / 1000);
    return { isReady: false, text: `${what} for ${seconds} s (${trouble.reason}); turns wait` };
  }
}

function troubleOf(error: unknown): Trouble {
  return { since: Date.now(), reason: error instanceof Error ? error.message : String(error) };
}
