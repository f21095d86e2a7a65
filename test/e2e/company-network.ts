/** A company's network: hosts with certificates of its own authority, which are reached by one proxy alone. */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTls } from 'node:tls';
import { onTestFinished } from 'vitest';
import { makeAuthority } from '../fakes/certificates.ts';

export interface CompanyNetwork {
  /** e.g. `http://127.0.0.1:49152`. */
  readonly proxy: string;
  /** Of the authority, in PEM. */
  readonly authorityFile: string;
  /** What the proxy was asked to connect to, e.g. `discord.test:443`, in order and each once. */
  readonly asked: ReadonlySet<string>;
  /** What the proxy answers instead of connecting, by host. */
  readonly refusals: Map<string, number>;
}

/** @param servers - The ports of servers on this machine, by the names that the proxy knows. It ends with the test. */
export async function companyNetwork(
  servers: Readonly<Record<string, number>>,
): Promise<CompanyNetwork> {
  const authority = makeAuthority();
  onTestFinished(() => authority.remove());
  const ports = new Map<string, number>();
  for (const [host, port] of Object.entries(servers)) {
    const { certificateFile, keyFile } = authority.issue(host);
    const files = { cert: readFileSync(certificateFile), key: readFileSync(keyFile) };
    ports.set(host, await portOf(createTls(files, (socket) => join(socket, port))));
  }
  const asked = new Set<string>();
  const refusals = new Map<string, number>();
  const proxy = createServer().on('connect', ({ url = '' }, client) => {
    asked.add(url);
    const [host = ''] = url.split(':');
    const port = ports.get(host);
    const refusal = refusals.get(host) ?? (port === undefined ? 403 : undefined);
    if (refusal !== undefined || port === undefined) {
      client.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    join(client, port);
  });
  const address = `http://127.0.0.1:${await portOf(proxy)}`;
  return { proxy: address, authorityFile: authority.file, asked, refusals };
}

/** Passes everything on, both ways. */
function join(client: Duplex, port: number): void {
  const server = connect(port, '127.0.0.1');
  server.on('error', () => client.destroy()).on('close', () => client.destroy());
  client.on('error', () => server.destroy()).on('close', () => server.destroy());
  client.pipe(server).pipe(client);
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens on no port.');
  return address.port;
}
