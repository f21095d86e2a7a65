/**
 * Faults that a process can be given, to see them found: it is started with this file preloaded and
 * the names of some in `PLANTED_FAULTS`.
 */

import { Client, REST } from 'discord.js';

const plants: Readonly<Record<string, () => void>> = {
  /** It hears fifteen in a hundred events of the gateway and does nothing about them. */
  'deaf gateway': () => {
    const emit = Client.prototype.emit;
    Client.prototype.emit = function (event: string | symbol, ...rest: unknown[]) {
      if (event === 'messageCreate' && Math.random() < 0.15) return true;
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
