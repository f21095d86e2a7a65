/** A line to whichever of several servers is the primary. */

import { createSentinel } from 'redis';
import { sentinelAddress } from './address.ts';
import { connectTimeoutMs, connectToAny, type Line, type LineOptions } from './line.ts';

/** How often the sentinels are asked, besides what they tell by themselves, in milliseconds. */
const askEveryMs = 5000;
/** How often the library looks for the primary within a call; whoever calls tries on. */
const mostSearches = 1;

/** The servers are asked for with the address's user; the library finds the primary again by itself. */
export function sentinelLine(options: LineOptions): Line {
  const { url, waitMs, pause, onTrouble, onReady } = options;
  const address = sentinelAddress(url);
  const { sentinels, name, database, isEncrypted, username, password } = address;
  const { sentinelUsername, sentinelPassword } = address;
  const socket = {
    connectTimeout: Math.min(connectTimeoutMs, waitMs),
    ...(isEncrypted && { tls: true as const }),
  };
  const common = { RESP: 2, maintNotifications: 'disabled' } as const;
  const client = createSentinel({
    name,
    sentinelRootNodes: sentinels.map(({ host, port }) => ({ host, port })),
    RESP: 2,
    maxCommandRediscovers: mostSearches,
    scanInterval: askEveryMs,
    commandOptions: { timeout: waitMs },
    passthroughClientErrorEvents: true,
    nodeClientOptions: {
      ...common,
      name: 'council',
      database,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      socket: { ...socket, reconnectStrategy: pause },
    },
    sentinelClientOptions: {
      ...common,
      ...(sentinelUsername !== undefined && { username: sentinelUsername }),
      ...(sentinelPassword !== undefined && { password: sentinelPassword }),
      socket,
    },
  });
  client.on('error', onTrouble);
  client.on('ready', onReady);
  let isDestroyed = false;

  return {
    follows: true,
    connect: () => connectToAny(() => (isDestroyed ? undefined : client), onTrouble),
    servers: () => [url],
    send: (words, _to, signal) => client.sendCommand(false, [...words], { abortSignal: signal }),
    destroy: async () => {
      isDestroyed = true;
      if (client.isOpen) await client.destroy();
    },
  };
}
