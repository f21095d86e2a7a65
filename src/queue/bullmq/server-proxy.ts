/**
 * A way to a server that may be another one later. The client library connects to one address for
 * ever; this is an address on loopback from which each connection is led on to the server
 * that is the right one when it is made.
 */

import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { connect as connectEncrypted } from 'node:tls';
import { ConnectionTimeoutError } from '@redis/client';
import { nameToShow } from '../../store/redis/encryption.ts';
import { linkSignals, repeat } from '../../waiting.ts';
import type { Node } from './find-server.ts';

interface ServerProxyOptions {
  /** Finds the server; throws when it is unknown. */
  readonly find: () => Promise<Node>;
  /** From here to the server. */
  readonly isEncrypted: boolean;
}

/** How often it is looked whether the server is another one, in milliseconds: one that hangs breaks no connection. */
const lookEveryMs = 1000;
const connectTimeoutMs = 5000;

export class ServerProxy {
  readonly #options: ServerProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Where each connection leads. */
  readonly #led = new Map<Socket, Node>();
  readonly #closing = new AbortController();
  #trouble: unknown;

  private constructor(options: ServerProxyOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    server.on('connection', (inner) => void this.#lead(inner));
    void repeat(
      () => lookEveryMs,
      () => this.#look(),
      this.#closing.signal,
    );
  }

  static async open(options: ServerProxyOptions): Promise<ServerProxy> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ServerProxy(options, server);
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  /** Why the last connection could not be led to a server; `undefined` when it could. */
  get trouble(): unknown {
    return this.#trouble;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Who came in sees that the way is broken by being closed, and comes again. */
  async #lead(inner: Socket): Promise<void> {
    this.#keep(inner);
    try {
      const node = await this.#options.find();
      const outer = await this.#dial(node);
      this.#trouble = undefined;
      this.#led.set(inner, node);
      // A client's certificate that is missing is told when the way is open already.
      outer.once('error', (error) => {
        this.#trouble = error;
      });
      await Promise.allSettled([pipeline(inner, outer), pipeline(outer, inner)]);
      outer.destroy();
    } catch (error) {
      this.#trouble = error;
    } finally {
      this.#led.delete(inner);
      inner.destroy();
    }
  }

  async #dial({ host, port }: Node): Promise<Socket> {
    const { isEncrypted } = this.#options;
    const to = { host, port, noDelay: true, keepAlive: true };
    const outer = isEncrypted ? connectEncrypted({ ...to, ...nameToShow(host) }) : connect(to);
    this.#keep(outer);
    using ended = linkSignals(this.#closing.signal, AbortSignal.timeout(connectTimeoutMs));
    const { signal } = ended;
    try {
      await once(outer, isEncrypted ? 'secureConnect' : 'connect', { signal });
      return outer;
    } catch (error) {
      outer.destroy();
      throw signal.aborted ? new ConnectionTimeoutError() : error;
    }
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Its other end hears of it by being closed.
    socket.on('error', () => undefined);
  }

  /** Breaks what leads to another server than the right one. */
  async #look(): Promise<void> {
    if (this.#led.size === 0) return;
    // While it is unknown, what is connected may stay so.
    const right = await this.#options.find().catch(() => undefined);
    if (!right) return;
    for (const [inner, { host, port }] of this.#led) {
      if (host !== right.host || port !== right.port) inner.destroy();
    }
  }
}
