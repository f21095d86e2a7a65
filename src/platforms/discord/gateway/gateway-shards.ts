/** Detects gateway shards that stay silent, and isolates packets on which discord.js throws. */

import { type Client, type ClientOptions, Events, SimpleShardingStrategy } from 'discord.js';
import { z } from 'zod';
import { guardMethod, type HandlingFailures } from '../../chat/handling-failures.ts';

/** Discord lets one gateway shard identify at a time; the others wait. */
const identifyGapMs = 5000;

/**
 * Detects a gateway shard that lost its connection and didn't recover: if a RESUME is never answered, the
 * client waits forever and looks connected.
 */
export class GatewayShardWatch {
  readonly #lost = new Map<number, NodeJS.Timeout>();

  constructor(
    client: Client,
    deafAfterMs: number,
    on: {
      /** A gateway shard has been silent for too long, including its turn behind shards lost before it. */
      readonly deaf: (shard: number) => void;
      /** {@link silentShards} changed. */
      readonly change: () => void;
    },
  ) {
    client.on(Events.ShardReconnecting, (shard) => {
      if (this.#lost.has(shard)) return;
      const queueMs = this.#lost.size * identifyGapMs;
      const timer = setTimeout(() => on.deaf(shard), deafAfterMs + queueMs);
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

  /** The gateway shards that are silent now. */
  get silentShards(): readonly number[] {
    return [...this.#lost.keys()];
  }

  end(): void {
    for (const timer of this.#lost.values()) clearTimeout(timer);
  }
}

type BuildStrategy = NonNullable<NonNullable<ClientOptions['ws']>['buildStrategy']>;

/**
 * For the client's options: catches what discord.js throws while handling a connection's frames. The
 * library expects packets as Discord documents them; any other would end the process.
 */
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

/** Only Discord's event names are logged; any other word could be anything. */
const namedSchema = z.object({ t: z.string().regex(/^[A-Z_]{1,50}$/) });

/** Also guards packets queued until the client was ready, which {@link guardedStrategy} doesn't cover. */
export function guardPackets(client: Client, failures: HandlingFailures): void {
  guardMethod(client.ws, 'handlePacket', (error, [packet]) => {
    failures.note(namedSchema.safeParse(packet).data?.t ?? 'a packet', error);
  });
}
