/**
 * Sends the gateway's sockets through the proxy of the process. discord.js has no option for that, and keeps the
 * class of sockets that it finds in its library when it is loaded: load this file before it.
 */

import https from 'node:https';
import { createRequire } from 'node:module';

type SocketClass = new (address: string, protocols: readonly string[], options: object) => object;

const library: { WebSocket: SocketClass } = createRequire(import.meta.resolve('@discordjs/ws'))(
  'ws',
);

library.WebSocket = class extends library.WebSocket {
  constructor(address: string, protocols: readonly string[], options: object) {
    const agent = https.globalAgent;
    const isProxied = agent.options.proxyEnv !== undefined && address.startsWith('wss:');
    super(address, protocols, { ...options, ...(isProxied && { agent }) });
  }
};
