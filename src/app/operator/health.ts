/** Health over HTTP: whether the process is alive and ready for questions. Has the server, and the task that queries it. */

import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Log } from '../../domain/log.ts';
import { SetupError } from '../../platforms/chat/pacing/platform-error.ts';
import { hasPlatforms } from '../platforms.ts';
import type { TaskContext } from '../tasks/task.ts';
import type { LogDestination } from './log.ts';

/** Health of one part of the process. */
export interface PartHealth {
  /** e.g. `discord`. */
  readonly name: string;
  /** `false` if only a restart of the process can help. */
  readonly isAlive: boolean;
  /** Whether it works at the moment. */
  readonly isReady: boolean;
  /** For the operator; contains no secret. */
  readonly text: string;
}

/** How long a request may take to arrive, in milliseconds; monitors send a line or two. */
const timeouts = { requestTimeout: 5000, connectionsCheckingInterval: 1000 };
const mostConnections = 100;

/**
 * Serves `/healthz` and `/readyz`: 200 when all parts are alive, or ready; else 503. The body has a line
 * for each part. No request, however malformed, can end the process. Throws {@link SetupError} if it can't
 * listen there.
 *
 * @param options.port - 0 picks a free one.
 * @param options.host - Address to listen on, e.g. `127.0.0.1`, or `0.0.0.0` for all.
 */
export async function startHealthServer(options: {
  readonly port: number;
  readonly host: string;
  readonly check: () => readonly PartHealth[];
  readonly log: Log;
}): Promise<AsyncDisposable & { readonly port: number }> {
  const { port, host, check, log } = options;
  const server = createServer(timeouts, (request, response) => {
    // An unread body would keep the connection open.
    request.resume();
    try {
      const { status, text } = answerTo(request, check);
      const headers = { 'content-type': 'text/plain; charset=utf-8' };
      response.writeHead(status, headers).end(text);
    } catch (error) {
      log.error({ error }, 'the health of the process could not be determined');
      response.destroy();
    }
  });
  server.maxConnections = mostConnections;
  server.listen({ port, host });
  try {
    await once(server, 'listening');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const sentence = `Health can’t be served on ${host}, port ${port} (${reason}). Set another health.port or health.host, or stop the program that uses it.`;
    throw new SetupError(sentence, { cause });
  }
  server.on('error', (error) => log.warn({ error }, 'a health request could not be handled'));
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

function answerTo(
  { method, url = '' }: IncomingMessage,
  check: () => readonly PartHealth[],
): { readonly status: number; readonly text: string } {
  // Compared, never parsed: the request may hold anything.
  const [path] = url.split('?', 1);
  const field = path === '/healthz' ? 'isAlive' : path === '/readyz' ? 'isReady' : undefined;
  if (!field) return { status: 404, text: 'There is /healthz and /readyz.\n' };
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'Only GET and HEAD.\n' };
  const parts = check();
  return {
    status: parts.every((part) => part[field]) ? 200 : 503,
    text: parts
      .map((part) => `${part[field] ? 'ok' : 'not ok'} ${part.name}: ${part.text}\n`)
      .join(''),
  };
}

/** A healthy process answers within milliseconds. */
const answerWithinMs = 10_000;

/** Loopback addresses by the wildcard addresses that include them. */
const loopbackOf: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Prints the reply of `/healthz`, or of another path.
 *
 * @returns 0 when every part is alive, or when there is no bot because the council talks in the terminal;
 *   1 when a part is not alive, nothing answers, or no port is set.
 */
export async function healthTask(
  context: Pick<TaskContext, 'config'> & Record<'output' | 'errors', LogDestination>,
  path = '/healthz',
): Promise<number> {
  const { config, output, errors } = context;
  const { port, host } = config.settings.health;
  if (!hasPlatforms(config)) {
    output.write(
      'Neither a token for Discord or Slack nor web.port is set: there is no bot to ask.\n',
    );
    return 0;
  }
  if (port === undefined) {
    errors.write(`No port is set. Set health.port in ${config.file}.\n`);
    return 1;
  }
  const name = loopbackOf[host] ?? host;
  const address = `http://${name.includes(':') ? `[${name}]` : name}:${port}${path}`;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // An agent of its own: Node's would ask the proxy of the environment for this machine.
  const options = { agent: new Agent(), signal: AbortSignal.timeout(answerWithinMs) };
  get(address, options, resolve).on('error', reject);
  try {
    const response = await promise;
    output.write(await text(response));
    return response.statusCode === 200 ? 0 : 1;
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    errors.write(`Nothing answers at ${address}: ${reason}\n`);
    return 1;
  }
}
