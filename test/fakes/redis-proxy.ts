/** A TCP proxy between a client and a Redis server: one that loses answers, or one that is encrypted. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer, type SecureContext } from 'node:tls';
import type { Certificate } from './certificates.ts';

/** An open proxy. */
export interface RedisProxy {
  /** Where a client connects, e.g. `127.0.0.1:4711`. */
  readonly address: string;
  /** Cuts the connection when the server's next answer comes, which the client then never sees. */
  loseNextAnswer(): void;
  /** Leads new connections to another server, as a name does after a failover; those there are stay. */
  leadTo(port: number): void;
  /** From now on, nothing comes back on the connections that are there, as from a host that is gone. New ones work. */
  fallSilent(): void;
  /** Sends on the connections that are there what no TLS is, and resets each once its client has complained. */
  spoil(): void;
  /** Resets the connections that are there, except the oldest. */
  resetYounger(): void;
  close(): Promise<void>;
}

/**
 * @param port - Of the server on loopback that the proxy leads to.
 * @param certificates - With them it is encrypted: by the name that a client asks for; the first to
 *   anyone who asks for none.
 */
export async function openRedisProxy(
  port: number,
  certificates: Readonly<Record<string, Certificate>> = {},
): Promise<RedisProxy> {
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let losesNext = false;
  let target = port;

  function choose(name: string, give: (error: null, context?: SecureContext) => void): void {
    const chosen = certificates[name];
    give(null, chosen && createSecureContext(read(chosen)));
  }

  function join(client: Socket): void {
    const server = connect(target, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      // Either end goes with the other; that it broke is the purpose.
      socket.on('error', () => socket.destroy());
    }
    clients.add(client);
    client.on('close', () => {
      clients.delete(client);
      server.destroy();
    });
    server.on('close', () => client.destroy());
    client.on('data', (chunk) => server.write(chunk));
    server.on('data', (chunk) => {
      if (silent.has(client)) return;
      if (losesNext) client.destroy();
      else client.write(chunk);
      losesNext = false;
    });
  }

  const [first] = Object.values(certificates);
  const listening: Server = first
    ? createTlsServer({ ...read(first), SNICallback: choose }, join)
    : createServer(join);
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  return {
    address: `127.0.0.1:${address.port}`,
    loseNextAnswer: () => {
      losesNext = true;
    },
    leadTo: (other) => {
      target = other;
    },
    fallSilent: () => {
      for (const socket of sockets) silent.add(socket);
    },
    spoil: () => {
      for (const client of clients) {
        client.once('data', () => client.resetAndDestroy());
        client.write('spoilt');
      }
    },
    resetYounger: () => {
      for (const client of [...clients].slice(1)) client.resetAndDestroy();
    },
    close: async () => {
      const closed = once(listening, 'close');
      listening.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function read({ certificateFile, keyFile }: Certificate) {
  return { cert: readFileSync(certificateFile), key: readFileSync(keyFile) };
}
