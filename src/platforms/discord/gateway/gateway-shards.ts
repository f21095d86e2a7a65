/** Keeps the gateway shards of a client alive: notices silent ones, and lets a packet that discord.js throws on fail alone. */

import { type Client, type ClientOptions, Events, SimpleShardingStrategy } from 'discord.js';
import { z } from 'zod';
import { guardMethod, type HandlingFailures } from '../../chat/handling-failures.ts';

/** Discord lets one gateway shard begin a session at a time; the others wait. */
const identifyGapMs = 5000;

/**
 * Notices a gateway shard that lost its connection and did not get it back: a RESUME that is never answered
 * leaves the client waiting for ever, and it looks connected all the while.
 */
export class GatewayShardWatch {
  readonly #lost = new Map<number, NodeJS.Timeout>();

  constructor(
    client: Client,
    deafAfterMs: number,
    on: {
      /** A gateway shard has been silent for so long, and for as long as those lost before it may take. */
      readonly deaf: (shard: number) => void;
      /** Something changed in {@link silentShards}. */
      readonly change: () => void;
    },
  ) {
    client.on(Events.ShardReconnecting, (shard) => {
      if (this.#lost.has(shard)) return;
      const inLine = this.#lost.size * identifyGapMs;
      const timer = setTimeout(() => on.deaf(shard), deafAfterMs + inLine);
      this.#lost.set(shard, timer.unref());
      on.change();
    });
    const isBack = (shard: number) => {
      clearTimeout(this.#lost.get(shard));
      if (this.#lost.delete(shard)) on.change();
    };
    client.on(Events.ShardResume, isBack);
    client.on(Events.ShardReady, isBack);
  }

  /** Gateway shards that are silent at the moment. */
  get silentShards(): readonly number[] {
    return [...this.#lost.keys()];
  }

  end(): void {
    for (const timer of this.#lost.values()) clearTimeout(timer);
  }
}

/**
 * A packet on which discord.js throws fails alone. The library takes packets to be as Discord documents
 * them, and what it throws on any other would end the process.
 */
type BuildStrategy = NonNullable<NonNullable<ClientOptions['ws']>['buildStrategy']>;

/** For the client's options: what is made of the frames of a connection. */
export function guardedStrategy(failures: HandlingFailures): BuildStrategy {
  return (manager) => {
    const strategy = new SimpleShardingStrategy(manager);
    const spawn = strategy.spawn.bind(strategy);
    strategy.spawn = async (shardIds) => {
      await spawn(shardIds);
      const shards: unknown = Reflect.get(strategy, 'shards');
      if (!(shards instanceof Map))
        throw new Error('discord.js keeps its gateway shards elsewhere now.');
      for (const id of shardIds) {
        guardMethod(shards.get(id), 'onMessage', (error) => failures.note('a frame', error));
      }
    };
    return strategy;
  };
}

/** Discord's names of events; any other word may be anything. */
const namedSchema = z.object({ t: z.string().regex(/^[A-Z_]{1,50}$/) });

/** Also packets that waited until the client was ready: nothing of the above is around them then. */
export function guardPackets(client: Client, failures: HandlingFailures): void {
  guardMethod(client.ws, 'handlePacket', (error, [packet]) => {
    failures.note(namedSchema.safeParse(packet).data?.t ?? 'a packet', error);
  });
}
