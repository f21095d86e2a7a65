/** A line between a client and a Redis server: one that loses answers, or one that is encrypted. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/** What the encrypted line shows of itself; made for 127.0.0.1 and for these tests alone. */
export const lineCertificate = readFileSync(
  new URL('../fixtures/tls/loopback.pem', import.meta.url),
  'utf8',
);
const lineKey = readFileSync(new URL('../fixtures/tls/loopback-key.pem', import.meta.url), 'utf8');

/** A line that is open. */
export interface RedisLine {
  /** Where a client connects, e.g. `127.0.0.1:4711`. */
  readonly address: string;
  /** Cuts the connection when the server's next answer comes, which the client then never sees. */
  loseNextAnswer(): void;
  /** Leads new connections to another server, as a name does after a failover; those there are stay. */
  leadTo(port: number): void;
  close(): Promise<void>;
}

/** @param port - Of the server on loopback that the line leads to. */
export async function openRedisLine(
  port: number,
  { encrypted = false }: { readonly encrypted?: boolean } = {},
): Promise<RedisLine> {
  const sockets = new Set<Socket>();
  let losesNext = false;
  let target = port;

  function join(client: Socket): void {
    const server = connect(target, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      // Either end goes with the other; that it broke is the purpose.
      socket.on('error', () => socket.destroy());
    }
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    client.on('data', (chunk) => server.write(chunk));
    server.on('data', (chunk) => {
      if (losesNext) client.destroy();
      else client.write(chunk);
      losesNext = false;
    });
  }

  const listening: Server = encrypted
    ? createTlsServer({ key: lineKey, cert: lineCertificate }, join)
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
    close: async () => {
      const closed = once(listening, 'close');
      listening.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
