/** Tells whoever watches the process over HTTP whether it lives and whether it can be asked. */

import { once } from 'node:events';
import { createServer } from 'node:http';

/** How one part of the process is. */
export interface PartHealth {
  /** e.g. `discord`. */
  readonly name: string;
  /** Restarting the process would not help. */
  readonly isAlive: boolean;
  /** It does its work at the moment. */
  readonly isReady: boolean;
  /** For the operator; holds no secret. */
  readonly text: string;
}

export interface HealthServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Serves `/healthz` and `/readyz`: 200 when all parts are alive, or ready; else 503. The body tells
 * each part on a line.
 *
 * @param options.port - 0 takes a free one.
 * @param options.host - Address to listen on; absent: all.
 */
export async function startHealthServer(options: {
  readonly port: number;
  readonly host?: string;
  readonly look: () => readonly PartHealth[];
}): Promise<HealthServer> {
  const { port, host, look } = options;
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const isWell = { '/healthz': isAlive, '/readyz': isReady }[path];
    if (!isWell) {
      response.writeHead(404).end('There is /healthz and /readyz.\n');
      return;
    }
    const parts = look();
    const body = parts.map(
      (part) => `${isWell(part) ? 'ok' : 'not ok'} ${part.name}: ${part.text}\n`,
    );
    response
      .writeHead(parts.every(isWell) ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' })
      .end(body.join(''));
  });
  server.listen({ port, ...(host === undefined ? {} : { host }) });
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function isAlive(part: PartHealth): boolean {
  return part.isAlive;
}

function isReady(part: PartHealth): boolean {
  return part.isReady;
}
