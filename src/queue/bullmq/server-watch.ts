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

/** What may be wrong with a server, for the operator; each is told by the name of the server. */
const troubles = {
  away: {
    is: (name: string) => `no connection to ${name}`,
    begins: (name: string) =>
      `the queue lost the Redis server ${name}; turns wait until it is back`,
    ends: 'is back; turns go on',
  },
  refusing: {
    is: (name: string) => `${name} refuses writes`,
    begins: (name: string) =>
      `the Redis server ${name} refuses writes to the queue; turns wait until it accepts them`,
    ends: 'accepts writes again; turns go on',
  },
  silent: {
    is: (name: string) => `${name} does not answer`,
    begins: (name: string) => `the Redis server ${name} does not answer; turns wait until it does`,
    ends: 'answers again; turns go on',
  },
} as const;

interface Trouble {
  readonly how: keyof typeof troubles;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly reason: string;
}

/**
 * Says once when the server goes away, hangs or refuses writes, and once when it is well again,
 * however many commands fail meanwhile.
 */
export class ServerWatch {
  readonly #name: string;
  readonly #log: Log;
  readonly #commands: LastingTrouble;
  #trouble: Trouble | undefined;

  /** @param name - The server's, without a secret. */
  constructor(name: string, log: Log) {
    this.#name = name;
    this.#log = log;
    this.#commands = new LastingTrouble(log, 'commands of the queue');
  }

  /** For a connection that lives as long as the process. */
  readonly listeners = {
    onTrouble: (error: unknown) => this.#begin('away', error),
    onReady: () => {
      if (this.#trouble?.how === 'away') this.#end(this.#trouble);
    },
  } as const;

  /** Takes what a command failed with; @returns whether it is told already. */
  heard(error: unknown): boolean {
    // The connection to a cluster holds for as long as any of its nodes is there.
    if (isOutOfReach(error)) this.#begin('away', error);
    if (isConnectionTrouble(error) || isRefusedLogin(error)) return true;
    if (error instanceof SilentServerError) this.#begin('silent', error);
    else if (isRefusalOfChanges(error)) this.#begin('refusing', error);
    else return false;
    return true;
  }

  /** Tries until the signal is aborted whether the server takes changes: an idle process knows of it too. */
  async heartbeat(commands: Commands, signal: AbortSignal): Promise<void> {
    const trouble = new LastingTrouble(this.#log, 'changes of the queue');
    let isWell = true;
    const beat = async () => {
      isWell = false;
      await commands.once((client) => client.set(heartbeatKey, '1', 'PX', keptMs));
      isWell = true;
      this.#commands.worked();
      if (this.#trouble) this.#end(this.#trouble);
      return true;
    };
    await trouble.repeat(() => (isWell ? everyMs : soonerMs), beat, signal);
  }

  /** Takes what BullMQ could not do. */
  readonly onError = (error: unknown): void => {
    // A run whose lock is lost is aborted, and told of then.
    if (isOfLostLock(error) || this.heard(error)) return;
    this.#commands.failed(error);
  };

  health(): { readonly isReady: boolean; readonly text: string } {
    if (!this.#trouble) return { isReady: true, text: `connected to ${this.#name}` };
    const { how, since, reason } = this.#trouble;
    const seconds = Math.round((Date.now() - since) / 1000);
    const text = `${troubles[how].is(this.#name)} for ${seconds} s (${reason}); turns wait`;
    return { isReady: false, text };
  }

  #begin(how: Trouble['how'], error: unknown): void {
    const known = this.#trouble;
    // What else is wrong with it is seen when it is back.
    if (known?.how === 'away' && how !== 'away') return;
    const reason = error instanceof Error ? error.message : String(error);
    const isKnown = known?.how === how;
    // The latest reason tells most: a server that is back may want another password.
    this.#trouble = { how, reason, since: isKnown ? known.since : Date.now() };
    if (!isKnown) this.#log.error({ error }, troubles[how].begins(this.#name));
  }

  #end({ how, since }: Trouble): void {
    this.#trouble = undefined;
    const lastedMs = Date.now() - since;
    this.#log.info({ lastedMs }, `the Redis server ${this.#name} ${troubles[how].ends}`);
  }
}
