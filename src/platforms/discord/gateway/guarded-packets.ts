/**
 * A packet on which discord.js throws fails alone. The library takes packets to be as Discord documents
 * them, and what it throws on any other would end the process.
 */

import { type Client, type ClientOptions, SimpleShardingStrategy } from 'discord.js';
import { z } from 'zod';
import { guardMethod, type Mishaps } from '../../chat/mishaps.ts';

type BuildStrategy = NonNullable<NonNullable<ClientOptions['ws']>['buildStrategy']>;

/** For the client's options: what is made of the frames of a connection. */
export function guardedStrategy(mishaps: Mishaps): BuildStrategy {
  return (manager) => {
    const strategy = new SimpleShardingStrategy(manager);
    const spawn = strategy.spawn.bind(strategy);
    strategy.spawn = async (shardIds) => {
      await spawn(shardIds);
      const shards: unknown = Reflect.get(strategy, 'shards');
      if (!(shards instanceof Map)) throw new Error('discord.js keeps its shards elsewhere now.');
      for (const id of shardIds) {
        guardMethod(shards.get(id), 'onMessage', (error) => mishaps.note('a frame', error));
      }
    };
    return strategy;
  };
}

/** Discord's names of events; any other word may be anything. */
const namedSchema = z.object({ t: z.string().regex(/^[A-Z_]{1,50}$/) });

/** Also packets that waited until the client was ready: nothing of the above is around them then. */
export function guardPackets(client: Client, mishaps: Mishaps): void {
  guardMethod(client.ws, 'handlePacket', (error, [packet]) => {
    mishaps.note(namedSchema.safeParse(packet).data?.t ?? 'a packet', error);
  });
}
