/** A web server on loopback that does as a test says. */

import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';

export interface Loopback {
  /** e.g. `http://127.0.0.1:49152`. */
  readonly origin: string;
  readonly port: number;
  /** What was asked of it, oldest first. */
  readonly asked: readonly Pick<IncomingMessage, 'url' | 'headers'>[];
}

/** Ends with the test. */
export async function serve(answer: RequestListener): Promise<Loopback> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await listening;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens on no port.');
  const { port } = address;
  return { asked, port, origin: `http://127.0.0.1:${port}` };
}
