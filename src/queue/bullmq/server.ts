/** The server that the queue is on at the moment, and the connections to it. */

import { createClient, ErrorReply } from '@redis/client';
import {
  clusterAddress,
  isClusterAddress,
  isSentinelAddress,
  sentinelAddress,
  shownAddress,
} from '../../store/redis/address.ts';
import { encryptedSocket, encryptionTrouble } from '../../store/redis/encryption.ts';
import { encryptionRefusal } from '../../store/redis/errors.ts';
import { unlessMisspoken } from '../../store/redis/speech.ts';
import { backOff, within } from '../../waiting.ts';
import { type Node, primaryFinder, slotOwnerFinder } from './find-server.ts';
import { isWrongServer, SilentServerError } from './refusals.ts';
import { ServerProxy } from './server-proxy.ts';
import { usualCommandTimeoutMs } from './settings.ts';

/** Told how a connection fares. */
interface ConnectionListeners {
  /** It broke, or can't be made again, and why. */
  readonly onTrouble?: (error: unknown) => void;
  readonly onReady?: () => void;
}

export type Client = ReturnType<typeof clientFor>;

/** A connection that can be made anew. */
interface Breakable {
  readonly isReady: boolean;
  /** Connected, or about to be. */
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
}

type ClientOptions = Parameters<typeof createClient>[0] & object;

/** How a server that was found is spoken to. */
interface Found {
  readonly isEncrypted: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly database?: number;
}

const pauses = backOff(50, 1000);
/** A server that goes on refusing is left no more often, in milliseconds. */
const leaveEveryMs = 1000;

export class QueueServer {
  /** How long a command that no worker waits for may take, in milliseconds. */
  readonly commandTimeoutMs: number;
  readonly #url: string;
  readonly #way: ClientOptions;
  readonly #proxy: ServerProxy | undefined;
  /** With those that BullMQ makes of them. */
  readonly #clients: Breakable[] = [];
  #leftAt = Number.NEGATIVE_INFINITY;

  private constructor(
    url: string,
    commandTimeoutMs: number,
    way: ClientOptions,
    proxy?: ServerProxy,
  ) {
    this.commandTimeoutMs = commandTimeoutMs;
    this.#url = url;
    this.#way = way;
    this.#proxy = proxy;
  }

  /** @param url - `redis://…`, `rediss://…`, or that of sentinels or of a cluster. */
  static async open(
    url: string,
    commandTimeoutMs: number = usualCommandTimeoutMs,
  ): Promise<QueueServer> {
    if (isSentinelAddress(url)) {
      const address = sentinelAddress(url);
      return QueueServer.#through(url, commandTimeoutMs, primaryFinder(address), address);
    }
    if (isClusterAddress(url)) {
      const address = clusterAddress(url);
      // All keys are in one slot: to the queue, the cluster is the one node that has it.
      return QueueServer.#through(url, commandTimeoutMs, slotOwnerFinder(address), address);
    }
    return new QueueServer(url, commandTimeoutMs, { url, socket: encryptedSocket(url) });
  }

  static async #through(
    url: string,
    commandTimeoutMs: number,
    find: () => Promise<Node>,
    { isEncrypted, username, password, database = 0 }: Found,
  ): Promise<QueueServer> {
    const proxy = await ServerProxy.open({ find, isEncrypted });
    const way = {
      socket: { host: '127.0.0.1', port: proxy.port },
      database,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
    };
    return new QueueServer(url, commandTimeoutMs, way, proxy);
  }

  /**
   * Connects. A connection that breaks is made again, for as long as it takes.
   *
   * @param waits - Commands wait for ever for a server that is away, as BullMQ's workers need it;
   *   without it those fail that find no connection for {@link commandTimeoutMs}.
   * @throws What the server said that refused it, in words what is wrong with the encryption, or,
   *   after {@link commandTimeoutMs}, why it was not reached.
   */
  async connect(waits: boolean, { onTrouble, onReady }: ConnectionListeners = {}): Promise<Client> {
    const { commandTimeoutMs } = this;
    const openedAt = performance.now();
    let wasReady = false;
    const reasonOf = (error: unknown) => this.#proxy?.trouble ?? error;
    const client = clientFor(this.#way, waits ? 0 : commandTimeoutMs, (retries, error) => {
      const hasTime = performance.now() - openedAt < commandTimeoutMs;
      const reason = reasonOf(error);
      const isLasting = reason instanceof ErrorReply || encryptionTrouble(reason) !== undefined;
      if (!wasReady && (isLasting || !hasTime)) return false;
      return pauses(retries + 1);
    });
    // Without a listener, the first trouble would end the process.
    client.on('error', (error: unknown) => {
      if (wasReady) onTrouble?.(reasonOf(error));
    });
    client.on('ready', () => {
      wasReady = true;
      onReady?.();
    });
    const connecting = client.connect().catch((error: unknown) => {
      const reason = reasonOf(error);
      throw encryptionRefusal(shownAddress(this.#url), reason) ?? reason;
    });
    // Of one that takes the connection and says nothing: the client would wait for ever.
    const late = () => new SilentServerError(commandTimeoutMs);
    try {
      await within(unlessMisspoken(this.#url, connecting), { ms: commandTimeoutMs, late });
    } catch (error) {
      if (client.isOpen) client.destroy();
      throw error;
    }
    this.#track(client);
    return client;
  }

  /**
   * Takes what a command failed with: a server that is the wrong one by now is left, and all
   * connections are made again, to the one that has the address.
   */
  heard(error: unknown): void {
    if (!isWrongServer(error) || performance.now() - this.#leftAt < leaveEveryMs) return;
    this.#leftAt = performance.now();
    for (const client of this.#clients) {
      if (!client.isReady) continue;
      client.destroy();
      // What goes wrong is told to its listeners.
      client.connect().catch(() => undefined);
    }
  }

  /** With all connections to it, also those that are still being made: they would keep the process. */
  async close(): Promise<void> {
    for (const client of this.#clients) if (client.isOpen) client.destroy();
    await this.#proxy?.close();
  }

  #track(client: Client): void {
    this.#clients.push(client);
    const duplicate = client.duplicate.bind(client);
    Object.assign(client, {
      duplicate: (...given: Parameters<typeof duplicate>) => {
        const twin = duplicate(...given);
        this.#clients.push(twin);
        return twin;
      },
    });
  }
}

function clientFor(
  way: ClientOptions,
  timeout: number,
  pause: (retries: number, error: Error) => number | false,
) {
  const { socket, ...rest } = way;
  return createClient({
    ...rest,
    name: 'council-queue',
    RESP: 2,
    maintNotifications: 'disabled',
    // Left out, it would be the library's own.
    commandOptions: { timeout },
    socket: { ...socket, reconnectStrategy: pause },
  });
}
