/**
 * Faults that a process can be given, to see them found: it is started with this file preloaded and
 * the names of some in `PLANTED_FAULTS`.
 */

import { Client, Message, REST } from 'discord.js';

const plants: Readonly<Record<string, () => void>> = {
  /** Of four messages that people write, it does nothing about the last. */
  'deaf gateway': () => {
    const emit = Client.prototype.emit;
    let heard = 0;
    Client.prototype.emit = function (event: string | symbol, ...rest: unknown[]) {
      const [message] = rest;
      const isWritten =
        event === 'messageCreate' && message instanceof Message && !message.author.bot;
      if (isWritten) heard += 1;
      if (isWritten && heard % 4 === 0) return true;
      return Reflect.apply(emit, this, [event, ...rest]);
    };
  },

  /** It posts its last message again when it has posted nothing for three seconds. */
  'late double': () => {
    const request = REST.prototype.request;
    let again: NodeJS.Timeout | undefined;
    REST.prototype.request = function (options) {
      if (options.method === 'POST' && options.fullRoute.startsWith('/webhooks/')) {
        clearTimeout(again);
        again = setTimeout(() => void Reflect.apply(request, this, [options]), 3000);
      }
      return Reflect.apply(request, this, [options]);
    };
  },

  /** A worker hangs in its start. */
  'hung start': () => {
    if (process.env.COUNCIL_ROLE !== 'worker') return;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
};

for (const name of process.env.PLANTED_FAULTS?.split(', ') ?? []) plants[name]?.();
