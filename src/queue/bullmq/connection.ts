/** Connections to the server, and scripts over them. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createClient, ErrorReply } from 'redis';
import { commandTimeoutMs } from './settings.ts';

/** Where the server is. */
export interface ServerOptions {
  /** `redis://user:password@host:6379/0`; `rediss://…` for TLS. */
  readonly url: string;
  /** Told whenever the connection breaks, with why, and when it is back. */
  readonly onTrouble?: (error: unknown) => void;
  readonly onReady?: () => void;
}

export type Client = ReturnType<typeof clientFor>;

const longestPauseMs = 1000;
const retryPauseMs = 50;

/**
 * Connects. A connection that breaks is made again, for as long as it takes.
 *
 * @param waits - Commands wait for ever for a server that is away, as BullMQ's workers need it;
 *   without it they fail after {@link commandTimeoutMs}.
 * @throws What the server, or the way to it, said at the first try.
 */
export async function connect(server: ServerOptions, waits: boolean): Promise<Client> {
  const client = clientFor(server, waits);
  await client.connect();
  return client;
}

function clientFor({ url, onTrouble, onReady }: ServerOptions, waits: boolean) {
  let wasReady = false;
  const client = createClient({
    url,
    name: 'council-queue',
    RESP: 2,
    maintNotifications: 'disabled',
    ...(waits ? {} : { commandOptions: { timeout: commandTimeoutMs } }),
    socket: {
      reconnectStrategy: (retries, cause) =>
        wasReady ? Math.min(longestPauseMs, retryPauseMs * 2 ** Math.min(retries, 10)) : cause,
    },
  });
  // Without a listener, the first trouble would end the process.
  client.on('error', (error: unknown) => onTrouble?.(error));
  client.on('ready', () => {
    wasReady = true;
    onReady?.();
  });
  return client;
}

/** What the server runs as one step. */
export interface Script {
  readonly source: string;
  readonly sha1: string;
}

/** @param names - Files of the folder `scripts` whose texts are put together, in this order. */
export function loadScript(...names: readonly string[]): Script {
  const read = (name: string) =>
    readFileSync(new URL(`scripts/${name}.lua`, import.meta.url), 'utf8');
  const source = names.map(read).join('\n');
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}

/** Runs a script; one that the server has forgotten is sent anew. */
export async function runScript(
  client: Client,
  { source, sha1 }: Script,
  keys: readonly string[],
  values: readonly string[],
): Promise<unknown> {
  const given = { keys: [...keys], arguments: [...values] };
  try {
    return await client.evalSha(sha1, given);
  } catch (error) {
    if (!(error instanceof ErrorReply) || !error.message.startsWith('NOSCRIPT')) throw error;
    return client.eval(source, given);
  }
}
